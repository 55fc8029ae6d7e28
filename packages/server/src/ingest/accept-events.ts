import type { IncomingHttpHeaders } from 'node:http';
import { checkEvent } from '../events/check-event.ts';
import { isJsonObject } from '../events/json.ts';
import { parseBatch } from '../events/parse-batch.ts';
import { mayNeedSanitizing } from '../events/sanitize-raw-event.ts';
import type { RawBody } from '../platform/http/bind-endpoint.ts';
import { isJsonMediaType } from '../platform/http/media-type.ts';
import { normalizeOrigin } from '../tokens/allowed-origin.ts';
import { bearerToken, isTokenShaped, tokenHash } from '../tokens/token.ts';
import {
  type CheckedBatch,
  type CheckedEvent,
  type IntakeAnswer,
  type IntakeProblem,
  UNAVAILABLE,
} from './intake-request.ts';
import type { IntakeShare, IntakeShares } from './intake-shares.ts';
import type { IntakeWindow } from './intake-window.ts';

/** What intake needs of a request. */
export interface EventsRequest {
  headers: IncomingHttpHeaders;
  contentType: string | undefined;
  /** Asks `takeBytes` for room for what it keeps. */
  readBody: (takeBytes: (sizeBytes: number) => boolean) => Promise<RawBody>;
  /** Asks the server for room for what the body becomes; given back behind the answer. */
  takeBytes: (sizeBytes: number) => boolean;
}

export interface Intake {
  window: IntakeWindow;
  shares: IntakeShares;
}

const INVALID_TOKEN: IntakeAnswer = { problem: 'invalid_project_token', retryAfterSeconds: null };
/** Of beacons, until their bodies have told whose they are. */
const UNKNOWN_SENDER = '';

/**
 * `POST /v1/events` from headers to answer, in the order of ingestion.md 3.1. A request that fails a later step joins
 * the window all the same, so that a wrong token is answered first.
 */
export async function acceptEvents(request: EventsRequest, intake: Intake): Promise<IntakeAnswer> {
  const { headers } = request;
  const origin = headers.origin === undefined ? null : normalizeOrigin(headers.origin);
  if (headers.authorization === undefined) return await acceptBeacon(request, origin, intake);
  const token = bearerToken(headers.authorization);
  if (token === null || !isTokenShaped('project', token)) return INVALID_TOKEN;
  const hash = tokenHash(token);
  return await withShare(intake, senderOf(hash), async (share) => {
    const content = isJsonMediaType(request.contentType)
      ? await readContent(request, share)
      : { problem: 'invalid_content_type' as const };
    return await intake.window.join({ tokenHash: hash, origin, isBeacon: false, content });
  });
}

/** A page-hide beacon cannot set headers; its token stands in every event (ingestion.md 3.3). */
async function acceptBeacon(
  request: EventsRequest,
  origin: string | null,
  intake: Intake,
): Promise<IntakeAnswer> {
  if (origin === null) return INVALID_TOKEN;
  const content = await withShare(intake, UNKNOWN_SENDER, (share) => readContent(request, share));
  if ('problem' in content) return content.problem === 'service_unavailable' ? UNAVAILABLE : INVALID_TOKEN;
  // A batch without a token in it needs no sanitizing for one.
  const token = commonBodyToken(content.eventsToSanitize ?? []);
  if (token === null || !isTokenShaped('project', token)) return INVALID_TOKEN;
  const hash = tokenHash(token);
  return await withShare(intake, senderOf(hash), async (share) => {
    if (!share.takeBytes(content.body.length)) return UNAVAILABLE;
    return await intake.window.join({
      tokenHash: hash,
      origin,
      isBeacon: true,
      content: isJsonMediaType(request.contentType) ? content : { problem: 'invalid_content_type' },
    });
  });
}

function senderOf(hash: Buffer): string {
  return hash.toString('latin1');
}

/** Holds the sender's place for the length of the work; without room there is none (reliability rule A6). */
async function withShare<Result>(
  { shares }: Intake,
  sender: string,
  work: (share: IntakeShare) => Promise<Result>,
): Promise<Result | typeof UNAVAILABLE> {
  const share = shares.enter(sender);
  if (share === null) return UNAVAILABLE;
  try {
    return await work(share);
  } finally {
    share.leave();
  }
}

function commonBodyToken(events: readonly unknown[]): string | null {
  let token: string | null = null;
  for (const event of events) {
    if (!isJsonObject(event) || !Object.hasOwn(event, 'project_token')) return null;
    const own = event.project_token;
    if (typeof own !== 'string' || (token !== null && token !== own)) return null;
    token = own;
  }
  return token;
}

async function readContent(
  request: EventsRequest,
  share: IntakeShare,
): Promise<CheckedBatch | { problem: IntakeProblem }> {
  const body = await request.readBody(share.takeBytes);
  if (!body.ok) return { problem: body.problem };
  return checkBatch(body.bytes, (sizeBytes) => share.takeBytes(sizeBytes) && request.takeBytes(sizeBytes));
}

/** Parses a body and judges each event for shape (steps 5 and 6). */
export function checkBatch(
  body: Buffer,
  reserveBytes: (sizeBytes: number) => boolean,
): CheckedBatch | { problem: IntakeProblem } {
  const parsed = parseBatch(body, reserveBytes);
  if (!parsed.ok) return { problem: parsed.isCrowded ? 'service_unavailable' : 'invalid_payload' };
  let shapeValidCount = 0;
  const checks: CheckedEvent[] = [];
  let lastReason = '';
  for (const event of parsed.events) {
    const check = checkEvent(event);
    if (check.ok) {
      shapeValidCount += 1;
      checks.push(check.facts);
    } else {
      // One text for all equal neighbours: faults mostly repeat, and each reason is a new text.
      if (check.reason !== lastReason) lastReason = check.reason;
      checks.push(lastReason);
    }
  }
  return {
    body,
    eventRanges: parsed.eventRanges,
    checks,
    shapeValidCount,
    eventsToSanitize: mayNeedSanitizing(body) ? parsed.events : null,
  };
}
