import { setTimeout as delay } from 'node:timers/promises';
import { contentEncoding, type ReadBodyResult } from '../../../platform/http/binding/read-body.ts';
import type { Claim } from '../../../platform/http/limits/budget.ts';
import { normalizeOrigin } from '../../../workspace/tokens/allowed-origin.ts';
import type { ScheduledBody } from '../body-scheduler.ts';
import { keyConflict, keyMissing } from './foreign-credential.ts';
import {
  type BodyReader,
  type ForeignIntake,
  type ForeignProtocol,
  type ForeignRequest,
  type ForeignResult,
  isRefusal,
} from './foreign-intake.ts';
import type { KeyFacts } from './foreign-keys.queries.ts';
import { isOriginAllowed, KEY_UNKNOWN, ORIGIN_NOT_ALLOWED } from './foreign-keys.ts';
import { type ForeignRefusal, refusal, UNAVAILABLE_NOW } from './foreign-refusal.ts';
import { createMappedBatch, type MappedBatch } from './mapped-batch.ts';

/** The time that a request waits for its place: no Sentry library sends an event a second time. */
const WAIT_MS = 20_000;
/** The interval at which a waiting request checks for a place. */
const WAIT_STEP_MS = 20;
/** The sender of bodies that have not named their key. */
const UNKNOWN_SENDER = '';

/**
 * One foreign request from its headers to the outcome, in the order of docs/contract/foreign-protocols.md 3.2. The body is
 * read while it comes, and what came as a whole is processed even when its sender has hung up.
 */
export async function acceptForeign<Reader extends BodyReader, Content>(
  request: ForeignRequest,
  intake: ForeignIntake,
  protocol: ForeignProtocol<Reader, Content>,
): Promise<ForeignResult<Content>> {
  const { headers } = request;
  const origin = headers.origin === undefined ? null : normalizeOrigin(headers.origin);
  const judgeKey = (key: string) =>
    intake.keys.judge(key, {
      number: protocol.number,
      // Reports of browsers name their page inside.
      origin: headers.origin === undefined && protocol.originOf !== undefined ? undefined : origin,
      client: request.clientKey,
      takesProjectTokens: protocol.takesProjectTokens,
    });

  const sender = createSender();
  const reader = protocol.openReader(protocol.key !== null);

  /** Judges the key and counts what follows as its sender's. */
  async function enterAs(text: string): Promise<ForeignRefusal | null> {
    const judged = await judgeKey(text);
    if (isRefusal(judged)) return judged;
    sender.key = judged.key;
    sender.keyText = text;
    return judged.refusal;
  }

  /** Judges the key that the body names, once it names one. */
  function judgeOwnKey(): ForeignRefusal | null | Promise<ForeignRefusal | null> {
    const { ownKey } = reader;
    if (ownKey === undefined || sender.isOwnKeyJudged) return null;
    sender.isOwnKeyJudged = true;
    if (sender.keyText !== null) return ownKey === null || ownKey === sender.keyText ? null : keyConflict();
    return ownKey === null ? keyMissing() : enterAs(ownKey);
  }

  if (protocol.key !== null) {
    const refused = await enterAs(protocol.key);
    if (refused !== null) return { key: sender.key, refusal: refused };
  }
  if (contentEncoding(headers['content-encoding']) === null) {
    return { key: sender.key, refusal: refusal('invalid_encoding', UNKNOWN_ENCODING) };
  }
  const claims = openClaims(request, intake, sender);
  const line = sender.key === null ? `beacon ${request.clientKey}` : senderOf(sender.key);
  const scheduled = intake.bodies.open({
    sender: sender.key === null ? UNKNOWN_SENDER : line,
    line,
    // Only what is kept is counted, below; here bodies take turns.
    claim: { takeBytes: () => true, waitForBytes: () => true },
    isGone: () => false,
  });
  try {
    const refused = await readBody({ request, protocol, reader, scheduled, claims, judgeOwnKey });
    const { key } = sender;
    if (refused !== null) return { key, refusal: refused };
    if (key === null) return { key, refusal: keyMissing() };
    if (!(await enterInTime(claims.current(), intake))) return { key, refusal: UNAVAILABLE_NOW };
    const batch = createMappedBatch();
    const receivedAtMs = Date.now() + key.clockAheadMs;
    const content = await scheduled.judge(protocol.read(reader, { key, receivedAtMs, batch }));
    if (content === null) return { key, refusal: UNAVAILABLE_NOW };
    if (isRefusal(content)) return { key, refusal: content };
    const seenOrigin = headers.origin === undefined ? (protocol.originOf?.(content) ?? null) : origin;
    if (!isOriginAllowed(key, seenOrigin)) return { key, refusal: ORIGIN_NOT_ALLOWED };
    if (batch.count === 0) return { key, content, accepted: 0, refused: [], batch };
    if (!intake.hasFreeSpace()) return { key, refusal: UNAVAILABLE_NOW };
    if (!(await claims.count(batch.keptBytes))) return { key, refusal: UNAVAILABLE_NOW };
    const joined = await joinWindow(intake, key, {
      origin: seenOrigin,
      // A request that names its page inside comes from one.
      isFromPage: headers.origin !== undefined || protocol.originOf !== undefined,
      batch,
    });
    return isRefusal(joined) ? { key, refusal: joined } : { key, content, batch, ...joined };
  } finally {
    scheduled.close();
    claims.close();
  }
}

const UNKNOWN_ENCODING =
  'The Content-Encoding of the body is not supported. Use gzip, deflate, br, zstd or none.';

/** The known facts of the sender. */
interface Sender {
  key: KeyFacts | null;
  keyText: string | null;
  isOwnKeyJudged: boolean;
}

function createSender(): Sender {
  return { key: null, keyText: null, isOwnKeyJudged: false };
}

function senderOf(key: KeyFacts): string {
  return key.tokenHash.toString('latin1');
}

/** The use of one request: until its key is known as one of many strangers, then as one of the sender's. */
interface Claims {
  /** Returns the claim of the sender, once it is known. */
  current(): Claim;
  /** Counts bytes in, which may have to wait. */
  count(sizeBytes: number): boolean | Promise<boolean>;
  close(): void;
}

function openClaims(request: ForeignRequest, intake: ForeignIntake, sender: Sender): Claims {
  const strangers = sender.key === null ? [request.openClaim(UNKNOWN_SENDER)] : [];
  if (sender.key === null) strangers.push(intake.beacons.open(request.clientKey));
  let own: Claim | null = null;
  function current(): Claim {
    own ??= request.openClaim(sender.key === null ? UNKNOWN_SENDER : senderOf(sender.key));
    return own;
  }
  return {
    current,
    count(sizeBytes) {
      if (sizeBytes === 0) return true;
      if (sender.key === null) return strangers.every((claim) => claim.takeBytes(sizeBytes));
      return current().waitForBytes(sizeBytes, WAIT_MS);
    },
    close() {
      for (const claim of strangers) claim.close();
      own?.close();
    },
  };
}

async function readBody<Reader extends BodyReader, Content>(reading: {
  request: ForeignRequest;
  protocol: ForeignProtocol<Reader, Content>;
  reader: Reader;
  scheduled: ScheduledBody;
  claims: Claims;
  judgeOwnKey: () => ForeignRefusal | null | Promise<ForeignRefusal | null>;
}): Promise<ForeignRefusal | null> {
  const { request, protocol, reader, scheduled, claims, judgeOwnKey } = reading;
  const declared = request.headers['content-length'];
  if (!(await scheduled.begin(declared === undefined ? null : Number(declared)))) return UNAVAILABLE_NOW;
  let refused: ForeignRefusal | null = null;
  let countedBytes = 0;

  function countKept(): boolean | Promise<boolean> {
    const added = Math.max(0, reader.keptBytes - countedBytes);
    countedBytes += added;
    return claims.count(added);
  }
  function refuse(found: ForeignRefusal): false {
    refused = found;
    return false;
  }
  /** Mostly there is nothing to wait for. */
  function grant(turn: boolean | Promise<boolean>): boolean | Promise<boolean> {
    const fault = judgeOwnKey();
    if (turn === true && fault === null) return countKept();
    return Promise.all([turn, fault]).then(([isTurn, found]) =>
      found !== null ? refuse(found) : isTurn && countKept(),
    );
  }
  const result = await request.readBody(
    { takeBytes: (sizeBytes) => grant(scheduled.takeBytes(sizeBytes)) },
    {
      ...protocol.bounds,
      sink: {
        add(chunk) {
          refused = reader.add(chunk);
          return refused === null ? null : 'invalid_payload';
        },
      },
    },
  );
  if (refused !== null) return refused;
  if (!result.ok) return BODY_REFUSALS[result.problem];
  // A line that the end of the body ended.
  return await judgeOwnKey();
}

const BODY_REFUSALS: Record<Extract<ReadBodyResult, { ok: false }>['problem'], ForeignRefusal> = {
  payload_too_large: refusal('payload_too_large', 'The body is too large, or expands too much when decoded.'),
  invalid_payload: refusal(
    'invalid_payload',
    'The body ends too early, or does not match its Content-Encoding.',
  ),
  request_timeout: refusal('request_timeout', 'The body was not received in time.'),
  service_unavailable: UNAVAILABLE_NOW,
};

/** Takes a slot, for which it waits while others have them all or the process is late. */
async function enterInTime(claim: Claim, { isLate }: ForeignIntake): Promise<boolean> {
  const deadlineMs = performance.now() + WAIT_MS;
  while (isLate() || !claim.enter()) {
    if (performance.now() > deadlineMs) return false;
    await delay(WAIT_STEP_MS);
  }
  return true;
}

async function joinWindow(
  { window, keys }: ForeignIntake,
  key: KeyFacts,
  { origin, isFromPage, batch }: { origin: string | null; isFromPage: boolean; batch: MappedBatch },
) {
  const answer = await window.join({
    tokenHash: key.tokenHash,
    origin,
    isBeacon: false,
    isPublishedLibrary: false,
    readsWildcards: false,
    isFromPage,
    content: batch.content(),
  });
  if (!('problem' in answer)) return { accepted: answer.accepted, refused: answer.refused };
  switch (answer.problem) {
    case 'invalid_project_token':
      keys.invalidate(key);
      return KEY_UNKNOWN;
    case 'origin_not_allowed':
      keys.invalidate(key);
      return ORIGIN_NOT_ALLOWED;
    case 'rate_limited':
      return {
        ...refusal('rate_limited', 'The key has reached its limit for this minute.'),
        retryAfterSeconds: answer.retryAfterSeconds ?? 60,
      };
    default:
      return UNAVAILABLE_NOW;
  }
}
