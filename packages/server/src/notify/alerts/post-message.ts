import type { AlertChannel } from '@culprit/contract/alerts/alerts';
import type { Database } from '../../platform/db/database.ts';
import { parseId } from '../../platform/ids.ts';
import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { type GuardedRequest, sendGuarded } from '../../platform/outbound/send-guarded.ts';
import { latencyClassOf, RECEIVER_LIMITS, requestOutcome } from '../../platform/row-queue/attempt-outcome.ts';
import { openSlackDestination } from '../slack/find-slack-destination.ts';
import { postSlackMessage, type SlackMessage } from '../slack/post-slack-message.ts';
import { actionOf, isTest, type LaterFacts } from './alert-facts.ts';
import { findLaterFacts, type MessageContent, type MessageItem } from './attempts.queries.ts';
import { discordMessage } from './channels/discord.ts';
import { mattermostMessage } from './channels/mattermost.ts';
import { ntfyMessage, ntfyPlace } from './channels/ntfy.ts';
import { pagerdutyAddress, pagerdutyEvent } from './channels/pagerduty.ts';
import { slackMessage } from './channels/slack.ts';
import { teamsMessage } from './channels/teams.ts';
import { telegramAddress, telegramMessage } from './channels/telegram.ts';
import { templateBody } from './channels/template.ts';
import { templateHeaders } from './channels/template-headers.ts';
import { webhookBody, webhookHeaders } from './channels/webhook.ts';
import { findPageState } from './follow-ups.queries.ts';
import { isFollowed } from './match-rules.ts';
import { type AlertSendingOptions, type SendingOutcome, UNWANTED } from './message-outcome.ts';

const USER_AGENT = 'culprit-alerts/1';

/** Posts a message to its channel. Everything but mail is about one transition. */
export async function postMessage(
  options: AlertSendingOptions,
  content: MessageContent,
  signal: AbortSignal,
): Promise<SendingOutcome> {
  const { outbound, appUrl } = options;
  const { items, channel } = content;
  const [item] = items;
  const { slack_destination_id: destinationId, webhook_url: slackUrl } = item.config;
  if (destinationId !== undefined) {
    return await postToDestination(options, content, destinationId, slackMessage(items, appUrl), signal);
  }
  if (channel === 'slack' && slackUrl !== undefined) {
    return (await postToSlack(outbound, slackUrl, slackMessage(items, appUrl), signal)).outcome;
  }
  if (isFollowed({ channel, config: item.config }, 'incident_resolved') && !isTest(item.facts)) {
    const fault = await pageFault(options.database, items);
    if (fault !== null) return fault;
  }
  if (item.config.tracker_id !== undefined) return await toTracker(options, item, item.config.tracker_id);
  const later = NAMES_LATER.includes(channel) ? await laterFacts(options.database, items) : null;
  const message = jsonMessage(channel, items, appUrl, later);
  if (message === null) {
    options.log.error({ alertId: item.alertId }, 'the data key does not open the address of an alert rule');
    return UNWANTED;
  }
  const outcome = await postJson(outbound, message, signal, channel === 'telegram' ? TELEGRAM_TOOK_IT : null);
  const isRefused = REFUSALS[channel]?.includes(outcome.responseCode ?? 0) === true;
  return isRefused ? { ...outcome, isFinal: true } : outcome;
}

/**
 * Why a message about a page cannot be sent now: the page would open after its incident was resolved, or would be
 * closed before it opens (docs/contract/notifications.md 1.20).
 */
async function pageFault(database: Database, items: MessageContent['items']): Promise<SendingOutcome | null> {
  const [{ facts }] = items;
  const incidentId = parseId(['inc'], facts.incident.incidentId);
  const alertIds = items.flatMap(({ alertId }) => parseId(['alt'], alertId) ?? []);
  if (incidentId === null) return UNWANTED;
  const page = await findPageState(database, alertIds, incidentId, facts.triggeredAt);
  if (actionOf(facts) === 'trigger')
    return page.isResolved ? { ...UNWANTED, error: 'incident_resolved' } : null;
  if (page.isOpenedAgain) return { ...UNWANTED, error: 'page_opened_again' };
  if (page.isOpening) return { ...UNWANTED, error: 'page_pending', isFinal: false };
  return page.wasOpened ? null : { ...UNWANTED, error: 'page_not_opened' };
}

/** Channels whose messages name what is read when they are sent. */
const NAMES_LATER: readonly AlertChannel[] = ['template', 'teams'];

interface JsonMessage extends Pick<GuardedRequest, 'url' | 'authorization'> {
  body: object;
  headers?: Readonly<Record<string, string>>;
}

/** Answers that stay the same however often a message is repeated (docs/contract/notifications.md 1.18). */
const REFUSALS: Readonly<Partial<Record<AlertChannel, readonly number[]>>> = {
  teams: [404, 410],
  mattermost: [400, 404, 410],
  ntfy: [401, 403, 404],
  telegram: [400, 401, 403, 404],
  pagerduty: [400, 401, 403, 404],
  template: [404, 410],
};

/**
 * Returns the message for a channel that takes a plain POST of JSON; null when its rule has no address that can be
 * read.
 */
function jsonMessage(
  channel: AlertChannel,
  items: MessageContent['items'],
  appUrl: string,
  later: LaterFacts | null,
): JsonMessage | null {
  const { webhook_url, target_url, token, chat_id, thread_id, body, headers } = items[0].config;
  if (channel === 'telegram') {
    if (token === undefined || chat_id === undefined) return null;
    const chat = { chatId: chat_id, threadId: thread_id };
    return { url: telegramAddress(token, target_url), body: telegramMessage(items, appUrl, chat) };
  }
  if (channel === 'pagerduty') {
    if (token === undefined) return null;
    return { url: pagerdutyAddress(target_url), body: pagerdutyEvent(items, appUrl, token) };
  }
  const url = webhook_url ?? target_url;
  if (url === undefined) return null;
  switch (channel) {
    case 'discord':
      return { url, body: discordMessage(items, appUrl) };
    case 'teams':
      return { url, body: teamsMessage(items, appUrl, later) };
    case 'mattermost':
      return { url, body: mattermostMessage(items, appUrl) };
    case 'ntfy':
      return { ...ntfyPlace(url, token), body: ntfyMessage(items, appUrl, url) };
    case 'webhook':
      return { url, body: webhookBody(items, appUrl), headers: webhookHeaders(items) };
    case 'template':
      return body === undefined
        ? null
        : { url, ...templateHeaders(headers), body: templateBody(body, items, appUrl, later) };
    default:
      return null;
  }
}

async function postJson(
  outbound: OutboundPolicy,
  { url, authorization, body, headers }: JsonMessage,
  signal: AbortSignal,
  success: RegExp | null,
): Promise<SendingOutcome> {
  const result = await sendGuarded(outbound, {
    method: 'POST',
    url,
    ...(authorization === undefined ? {} : { authorization }),
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT },
    body: JSON.stringify(body),
    ...RECEIVER_LIMITS,
    redirects: 'refuse',
    signal,
  });
  const outcome = requestOutcome(result);
  if (
    result.kind === 'answered' &&
    outcome.error === null &&
    success?.test(result.body.toString('utf8')) === false
  )
    return { ...outcome, error: 'unexpected_answer' };
  const waitSeconds = result.kind === 'answered' && result.status === 429 ? waitInBody(result.body) : null;
  return waitSeconds === null ? outcome : { ...outcome, askedWaitSeconds: waitSeconds };
}

/** An answer that no other server at the address gives. */
const TELEGRAM_TOOK_IT = /"ok"\s{0,8}:\s{0,8}true/;

/** The wait that Telegram names in the body alone, and other chats besides their header (RFC 9110 10.2.3). */
const WAIT_IN_BODY = /"retry_after"\s{0,8}:\s{0,8}(\d{1,6})/;

function waitInBody(body: Buffer): number | null {
  const seconds = WAIT_IN_BODY.exec(body.toString('utf8'))?.[1];
  return seconds === undefined ? null : Math.ceil(Number(seconds));
}

async function postToSlack(
  outbound: OutboundPolicy,
  url: string,
  message: SlackMessage,
  signal: AbortSignal,
): Promise<{ outcome: SendingOutcome; isRefused: boolean }> {
  const startedAtMs = performance.now();
  const slack = await postSlackMessage(outbound, url, message, signal);
  const { responseCode } = slack;
  const latencyClass = latencyClassOf(performance.now() - startedAtMs);
  switch (slack.kind) {
    case 'delivered':
      return { outcome: { error: null, responseCode, isFinal: false, latencyClass }, isRefused: false };
    case 'rejected':
      return {
        outcome: { error: 'slack_rejected', responseCode, isFinal: true, latencyClass },
        isRefused: true,
      };
    case 'failed':
      return {
        outcome: {
          error: slack.error,
          responseCode,
          isFinal: slack.isFinal,
          latencyClass,
          ...(slack.askedWaitSeconds === undefined ? {} : { askedWaitSeconds: slack.askedWaitSeconds }),
        },
        isRefused: false,
      };
  }
}

async function toTracker(
  options: AlertSendingOptions,
  { facts }: MessageItem,
  trackerId: string,
): Promise<SendingOutcome> {
  const projectId = parseId(['proj'], facts.projectId);
  const incidentId = isTest(facts) ? null : parseId(['inc'], facts.incident.incidentId);
  if (projectId === null) return UNWANTED;
  const startedAtMs = performance.now();
  const { triggeredAt } = facts;
  const outcome = await options.fileTicket({ projectId, trackerId, incidentId, triggeredAt });
  return { ...outcome, responseCode: null, latencyClass: latencyClassOf(performance.now() - startedAtMs) };
}

/** A destination that became inactive, or fell out of the plan, while the message waited gets nothing. */
async function postToDestination(
  options: AlertSendingOptions,
  { organizationId }: MessageContent,
  destinationId: string,
  message: SlackMessage,
  signal: AbortSignal,
): Promise<SendingOutcome> {
  const { database, outbound } = options;
  const destination = await openSlackDestination(database, options, organizationId, destinationId);
  if (destination === null || !destination.isInPlan) return UNWANTED;
  if (!destination.isActive) return { ...UNWANTED, error: 'slack_rejected' };
  const { outcome, isRefused } = await postToSlack(outbound, destination.url, message, signal);
  return isRefused ? { ...outcome, refusedDestination: destination } : outcome;
}

/** The facts that are read when a message is sent. */
export async function laterFacts(
  database: Database,
  [{ facts }]: MessageContent['items'],
): Promise<LaterFacts | null> {
  const incidentId = parseId(['inc'], facts.incident.incidentId);
  return incidentId === null ? null : await findLaterFacts(database, incidentId, facts.triggeredAt);
}
