import { acceptForeign } from '../accept-foreign.ts';
import { type ForeignAnswer, refusalAnswer } from '../foreign-answer.ts';
import { sentryCredential } from '../foreign-credential.ts';
import {
  type BodyBounds,
  type BodyReader,
  type ForeignIntake,
  type ForeignRequest,
  type ForeignResult,
  isRefusal,
} from '../foreign-intake.ts';
import type { ForeignRefusal } from '../foreign-refusal.ts';
import { KindCounts } from '../kind-counts.ts';
import type { Envelope } from './envelope-reader.ts';
import { rateLimits } from './rate-limits.ts';
import { openEnvelope, readEnvelope, type SentryContent } from './read-envelope.ts';
import { openStoreBody } from './read-store.ts';

const MEBIBYTE = 1024 * 1024;
/** A bomb is found while it grows; JSON of stack traces compresses 5 to 20 times. */
const RATIO_MAX = 50;

const BOUNDS: BodyBounds = {
  wireBytesMax: 20 * MEBIBYTE,
  bytesMax: (wireBytes) => Math.max(MEBIBYTE, Math.min(64 * MEBIBYTE, RATIO_MAX * wireBytes)),
};

const OPEN: Record<
  SentryForm,
  (isKeyKnown: boolean) => BodyReader & { end: () => Envelope | ForeignRefusal }
> = {
  envelope: openEnvelope,
  store: openStoreBody,
};

/** The forms of what Sentry's libraries send. */
export type SentryForm = 'envelope' | 'store';

/** `POST /api/<number>/envelope/` and `/store/` (docs/contract/foreign-protocols.md 3). */
export async function acceptSentry(
  request: ForeignRequest,
  intake: ForeignIntake,
  { form, number }: { form: SentryForm; number: string },
): Promise<ForeignAnswer> {
  const credential = sentryCredential(request.headers, request.queryText);
  if (isRefusal(credential)) return refusalAnswer(credential);
  const { key, clientName } = credential;
  const client = { name: clientName, userAgent: request.headers['user-agent'] ?? null };
  const counts = new KindCounts();
  const result = await acceptForeign(request, intake, {
    key,
    takesProjectTokens: false,
    number,
    bounds: BOUNDS,
    openReader: OPEN[form],
    read: (reader, known) => readEnvelope(reader.end(), known, client, counts),
  });
  let isOutOfHeartbeats = false;
  if (result.refusal === undefined) {
    const { projectId } = result.key;
    for (const checkIn of result.content.checkIns) {
      const recorded = await intake.recordCheckIn(projectId, checkIn);
      counts.add('check_in', recorded.outcome);
      isOutOfHeartbeats ||= recorded.isOutOfHeartbeats;
    }
  }
  const answer = result.refusal === undefined ? accepted(result) : refusalAnswer(result.refusal);
  if (result.key !== null) {
    if (result.refusal === undefined || COUNTED.has(result.refusal.code)) {
      if (result.refusal !== undefined) counts.refuseTaken();
      intake.kinds.add(result.key.projectId, 'sentry', counts);
    }
    const retryAfterSeconds = result.refusal?.retryAfterSeconds ?? null;
    answer.headers['x-sentry-rate-limits'] = rateLimits(
      intake.policyOf(result.key),
      retryAfterSeconds,
      isOutOfHeartbeats,
    );
  }
  return answer;
}

/** Refusals of what the sender will not send again, as opposed to what failed here. */
const COUNTED: ReadonlySet<string> = new Set(['rate_limited', 'payload_too_large']);

function accepted(result: Extract<ForeignResult<SentryContent>, { refusal?: undefined }>): ForeignAnswer {
  const { content, refused, batch } = result;
  const rejected = new Map<string, { item: number; type: string; reason: string }>();
  const reject = (item: number, type: string, reason: string) => {
    rejected.set(`${item} ${reason}`, { item, type: type.slice(0, TYPE_LENGTH_MAX), reason });
  };
  for (const { index, type, reason } of content.refused) reject(index, type, reason);
  for (const { index, count, reason } of refused) {
    for (const { item, type } of batch.places.slice(index, index + count)) reject(item, type, reason);
  }
  const body = {
    ...(content.eventId === null ? {} : { id: content.eventId }),
    ...(rejected.size === 0 ? {} : { rejected: [...rejected.values()] }),
  };
  return { status: 200, headers: {}, body };
}

/** A sender writes any word there. */
const TYPE_LENGTH_MAX = 50;
