import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { isJsonMediaType } from '../../platform/http/binding/media-type.ts';
import type { ByteClaim, RawBody } from '../../platform/http/binding/request-body.ts';
import { addressShare, type Budget, type Claim, createBudget } from '../../platform/http/limits/budget.ts';
import { isPublishedLibrary, readsWildcards } from '../../probes/published-library.ts';
import { normalizeOrigin } from '../../workspace/tokens/allowed-origin.ts';
import { bearerToken, isTokenShaped, tokenHash } from '../../workspace/tokens/token.ts';
import type { BodyOptions, BodyScheduler, ScheduledBody } from './body-scheduler.ts';
import { checkBatch } from './check-batch.ts';
import {
  type CheckedBatch,
  type IntakeAnswer,
  type IntakeRequest,
  type RefusedContent,
  UNAVAILABLE,
} from './intake-request.ts';
import type { IntakeWindow } from './intake-window.ts';
import type { KnownTokens } from './known-tokens.ts';

/** The parts of a request that the event intake needs. */
interface EventsRequest {
  headers: IncomingHttpHeaders;
  contentType: string | undefined;
  /** The client's address, or its network. */
  clientKey: string;
  openClaim: (sender: string) => Claim;
  /** The claim grants what it keeps. */
  readBody: (claim: ByteClaim) => Promise<RawBody>;
  /** Returns true if the client has closed its connection. */
  isGone: () => boolean;
}

export interface Intake {
  window: IntakeWindow;
  tokens: KnownTokens;
  bodies: BodyScheduler;
  /** The budget of bodies of beacons until they have named their token, by client. */
  beacons: Budget;
}

/** Bodies of strangers get a part of the process only, whatever else it does. */
export function createBeaconBudget(): Budget {
  return createBudget({ requestsMax: 64, bytesMax: 8 * 1024 * 1024 }, addressShare);
}

const INVALID_TOKEN: IntakeAnswer = { problem: 'invalid_project_token', retryAfterSeconds: null };
/** The sender of beacons until their bodies have named their token. */
const UNKNOWN_SENDER = '';

/**
 * Answers `POST /v1/events` from headers to answer, in the order of docs/contract/ingestion.md 3.1. The body is awaited
 * only if the token is known. A request that fails a later step joins the window all the same, so that a token that was
 * revoked since is answered first.
 */
export async function acceptEvents(request: EventsRequest, intake: Intake): Promise<IntakeAnswer> {
  const { headers } = request;
  const origin = headers.origin === undefined ? null : normalizeOrigin(headers.origin);
  if (headers.authorization === undefined) return await acceptBeacon(request, origin, intake);
  const token = bearerToken(headers.authorization);
  if (token === null || !isTokenShaped('project', token)) return INVALID_TOKEN;
  const hash = tokenHash(token);
  const refusal = await refusalOf(hash, request, intake);
  if (refusal !== null) return refusal;
  const sender = senderOf(hash);
  return await withClaim(request, sender, (claim) =>
    withScheduledBody(
      intake.bodies,
      { sender, line: sender, claim, isGone: request.isGone },
      async (scheduled) => {
        const content = isJsonMediaType(request.contentType)
          ? await readContent(request, claim, scheduled)
          : { problem: 'invalid_content_type' as const };
        return await joinWindow(intake, claim, {
          tokenHash: hash,
          origin,
          isBeacon: false,
          isPublishedLibrary: isPublishedLibrary({ headers, query: {} }),
          readsWildcards: readsWildcards({ headers, query: {} }),
          content,
        });
      },
    ),
  );
}

/** A page-hide beacon cannot set headers; its token is in every event (docs/contract/ingestion.md 3.3). */
async function acceptBeacon(
  request: EventsRequest,
  origin: string | null,
  intake: Intake,
): Promise<IntakeAnswer> {
  if (origin === null) return INVALID_TOKEN;
  const content = await readBeacon(request, intake);
  if ('problem' in content) return content.problem === 'service_unavailable' ? UNAVAILABLE : INVALID_TOKEN;
  const token = commonBodyToken(content);
  if (token === null || !isTokenShaped('project', token)) return INVALID_TOKEN;
  const hash = tokenHash(token);
  const refusal = await refusalOf(hash, request, intake);
  if (refusal !== null) return refusal;
  return await withClaim(request, senderOf(hash), async (claim) => {
    if (!claim.takeBytes(content.body.length)) return UNAVAILABLE;
    return await joinWindow(intake, claim, {
      tokenHash: hash,
      origin,
      isBeacon: true,
      isPublishedLibrary: isPublishedLibrary({ headers: request.headers, query: {} }),
      readsWildcards: readsWildcards({ headers: request.headers, query: {} }),
      content: isJsonMediaType(request.contentType) ? content : { problem: 'invalid_content_type' },
    });
  });
}

/** Returns the answer that needs no further wait; null for a known token. */
async function refusalOf(
  hash: Buffer,
  { clientKey }: EventsRequest,
  { tokens }: Intake,
): Promise<IntakeAnswer | null> {
  const found = await tokens.isKnown(hash, clientKey);
  if (found === 'known') return null;
  return found === 'unknown' ? INVALID_TOKEN : UNAVAILABLE;
}

async function joinWindow(
  { window, tokens }: Intake,
  claim: Claim,
  request: IntakeRequest,
): Promise<IntakeAnswer> {
  if (!claim.enter()) return UNAVAILABLE;
  const answer = await window.join(request);
  if ('problem' in answer && answer.problem === 'invalid_project_token') tokens.invalidate(request.tokenHash);
  return answer;
}

function senderOf(hash: Buffer): string {
  return hash.toString('latin1');
}

/** The claim is open for the length of the work, also for a client that has disconnected. */
async function withClaim<Result>(
  { openClaim }: Pick<EventsRequest, 'openClaim'>,
  sender: string,
  work: (claim: Claim) => Promise<Result>,
): Promise<Result> {
  const claim = openClaim(sender);
  try {
    return await work(claim);
  } finally {
    claim.close();
  }
}

async function withScheduledBody<Result>(
  bodies: BodyScheduler,
  options: BodyOptions,
  work: (scheduled: ScheduledBody) => Promise<Result>,
): Promise<Result> {
  const scheduled = bodies.open(options);
  try {
    return await work(scheduled);
  } finally {
    scheduled.close();
  }
}

/** The token that every event carries; those that were not parsed do not speak for or against it. */
function commonBodyToken({ eventsToSanitize, overLimitCount, checks }: CheckedBatch): string | null {
  let token: string | null = null;
  let count = 0;
  for (const event of eventsToSanitize ?? []) {
    if (event === undefined) continue;
    if (!isJsonObject(event) || !Object.hasOwn(event, 'project_token')) return null;
    const own = event.project_token;
    if (typeof own !== 'string' || (token !== null && token !== own)) return null;
    token = own;
    count += 1;
  }
  // An event that was not kept has no token in it.
  return count + overLimitCount === checks.length ? token : null;
}

/**
 * Reads and judges the body. It may take as long as the client likes, so the slot is taken for what is done when it is
 * there.
 */
async function readContent(
  request: EventsRequest,
  claim: Claim,
  scheduled: ScheduledBody,
): Promise<CheckedBatch | RefusedContent> {
  const declared = request.headers['content-length'];
  if (!(await scheduled.begin(declared === undefined ? null : Number(declared)))) return UNAVAILABLE;
  const body = await request.readBody(scheduled);
  if (!claim.enter()) return UNAVAILABLE;
  if (!body.ok) return body;
  return (await scheduled.judge(checkBatch(body.bytes, scheduled.reserveBytes))) ?? UNAVAILABLE;
}

/** The owner is not known yet, so it counts among all beacons, and among those of its client. */
async function readBeacon(
  request: EventsRequest,
  { beacons, bodies }: Intake,
): Promise<CheckedBatch | RefusedContent> {
  const { clientKey } = request;
  return await withClaim(request, UNKNOWN_SENDER, async (ofAll) =>
    withClaim({ openClaim: beacons.open }, clientKey, (ofClient) => {
      const takeBytes = (sizeBytes: number) => ofClient.takeBytes(sizeBytes) && ofAll.takeBytes(sizeBytes);
      const both: Claim = {
        enter: () => ofClient.enter() && ofAll.enter(),
        exit() {},
        takeBytes,
        // Other senders hold the capacity, so waiting does not help.
        waitForBytes: (sizeBytes) => takeBytes(sizeBytes) || Promise.resolve(false),
        close() {},
      };
      const options = {
        sender: UNKNOWN_SENDER,
        line: `beacon ${clientKey}`,
        claim: both,
        isGone: request.isGone,
      };
      return withScheduledBody(bodies, options, (scheduled) => readContent(request, both, scheduled));
    }),
  );
}
