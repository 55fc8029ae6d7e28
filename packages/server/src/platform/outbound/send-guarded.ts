import type { Secret } from '../secrets/secret.ts';
import { noteSending } from '../work.ts';
import {
  exchange,
  type HttpAnswer,
  type HttpMethod,
  type HttpRequest,
  NO_LIMITS,
  type RateLimits,
} from './http-exchange.ts';
import { isLoopbackReceiver, type TargetAddress } from './judge-address.ts';
import { judgeTarget } from './judge-target.ts';
import { openConnection } from './open-connection.ts';
import {
  type OutboundErrorCode,
  type OutboundErrorKind,
  OutboundFailure,
  outboundErrorCode,
} from './outbound-failure.ts';
import type { OutboundPolicy, OutboundPurpose } from './outbound-policy.ts';
import { exchangeThroughProxy } from './proxy-exchange.ts';
import { redirectTarget } from './redirect-target.ts';
import { locationOf, parseTarget } from './target.ts';

export interface GuardedRequest {
  method: HttpMethod;
  url: string;
  /** Names in any case. `host`, `cookie` and those that carry credentials are never sent. */
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array | null;
  /** The value of `Authorization`, for the address asked alone: only where redirects are refused. */
  authorization?: Secret;
  /** From the name look-up to the end of the response headers, redirects included; also for the body's rest. */
  timeoutMs: number;
  /** The bytes that are read of the response body at most; the rest is cut off. 0 reads none. */
  bodyBytesMax: number;
  /** Followed for `GET` and `HEAD` only. With `refuse` a 3xx is an answer like any other. */
  redirects: 'refuse' | { max: number };
  /** `receiver` unless said otherwise. */
  purpose?: OutboundPurpose;
  /** Breaks the request off, as when the service stops: its outcome is unknown then. */
  signal?: AbortSignal;
}

export type GuardedResult =
  | {
      kind: 'answered';
      status: number;
      /** At most `bodyBytesMax` bytes. */
      body: Buffer;
      /** The values of the received headers `retry-after` and `x-ratelimit-…`. */
      limits: RateLimits;
      etag: string | null;
      oauthScopes: string | null;
      /** Until the response headers were there. */
      durationMs: number;
      /** The address that answered: the one asked for, unless there were redirects. */
      finalUrl: string;
      redirectCount: number;
    }
  | {
      kind: 'failed';
      /** For deliveries (docs/contract/notifications.md 3.8). */
      word: OutboundErrorCode;
      /** For availability results (docs/contract/account.md 7.5). */
      errorKind: OutboundErrorKind;
      /** A system or library code for our own log, such as `ECONNREFUSED`; never for users. */
      detail: string;
      durationMs: number;
      /** The last address that passed the syntactic rules. */
      finalUrl: string;
      /** Redirects that led there. */
      redirectCount: number;
    };

const WITHHELD_HEADERS = ['host', 'cookie', 'authorization', 'proxy-authorization'];

/**
 * The one way out to addresses that users give (docs/contract/notifications.md 5, docs/contract/reliability.md A13).
 * Each attempt and each redirect is judged anew, from its text to the other end of its connection.
 *
 * Whatever the target, its name or the network does is a result; throws only the reason of `request.signal`, and that
 * for which the calling request was stopped.
 */
export async function sendGuarded(policy: OutboundPolicy, request: GuardedRequest): Promise<GuardedResult> {
  if (changesSomething(request.method)) noteSending();
  const startedAtMs = performance.now();
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new OutboundFailure('timeout', 'the whole request took too long')),
    request.timeoutMs,
  );
  const signals = [deadline.signal, request.signal ?? []].flat();
  const way = { finalUrl: request.url, redirectCount: 0 };
  const purpose = request.purpose ?? 'receiver';
  try {
    const answer = await follow(policy, { ...request, purpose }, way, AbortSignal.any(signals));
    const { answeredAtMs, locations: _, ...answered } = answer;
    return { kind: 'answered', ...answered, durationMs: answeredAtMs - startedAtMs, ...way };
  } catch (error) {
    request.signal?.throwIfAborted();
    const durationMs = performance.now() - startedAtMs;
    const { errorKind, status } =
      error instanceof OutboundFailure ? error : { errorKind: 'internal' as const, status: null };
    // A receiver that has answered is not sent the same again because of what follows its status line.
    if (purpose === 'receiver' && status !== null) {
      const nothing = { body: Buffer.alloc(0), limits: NO_LIMITS, etag: null, oauthScopes: null };
      return { kind: 'answered', status, ...nothing, durationMs, ...way };
    }
    const word = outboundErrorCode(errorKind);
    const detail = error instanceof Error ? error.message : String(error);
    return { kind: 'failed', word, errorKind, detail, durationMs, ...way };
  } finally {
    clearTimeout(timer);
  }
}

/** The progress of a request. */
interface Way {
  finalUrl: string;
  redirectCount: number;
}

async function follow(
  policy: OutboundPolicy,
  request: GuardedRequest & { purpose: OutboundPurpose },
  way: Way,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { purpose } = request;
  const redirectsMax =
    request.redirects === 'refuse' || changesSomething(request.method) ? 0 : request.redirects.max;
  let text = request.url;
  for (let redirectCount = 0; ; redirectCount += 1) {
    const target = parseTarget(text, policy, { purpose });
    if (!target.ok) throw blocked(redirectCount, 'the address breaks a rule');
    way.finalUrl = target.url.href;
    way.redirectCount = redirectCount;
    const answer = await ask(locationOf(target.url, purpose), policy, request, redirectCount, signal);
    const next = redirectsMax === 0 ? null : redirectTarget(answer, target.url);
    if (next === null) return answer;
    if (redirectCount === redirectsMax) {
      throw new OutboundFailure('too_many_redirects', `more than ${redirectsMax}`);
    }
    text = next;
  }
}

/** Judges one address, connects to it and asks. */
async function ask(
  place: TargetAddress,
  policy: OutboundPolicy,
  request: GuardedRequest,
  redirectCount: number,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { url } = place;
  const asked: HttpRequest = {
    method: request.method,
    path: url.pathname + url.search,
    host: url.host,
    headers: { ...sentHeaders(request.headers), ...credentialsOf(request) },
    body: request.body ?? null,
    bodyBytesMax: request.bodyBytesMax,
  };
  try {
    // A receiver on this machine is no business of a proxy elsewhere.
    if (policy.proxyUrl !== null && !isLoopbackReceiver(place, policy)) {
      return await exchangeThroughProxy(policy.proxyUrl, place, asked, signal);
    }
    const addresses = await judgeTarget(place, policy, signal);
    const socket = await openConnection(place, addresses, policy, signal);
    return await exchange(socket, asked, signal);
  } catch (error) {
    const isBlocked = error instanceof OutboundFailure && error.errorKind === 'address_blocked';
    throw isBlocked ? blocked(redirectCount, error.message) : error;
  }
}

function changesSomething(method: HttpMethod): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function credentialsOf({ authorization, redirects }: GuardedRequest): Record<string, string> {
  if (authorization === undefined || redirects !== 'refuse') return {};
  return { authorization: authorization.reveal() };
}

function blocked(redirectCount: number, detail: string): OutboundFailure {
  return new OutboundFailure(redirectCount > 0 ? 'redirect_target_blocked' : 'address_blocked', detail);
}

function sentHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !WITHHELD_HEADERS.includes(name.toLowerCase())),
  );
}
