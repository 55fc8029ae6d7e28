import { errorFields } from '../../platform/error-fields.ts';
import { sanitizeMail } from '../../platform/mail/mail.ts';
import { MailError } from '../../platform/mail/mail-error.ts';
import { FAILED_HERE, latencyClassOf } from '../../platform/row-queue/attempt-outcome.ts';
import { deactivateSlackDestination } from '../slack/deactivate-slack-destination.ts';
import {
  dropUnwantedOf,
  type MessageAttempt,
  type MessageContent,
  type MessageItem,
  readMessage,
  recordLatencyClass,
  recordNotSent,
  recordSent,
  splitMessage,
} from './attempts.queries.ts';
import { alertMail } from './channels/email.ts';
import { findTargets } from './find-targets.ts';
import {
  type AlertSendingOptions,
  type MessageOutcome,
  type SendingOutcome,
  UNWANTED,
} from './message-outcome.ts';
import { laterFacts, postMessage } from './post-message.ts';

/** Alerts use the quick part of the schedule of webhooks (docs/contract/notifications.md 1.11). */
const RETRIES = 5;
/** A receiver cannot hold a message back for longer, however long it asks to wait. */
const ASKED_WAIT_MAX_SECONDS = 900;

/**
 * Makes one attempt of a claimed message. Throws nothing: what is wrong on our side is an outcome too.
 * @param abort ends it early, with the outcome unknown
 */
export async function sendMessage(
  options: AlertSendingOptions,
  attempt: MessageAttempt,
  abort: AbortSignal,
): Promise<MessageOutcome | null> {
  const { database, log } = options;
  const { messageId } = attempt;
  let readAtMs: number | null = null;
  try {
    await dropUnwantedOf(database, messageId);
    const content = await readMessage(database, options.keys.receiverAddresses, messageId);
    if (content === null) return UNWANTED;
    readAtMs = content.readAtMs;
    const outcome =
      attempt.recipient === null
        ? await postMessage(options, await withOneTarget(options, attempt, content), abort)
        : await mail(options, attempt, attempt.recipient, content);
    return { ...outcome, readAtMs };
  } catch (error) {
    if (abort.aborted) return null;
    log.error({ messageId, ...errorFields(error) }, 'alert message failed because of an internal error');
    return { ...FAILED_HERE, readAtMs };
  }
}

/**
 * A message with the deliveries that still go where its first one goes. Rules that were changed since get messages of
 * their own, which cost nothing more.
 */
async function withOneTarget(
  options: AlertSendingOptions,
  attempt: MessageAttempt,
  content: MessageContent,
): Promise<MessageContent> {
  const { database } = options;
  const [first, ...others] = content.items;
  if (others.length === 0) return content;
  const { channel, organizationId } = content;
  const rules = content.items.map(({ alertId, config }) => ({ alertId, channel, config }));
  const targets = await findTargets(database, options, organizationId, rules);
  const targetOf = ({ alertId, config }: MessageItem) =>
    targets.get(alertId) ?? config.slack_destination_id ?? alertId;
  const elsewhere = new Map<string, string[]>();
  for (const item of others.filter((each) => targetOf(each) !== targetOf(first))) {
    elsewhere.set(targetOf(item), [...(elsewhere.get(targetOf(item)) ?? []), item.alertDeliveryId]);
  }
  for (const deliveries of elsewhere.values()) {
    await database.transaction((transaction) => splitMessage(transaction, attempt, deliveries));
  }
  return { ...content, items: [first, ...others.filter((each) => targetOf(each) === targetOf(first))] };
}

async function mail(
  { database, transport, appUrl }: AlertSendingOptions,
  { messageId, isRepeat }: MessageAttempt,
  recipient: string,
  { items, itemCount }: MessageContent,
): Promise<SendingOutcome> {
  if (transport === null) return { ...UNWANTED, error: 'email_not_configured' };
  const startedAtMs = performance.now();
  const outcome = (error: string | null, isFinal: boolean): SendingOutcome => ({
    error,
    responseCode: null,
    isFinal,
    latencyClass: latencyClassOf(performance.now() - startedAtMs),
  });
  try {
    const later = await laterFacts(database, items);
    const message = sanitizeMail({ to: recipient, ...alertMail(items, itemCount, appUrl, later) });
    await transport.send({ ...message, messageId });
    return outcome(null, false);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    switch (error.failure) {
      case 'rejected':
        return outcome('mail_rejected', true);
      case 'unavailable':
        return outcome('mail_unavailable', false);
      case 'unknown':
        // Sent again once and never a third time (docs/contract/reliability.md A4).
        return { ...outcome('mail_unavailable', isRepeat), isUnknown: true };
    }
  }
}

/**
 * Records an outcome, with what follows from it, in one transaction. Records nothing if another process has claimed the
 * attempt since.
 * @returns milliseconds until the next attempt is due; null when there is none
 */
export async function recordMessage(
  options: AlertSendingOptions,
  attempt: MessageAttempt,
  outcome: MessageOutcome,
): Promise<number | null> {
  const { error, responseCode, latencyClass, readAtMs, refusedDestination } = outcome;
  const isLast = outcome.isFinal || attempt.attempt > RETRIES;
  const scheduledMs = error === null || isLast ? null : (options.scheduleMs[attempt.attempt - 1] ?? null);
  const askedMs = Math.min(outcome.askedWaitSeconds ?? 0, ASKED_WAIT_MAX_SECONDS) * 1000;
  const waitMs = scheduledMs === null ? null : Math.max(scheduledMs, askedMs);
  await options.database.transaction(async (transaction) => {
    const isOurs =
      error === null && readAtMs !== null
        ? await recordSent(transaction, attempt, { responseCode, readAtMs })
        : await recordNotSent(transaction, attempt, {
            responseCode,
            error: error ?? 'internal_error',
            waitMs,
            isUnknown: outcome.isUnknown === true,
          });
    if (!isOurs) return;
    if (readAtMs !== null) await recordLatencyClass(transaction, attempt.receiverId, latencyClass);
    if (refusedDestination !== undefined) {
      await deactivateSlackDestination(transaction, options, refusedDestination);
    }
  });
  return waitMs;
}
