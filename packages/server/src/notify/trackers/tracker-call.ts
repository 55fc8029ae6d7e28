import type { OutboundPolicy } from '../../platform/outbound/outbound-policy.ts';
import { type GuardedResult, sendGuarded } from '../../platform/outbound/send-guarded.ts';
import { signBody, signMessage } from '../webhooks/signing-secret.ts';
import type { Call, TrackerRequest } from './tracker-api.ts';

/** The meaning of a failed call for the next one. */
type FailureKind =
  /** The token is not accepted, or may not do this. */
  | 'refused'
  /** There is no such ticket or target. */
  | 'missing'
  /** Not now: the tracker counts our requests. */
  | 'limited'
  /** The same request would fail again. */
  | 'invalid'
  /** No answer, or one that says nothing about the request: it may have had its effect. */
  | 'unavailable';

/** A call to a tracker failed. */
export class TrackerFailure extends Error {
  override readonly name = 'TrackerFailure';
  readonly kind: FailureKind;
  /**
   * `http_<status>`, or a word of `last_error` of deliveries. Nothing else is in it that the tracker sent but, behind
   * `fields_refused: `, names of fields with what it says of each, cut to a line.
   */
  readonly word: string;
  /** The time for which the tracker requests no more calls; null: it names none. */
  readonly waitMs: number | null;

  constructor(kind: FailureKind, word: string, waitMs: number | null = null) {
    super(`a tracker could not be used: ${word}`);
    this.kind = kind;
    this.word = word;
    this.waitMs = waitMs;
  }
}

/** Failures that say nothing about the tracker as a whole: it answered, and may answer for another ticket. */
const ANSWERED = ['http_500', 'invalid_response', 'unexpected_answer'];

/** Returns true if a failure can be that of one ticket, so that the work on others continues. */
export function isOfOneTicket({ kind, word }: TrackerFailure): boolean {
  return kind === 'missing' || kind === 'invalid' || (kind === 'unavailable' && ANSWERED.includes(word));
}

/** From the look-up of its name to the headers of the answer, and for the rest of its body. */
const CALL_TIMEOUT_MS = 10_000;
/** A hundred issues of the longest text that GitHub keeps, as people write. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
/** However long a tracker asks to wait. */
const WAIT_MAX_MS = 3_600_000;
/** The wait for a limit that names no end. */
const LIMITED_WAIT_MS = 60_000;

/** Calls to the tracker at a base address, through the one way out. Redirects are refused, so the token stays there. */
export function callsTo(outbound: OutboundPolicy, baseUrl: string, signal?: AbortSignal): Call {
  return async ({
    method,
    path,
    authorization,
    headers,
    body,
    signature,
    condition,
    onScopes,
    readsFaults = false,
  }) => {
    const etag = condition?.etag ?? null;
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const result = await sendGuarded(outbound, {
      method,
      url: `${baseUrl}${path}`,
      headers: {
        accept: 'application/json',
        'user-agent': 'culprit-trackers/1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...(etag === null ? {} : { 'if-none-match': etag }),
        ...(signature === undefined || bytes === null ? {} : signatureHeaders(signature, bytes)),
      },
      ...(authorization === undefined ? {} : { authorization }),
      body: bytes,
      timeoutMs: CALL_TIMEOUT_MS,
      bodyBytesMax: ANSWER_BYTES_MAX,
      redirects: 'refuse',
      ...(signal === undefined ? {} : { signal }),
    });
    if (result.kind === 'answered' && result.status === 304 && etag !== null) return undefined;
    const content = contentOf(result, readsFaults);
    if (result.kind === 'answered') {
      condition?.onEtag(result.etag);
      onScopes?.(result.oauthScopes);
    }
    return content;
  };
}

/** Signed as webhooks are (docs/contract/notifications.md 3.11). */
function signatureHeaders(
  { secret, id }: NonNullable<TrackerRequest['signature']>,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'x-service-signature': signBody(secret.reveal(), body),
    'x-service-timestamp': timestamp,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signMessage(secret.reveal(), id, timestamp, body),
  };
}

function contentOf(result: GuardedResult, readsFaults: boolean): unknown {
  if (result.kind === 'failed') {
    throw new TrackerFailure(result.word === 'target_blocked' ? 'invalid' : 'unavailable', result.word);
  }
  const { status, body } = result;
  const isRead = (status >= 200 && status <= 299) || (readsFaults && status === 400);
  if (!isRead) throw failureOf(result);
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw status === 400 ? failureOf(result) : new TrackerFailure('unavailable', 'invalid_response');
  }
}

/** GitHub's sentence for a secondary limit, which can be the only sign of it. */
const LIMIT_SENTENCE = /rate limit/i;
/** The part of a refusal in which the sentence is searched. */
const SENTENCE_BYTES_MAX = 2000;

function failureOf({ status, limits, body }: Extract<GuardedResult, { kind: 'answered' }>): TrackerFailure {
  const word = `http_${status}`;
  const { retryAfterSeconds, remaining, resetAtSeconds } = limits;
  const isUsedUp = remaining === 0 && resetAtSeconds !== null;
  // GitHub answers 403 for too many requests too, sometimes without a header that distinguishes it.
  const isCounted = () => LIMIT_SENTENCE.test(body.subarray(0, SENTENCE_BYTES_MAX).toString('utf8'));
  if (status === 429 || (status === 403 && (isUsedUp || retryAfterSeconds !== null || isCounted()))) {
    const untilResetMs = resetAtSeconds === null ? LIMITED_WAIT_MS : resetAtSeconds * 1000 - Date.now();
    const waitMs = retryAfterSeconds === null ? untilResetMs : retryAfterSeconds * 1000;
    return new TrackerFailure('limited', word, Math.min(WAIT_MAX_MS, Math.max(1000, waitMs)));
  }
  if (status === 401 || status === 403) return new TrackerFailure('refused', word);
  if (status === 404 || status === 410) return new TrackerFailure('missing', word);
  if (status >= 500 || status === 408) {
    const waitMs = retryAfterSeconds === null ? null : Math.min(WAIT_MAX_MS, retryAfterSeconds * 1000);
    return new TrackerFailure('unavailable', word, waitMs);
  }
  return new TrackerFailure('invalid', word);
}
