import type { Logger } from 'pino';
import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../platform/db/database.ts';
import { prefixedId } from '../platform/ids.ts';
import { queueMail } from '../platform/mail/queue-mail.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { type GuardedResult, sendGuarded } from '../platform/outbound/send-guarded.ts';
import type { Secret } from '../platform/secret.ts';
import { type Attempt, recordFailure, recordSuccess } from './attempts.queries.ts';
import { disableWaiting } from './deliveries.queries.ts';
import { disabledWebhookMail } from './disabled-webhook-mail.ts';
import { openSigningSecret, signBody } from './signing-secret.ts';
import {
  type DisabledWebhook,
  disableWebhookRow,
  lockWebhook,
  noteFailure,
  noteSuccess,
  type Pace,
} from './webhooks.queries.ts';

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

/** What came of an attempt: the HTTP status if there was one, and in how long. */
interface Outcome {
  /** Null: success. */
  error: string | null;
  responseCode: number | null;
  isFinal: boolean;
  pace: Pace;
}

/** Name look-up to response headers; the outbound module gives the connection 5 s of it (notifications.md 3.11). */
const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 16_384;
const FAILURES_MIN = 50;
/** Attempts that take longer hold a place that others could use: their receiver gets fewer. */
const QUICK_MS = 1000;

/**
 * Makes one attempt of a claimed delivery: the request, as notifications.md 3.11 lays it down. Throws nothing: what is
 * wrong on our side is an outcome too.
 * @param breakOff ends it early, with the outcome unknown
 */
export async function sendAttempt(
  options: DeliveryOptions,
  attempt: Attempt,
  breakOff: AbortSignal,
): Promise<Outcome | null> {
  try {
    const secret = openSigningSecret(options.secretKey, attempt.sealedSecret, attempt.webhookId);
    if (secret === null) throw new Error('the signing secret cannot be read: the data key was changed');
    const body = Buffer.from(attempt.body, 'utf8');
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
      timeoutMs: TIMEOUT_MS,
      bodyBytesMax: RESPONSE_BYTES_MAX,
      redirects: 'refuse',
      signal: breakOff,
    });
    return outcomeOf(result);
  } catch (error) {
    if (breakOff.aborted) return null;
    const message = error instanceof Error ? error.message : String(error);
    options.log.error({ deliveryId: attempt.deliveryId, error: message }, 'delivery attempt failed here');
    return { error: 'internal_error', responseCode: null, isFinal: false, pace: 'quick' };
  }
}

function outcomeOf(result: GuardedResult): Outcome {
  const pace = result.durationMs < QUICK_MS ? 'quick' : 'slow';
  if (result.kind === 'failed') {
    // Repeating a refused target would only be probing.
    return { error: result.word, responseCode: null, isFinal: result.word === 'target_blocked', pace };
  }
  const { status } = result;
  const isSuccess = status >= 200 && status <= 299;
  return { error: isSuccess ? null : `http_${status}`, responseCode: status, isFinal: false, pace };
}

/**
 * Records an outcome, with what follows from it for the webhook, in one transaction. Nothing of an attempt that somebody
 * else has taken over since.
 * @returns milliseconds until the next attempt is due; null when there is none
 */
export async function recordAttempt(
  options: DeliveryOptions,
  attempt: Attempt,
  outcome: Outcome,
): Promise<number | null> {
  const { database } = options;
  const { webhookId } = attempt;
  const { error, responseCode, pace } = outcome;
  if (error === null) {
    await database.transaction(async (transaction) => {
      await noteSuccess(transaction, webhookId, pace);
      await recordSuccess(transaction, attempt, responseCode ?? 0);
    });
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

async function auditDisabled(
  { database, log }: DeliveryOptions,
  webhookId: string,
  { projectId, organizationId }: DisabledWebhook,
): Promise<void> {
  await recordAudit(database, log, {
    action: 'webhook.auto_disabled',
    actorUserId: null,
    organizationId,
    projectId,
    subject: `webhook:${prefixedId('whk', webhookId)}`,
    clientAddress: null,
  });
}
