import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { sendGuarded } from '../../platform/outbound/send-guarded.ts';
import { RECEIVER_LIMITS } from '../../platform/row-queue/attempt-outcome.ts';

/**
 * The body for an incoming webhook of Slack (docs/contract/notifications.md 1.13): blocks, and a line for clients that
 * cannot show blocks.
 */
export interface SlackMessage {
  text: string;
  blocks: readonly object[];
}

/** The outcome of one attempt. */
export type SlackOutcome =
  | { kind: 'delivered'; responseCode: number }
  /** Slack will never take a message at this address again (docs/contract/notifications.md 1.11). */
  | { kind: 'rejected'; responseCode: number }
  | {
      kind: 'failed';
      /** A word of `last_error` (docs/contract/notifications.md 3.8), such as `http_500` or `timeout`. */
      error: string;
      responseCode: number | null;
      /** Another attempt would be refused just the same. */
      isFinal: boolean;
      /** The wait that Slack requests. */
      askedWaitSeconds?: number;
    };

/** The response bodies with which Slack reports that an address is permanently invalid. */
const PERMANENT_WORDS = ['channel_not_found', 'no_service', 'invalid_token'];
const PERMANENT_STATUSES = [404, 410];

/**
 * Sends a message once, through the outbound policy; redirects are an answer like any other. Whatever the receiver or
 * the network does is an outcome; throws only the reason of `signal`, and then the outcome is unknown.
 */
export async function postSlackMessage(
  outbound: OutboundPolicy,
  url: string,
  message: SlackMessage,
  signal?: AbortSignal,
): Promise<SlackOutcome> {
  const result = await sendGuarded(outbound, {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'culprit-slack/1' },
    body: JSON.stringify(message),
    ...RECEIVER_LIMITS,
    redirects: 'refuse',
    ...(signal === undefined ? {} : { signal }),
  });
  if (result.kind === 'failed') {
    const isFinal = result.word === 'target_blocked';
    return { kind: 'failed', error: result.word, responseCode: null, isFinal };
  }
  const { status: responseCode } = result;
  if (responseCode >= 200 && responseCode <= 299) return { kind: 'delivered', responseCode };
  const isPermanent =
    PERMANENT_STATUSES.includes(responseCode) ||
    PERMANENT_WORDS.includes(result.body.toString('utf8').trim());
  if (isPermanent) return { kind: 'rejected', responseCode };
  const { retryAfterSeconds } = result.limits;
  return {
    kind: 'failed',
    error: `http_${responseCode}`,
    responseCode,
    isFinal: false,
    ...(retryAfterSeconds === null ? {} : { askedWaitSeconds: retryAfterSeconds }),
  };
}
