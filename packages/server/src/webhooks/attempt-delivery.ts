import type { Logger } from 'pino';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import { prefixedId } from '../platform/ids.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { sendGuarded } from '../platform/outbound/send-guarded.ts';
import type { Secret } from '../platform/secret.ts';
import {
  type AttemptOutcome,
  FAILED_HERE,
  RECEIVER_LIMITS,
  requestOutcome,
} from '../platform/sending/attempt-outcome.ts';
import { type Attempt, readWebhookLag, recordFailure, recordSuccess } from './attempts.queries.ts';
import { BUILT_IN_SINK_URL, SINK_ANSWER } from './built-in-sink.ts';
import { disableWaiting } from './deliveries.queries.ts';
import { eventToWebhookSeconds } from './delivery-metrics.ts';
import { disabledWebhookMail } from './disabled-webhook-mail.ts';
import {
  type DisabledWebhook,
  disableWebhookRow,
  lockWebhook,
  noteFailure,
  noteSuccess,
} from './receiving-webhooks.queries.ts';
import { openSigningSecret, signBody } from './signing-secret.ts';

/** What the sending of deliveries needs. */
export interface DeliveryOptions {
  database: Database;
  outbound: OutboundPolicy;
  /** From `deriveKey(dataKey, 'webhook-secrets')`. */
  secretKey: Secret<Buffer>;
  /** Seals queued mail. */
  mailKey: Buffer;
  appUrl: string;
  /** Waits after the failed attempts, in milliseconds; one attempt more than waits, then it is given up. */
  scheduleMs: readonly number[];
  /** Least span of failed attempts in a row after which a webhook is disabled. */
  disableAfterMs: number;
  log: Logger;
}

const FAILURES_MIN = 50;

/**
 * Makes one attempt of a claimed delivery: the request, as notifications.md 3.11 lays it down. Throws nothing: what is
 * wrong on our side is an outcome too.
 * @param breakOff ends it early, with the outcome unknown
 */
export async function sendAttempt(
  options: DeliveryOptions,
  attempt: Attempt,
  breakOff: AbortSignal,
): Promise<AttemptOutcome | null> {
  try {
    const secret = openSigningSecret(options.secretKey, attempt.sealedSecret, attempt.receiverId);
    if (secret === null) throw new Error('the signing secret cannot be read: the data key was changed');
    const body = Buffer.from(attempt.body, 'utf8');
    if (attempt.url === BUILT_IN_SINK_URL) return SINK_ANSWER;
    const result = await sendGuarded(options.outbound, {
      method: 'POST',
      url: attempt.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'culprit-webhooks/1',
        'x-service-signature': signBody(secret, body),
        'x-service-event': attempt.eventType,
        'x-service-delivery': prefixedId('del', attempt.deliveryId),
        'x-service-attempt': String(attempt.attempt),
        'x-service-timestamp': String(Math.floor(attempt.startedAtMs / 1000)),
      },
      body,
      ...RECEIVER_LIMITS,
      redirects: 'refuse',
      signal: breakOff,
    });
    return requestOutcome(result);
  } catch (error) {
    if (breakOff.aborted) return null;
    const message = error instanceof Error ? error.message : String(error);
    options.log.error({ deliveryId: attempt.deliveryId, error: message }, 'delivery attempt failed here');
    return FAILED_HERE;
  }
}

/**
 * Records an outcome, with what follows from it for the webhook, in one transaction. Nothing of an attempt that somebody
 * else has taken over since.
 * @returns milliseconds until the next attempt is due; null when there is none
 */
export async function recordAttempt(
  options: DeliveryOptions,
  attempt: Attempt,
  outcome: AttemptOutcome,
): Promise<number | null> {
  const { database } = options;
  const { receiverId: webhookId } = attempt;
  const { error, responseCode, pace } = outcome;
  if (error === null) {
    const lagMs = await database.transaction(async (transaction) => {
      await noteSuccess(transaction, webhookId, pace);
      const isOurs = await recordSuccess(transaction, attempt, responseCode ?? 0);
      return isOurs && isMeasured(attempt) ? await readWebhookLag(transaction, attempt.deliveryId) : null;
    });
    if (lagMs !== null) eventToWebhookSeconds.observe(Math.max(0, lagMs) / 1000);
    return null;
  }
  const waitMs = outcome.isFinal ? null : (options.scheduleMs[attempt.attempt - 1] ?? null);
  const disabled = await database.transaction(async (transaction) => {
    await lockWebhook(transaction, webhookId);
    const failure = { responseCode, error, waitMs };
    if (!(await recordFailure(transaction, attempt, failure))) return null;
    const limit = { failuresMin: FAILURES_MIN, spanMs: options.disableAfterMs };
    const isCounted = !attempt.isExplicit;
    if (!(await noteFailure(transaction, webhookId, { pace, isCounted }, limit))) return null;
    const webhook = await disableWebhookRow(transaction, webhookId);
    if (webhook === null) return null;
    await disableWaiting(transaction, webhookId, 'webhook_auto_disabled');
    await queueMail(transaction, options.mailKey, {
      to: webhook.ownerEmail,
      ...disabledWebhookMail(webhook, options.appUrl),
    });
    return webhook;
  });
  if (disabled !== null) await auditDisabled(options, webhookId, disabled);
  return waitMs;
}

/** Whether it tells how fast the service is: later attempts measure the receiver, and other events have no beginning. */
function isMeasured({ attempt, isExplicit, eventType }: Attempt): boolean {
  return attempt === 1 && !isExplicit && eventType === 'bundle.created';
}

async function auditDisabled(
  { database, log }: DeliveryOptions,
  webhookId: string,
  { projectId, organizationId }: DisabledWebhook,
): Promise<void> {
  await recordAudit(
    database,
    { log, clientAddress: null },
    {
      action: 'webhook.auto_disabled',
      actorUserId: null,
      organizationId,
      projectId,
      subject: `webhook:${prefixedId('whk', webhookId)}`,
    },
  );
}
