import { prefixedId } from '../../platform/ids.ts';
import type { Attempt } from './attempts.queries.ts';
import { signBody, signMessage } from './signing-secret.ts';

/** The headers of an attempt (docs/contract/notifications.md 3.11). */
export function attemptHeaders(
  secret: string,
  body: Buffer,
  attempt: Pick<Attempt, 'eventType' | 'deliveryId' | 'attempt' | 'startedAtMs'>,
): Record<string, string> {
  const id = prefixedId('del', attempt.deliveryId);
  const timestamp = String(Math.floor(attempt.startedAtMs / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': 'culprit-webhooks/1',
    'x-service-signature': signBody(secret, body),
    'x-service-event': attempt.eventType,
    'x-service-delivery': id,
    'x-service-attempt': String(attempt.attempt),
    'x-service-timestamp': timestamp,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signMessage(secret, id, timestamp, body),
  };
}
