import { errorFields } from '../../platform/error-fields.ts';
import { prefixedId } from '../../platform/ids.ts';
import { queueMail } from '../../platform/mail/queue-mail.ts';
import { histogram } from '../../platform/metrics/metric-kinds.ts';
import { sendGuarded } from '../../platform/outbound/send-guarded.ts';
import {
  type AttemptOutcome,
  FAILED_HERE,
  RECEIVER_LIMITS,
  requestOutcome,
} from '../../platform/row-queue/attempt-outcome.ts';
import type { Runtime } from '../../runtime.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { attemptHeaders } from './attempt-headers.ts';
import { type Attempt, readWebhookLag, recordFailure, recordSuccess } from './attempts.queries.ts';
import { BUILT_IN_SINK_URL, SINK_ANSWER } from './built-in-sink.ts';
import { disableWaiting } from './deliveries.queries.ts';
import { disabledWebhookMail } from './disabled-webhook-mail.ts';
import {
  type DisabledWebhook,
  disableWebhookRow,
  lockWebhook,
  recordWebhookFailure,
  recordWebhookSuccess,
} from './receiving-webhooks.queries.ts';
import { openSigningSecret } from './signing-secret.ts';

/**
 * From the receipt of the first event of an incident to the delivery of its `bundle.created`, by the database clock.
 * First attempts only: what comes later measures the receiver.
 */
const eventToWebhookSeconds = histogram({
  name: 'culprit_event_to_webhook_seconds',
  help: 'From the receipt of the first event of an incident to its bundle.created webhook, at the first attempt.',
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800],
});

/** The settings and services that the sending of deliveries needs. */
export interface DeliveryOptions extends Pick<Runtime, 'database' | 'outbound' | 'keys' | 'appUrl' | 'log'> {
  /**
   * The waits after the failed attempts, in milliseconds; after one attempt more than waits, the delivery has failed.
   */
  scheduleMs: readonly number[];
  /** Least span of failed attempts in a row after which a webhook is disabled. */
  disableAfterMs: number;
}

const FAILURES_MIN = 50;

/**
 * Makes one attempt of a claimed delivery: the request, as docs/contract/notifications.md 3.11 lays it down. Throws
 * nothing: what is wrong on our side is an outcome too.
 * @param abort ends it early, with the outcome unknown
 */
export async function sendAttempt(
  options: DeliveryOptions,
  attempt: Attempt,
  abort: AbortSignal,
): Promise<AttemptOutcome | null> {
  try {
    const secret = openSigningSecret(options.keys.webhookSecrets, attempt.sealedSecret, attempt.receiverId);
    if (secret === null) throw new Error('the signing secret cannot be read: the data key was changed');
    const body = Buffer.from(attempt.body, 'utf8');
    if (attempt.url === BUILT_IN_SINK_URL) return SINK_ANSWER;
    const result = await sendGuarded(options.outbound, {
      method: 'POST',
      url: attempt.url,
      headers: attemptHeaders(secret, body, attempt),
      body,
      ...RECEIVER_LIMITS,
      redirects: 'refuse',
      signal: abort,
    });
    return requestOutcome(result);
  } catch (error) {
    if (abort.aborted) return null;
    options.log.error(
      { deliveryId: attempt.deliveryId, ...errorFields(error) },
      'delivery attempt failed because of an internal error',
    );
    return FAILED_HERE;
  }
}

/**
 * Records an outcome, with what follows from it for the webhook, in one transaction. Records nothing if another process
 * has claimed the attempt since.
 * @returns milliseconds until the next attempt is due; null when there is none
 */
export async function recordAttempt(
  options: DeliveryOptions,
  attempt: Attempt,
  outcome: AttemptOutcome,
): Promise<number | null> {
  const { database } = options;
  const { receiverId: webhookId } = attempt;
  const { error, responseCode, latencyClass } = outcome;
  if (error === null) {
    const lagMs = await database.transaction(async (transaction) => {
      await recordWebhookSuccess(transaction, webhookId, latencyClass);
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
    if (!(await recordWebhookFailure(transaction, webhookId, { latencyClass, isCounted }, limit)))
      return null;
    const webhook = await disableWebhookRow(transaction, webhookId);
    if (webhook === null) return null;
    await disableWaiting(transaction, webhookId, 'webhook_auto_disabled');
    await queueMail(transaction, options.keys.queuedMail.reveal(), {
      to: webhook.ownerEmail,
      ...disabledWebhookMail({ webhookId, ...webhook }, options.appUrl),
    });
    return webhook;
  });
  if (disabled !== null) await auditDisabled(options, webhookId, disabled);
  return waitMs;
}

/**
 * Returns true if an attempt measures the speed of the service: later attempts measure the receiver, and other events
 * have no beginning.
 */
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
