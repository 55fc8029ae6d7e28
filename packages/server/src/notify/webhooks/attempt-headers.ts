import { prefixedId } from '../../platform/ids.ts';
import type { Attempt } from './attempts.queries.ts';
import { signBody } from './signing-secret.ts';

/** The headers of an attempt (docs/contract/notifications.md 3.11). */
export function attemptHeaders(
  secret: string,
  body: Buffer,
  attempt: Pick<Attempt, 'eventType' | 'deliveryId' | 'attempt' | 'startedAtMs'>,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'culprit-webhooks/1',
    'x-service-signature': signBody(secret, body),
    'x-service-event': attempt.eventType,
    'x-service-delivery': prefixedId('del', attempt.deliveryId),
    'x-service-attempt': String(attempt.attempt),
    'x-service-timestamp': String(Math.floor(attempt.startedAtMs / 1000)),
  };
}
