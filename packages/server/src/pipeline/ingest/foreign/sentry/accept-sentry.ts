import type { Envelope } from '@culprit/evidence/foreign/sentry/envelope-reader';
import { errorFields } from '../../../../platform/error-fields.ts';
import { acceptForeign } from '../accept-foreign.ts';
import { type ForeignAnswer, refusalAnswer } from '../foreign-answer.ts';
import { sentryCredential } from '../foreign-credential.ts';
import {
  type BodyBounds,
  type BodyReader,
  type CheckInOutcome,
  type ForeignIntake,
  type ForeignRequest,
  type ForeignResult,
  isRefusal,
} from '../foreign-intake.ts';
import { type ForeignRefusal, UNAVAILABLE_NOW } from '../foreign-refusal.ts';
import { KindCounts } from '../kind-counts.ts';
import { rateLimits } from './rate-limits.ts';
import { openEnvelope, type ReadCheckIn, readEnvelope, type SentryContent } from './read-envelope.ts';
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
type SentryForm = 'envelope' | 'store';

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
  const checkIns: ReadCheckIn[] = [];
  const result = await acceptForeign(request, intake, {
    key,
    takesProjectTokens: false,
    number,
    bounds: BOUNDS,
    openReader: OPEN[form],
    read: (reader, known) =>
      readEnvelope(reader.end(), known, client, counts, { checkIns, desk: intake.reports }),
  });
  const { key: sender, refusal: refused } = result;
  if (result.refusal === undefined)
    intake.reports.stored(result.content.reports, result.content.receivedAtMs);
  else counts.refuseTaken();
  const recorded =
    sender === null || (refused !== undefined && !RECORDED.has(refused.code))
      ? []
      : await recordCheckIns(intake, sender.projectId, checkIns);
  const answer =
    result.refusal !== undefined
      ? refusalAnswer(result.refusal)
      : recorded === null
        ? refusalAnswer(UNAVAILABLE_NOW)
        : accepted(result, recorded);
  if (sender !== null) {
    for (const { outcome } of recorded ?? []) counts.add('check_in', outcome);
    if (refused === undefined || COUNTED.has(refused.code)) {
      intake.kinds.add(sender.projectId, 'sentry', counts);
    }
    answer.headers['x-sentry-rate-limits'] = rateLimits(
      intake.policyOf(sender),
      refused?.retryAfterSeconds ?? null,
    );
  }
  return answer;
}

/** Refusals of the events of an envelope, which say nothing against the check-ins beside them. */
const RECORDED: ReadonlySet<string> = new Set(['rate_limited', 'payload_too_large', 'service_unavailable']);

interface RecordedCheckIn extends CheckInOutcome {
  index: number;
}

/** Null where one of them could not be stored. */
async function recordCheckIns(
  { recordCheckIn, log }: ForeignIntake,
  projectId: string,
  checkIns: readonly ReadCheckIn[],
): Promise<RecordedCheckIn[] | null> {
  const recorded: RecordedCheckIn[] = [];
  try {
    for (const { index, checkIn } of checkIns) {
      recorded.push({ index, ...(await recordCheckIn(projectId, checkIn)) });
    }
    return recorded;
  } catch (error) {
    log.warn(errorFields(error), 'a check-in could not be stored');
    return null;
  }
}

/** Refusals of what the sender will not send again, as opposed to what failed here. */
const COUNTED: ReadonlySet<string> = new Set(['rate_limited', 'payload_too_large']);

function accepted(
  result: Extract<ForeignResult<SentryContent>, { refusal?: undefined }>,
  checkIns: readonly RecordedCheckIn[],
): ForeignAnswer {
  const { content, refused, batch } = result;
  const rejected = new Map<string, { item: number; type: string; reason: string }>();
  const reject = (item: number, type: string, reason: string) => {
    rejected.set(`${item} ${reason}`, { item, type: type.slice(0, TYPE_LENGTH_MAX), reason });
  };
  for (const { index, type, reason } of content.refused) reject(index, type, reason);
  for (const { index, reason } of checkIns) if (reason !== null) reject(index, 'check_in', reason);
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
