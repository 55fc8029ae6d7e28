import type { ExactFingerprints } from '../capture/exact-fingerprints.ts';
import type { Admission } from './ingest.queries.ts';
import { type CheckedBatch, type IntakeAnswer, type IntakeRequest, UNAVAILABLE } from './intake-request.ts';

/** A request as it enters a window. */
export interface WindowRequest extends IntakeRequest {
  /** Fingerprints by index of the event; null where none were computed, because no rule asked for them yet. */
  fingerprints: readonly (string | null)[] | null;
  /** Of the window before, whose rate budget counts for this request; null for one that is new. */
  earlier: Admission | null;
}

/** The project has rules that compare fingerprints, and the request came without. Its rate budget is taken. */
export interface FingerprintsNeeded {
  needsFingerprints: Admission;
}

/** A request that joins once more has the rate budget it took before. */
export function withBudgetOf(earlier: Admission | null, admission: Admission): Admission {
  if (earlier === null || admission.verdict !== 'admitted') return admission;
  const { eventsTaken, retryAfterSeconds, receivedAtMs } = earlier;
  return { ...admission, eventsTaken, retryAfterSeconds, receivedAtMs };
}

/** Tokens whose projects compared fingerprints when they were last heard of. */
export type FingerprintDemand = Set<string>;

/** Beyond this the demand is learned anew. */
const DEMAND_MAX = 10_000;

export function senderOf(request: Pick<IntakeRequest, 'tokenHash'>): string {
  return request.tokenHash.toString('latin1');
}

/**
 * Joins a window with the fingerprints of the request's events where its project has rules that compare them. They are
 * computed before the request joins, outside the event loop; a request that learns of such a rule only in its
 * admission joins once more. Where they cannot be had in time the answer is 503, because the events would otherwise be
 * decided as if the rule was not there.
 * @param enter puts a request into the next window; of several answers the first counts
 */
export function createFingerprintJoin(options: {
  enter: (request: WindowRequest, answer: (answer: IntakeAnswer | FingerprintsNeeded) => void) => void;
  giveBack: (admissions: Admission[]) => void;
  exact: ExactFingerprints;
  demand: FingerprintDemand;
}): (request: IntakeRequest) => Promise<IntakeAnswer> {
  const { enter, giveBack, exact, demand } = options;

  async function fingerprintsOf(request: IntakeRequest): Promise<WindowRequest['fingerprints']> {
    if ('problem' in request.content) return null;
    const { body, eventRanges, checks } = request.content;
    const indexes = fingerprintable(checks);
    const ranges = indexes.flatMap((index) => [eventRanges[index * 2] ?? 0, eventRanges[index * 2 + 1] ?? 0]);
    const computed = await exact.compute(senderOf(request), body, ranges);
    if (computed === null) return null;
    const fingerprints: (string | null)[] = new Array(checks.length).fill(null);
    indexes.forEach((index, place) => {
      fingerprints[index] = computed[place] ?? null;
    });
    return fingerprints;
  }

  function joinPlainly(request: IntakeRequest): Promise<IntakeAnswer> {
    return new Promise((resolve) => {
      enter({ ...request, fingerprints: null, earlier: null }, (answer) => {
        resolve('needsFingerprints' in answer ? joinOnceMore(request, answer.needsFingerprints) : answer);
      });
    });
  }

  async function joinOnceMore(request: IntakeRequest, earlier: Admission): Promise<IntakeAnswer> {
    if (demand.size >= DEMAND_MAX) demand.clear();
    demand.add(senderOf(request));
    const fingerprints = await fingerprintsOf(request);
    if (fingerprints !== null) return await joinWith(request, fingerprints, earlier);
    giveBack([earlier]);
    return UNAVAILABLE;
  }

  /** @param fingerprints null where they could not be had: the request may be fine all the same, the rule gone by now */
  function joinWith(
    request: IntakeRequest,
    fingerprints: WindowRequest['fingerprints'],
    earlier: Admission | null,
  ): Promise<IntakeAnswer> {
    return new Promise((resolve) => {
      enter({ ...request, fingerprints, earlier }, (answer) => {
        if (!('needsFingerprints' in answer)) return resolve(answer);
        giveBack([answer.needsFingerprints]);
        resolve(UNAVAILABLE);
      });
    });
  }

  return (request) =>
    demand.size > 0 && demand.has(senderOf(request))
      ? fingerprintsOf(request).then((fingerprints) => joinWith(request, fingerprints, null))
      : joinPlainly(request);
}

/** Indexes of the shape-valid events of the types that have fingerprints (incidents.md 5.4.2). */
function fingerprintable(checks: CheckedBatch['checks']): number[] {
  const indexes: number[] = [];
  checks.forEach((check, index) => {
    if (typeof check !== 'string' && FINGERPRINTED.has(check.eventType)) indexes.push(index);
  });
  return indexes;
}

const FINGERPRINTED: ReadonlySet<string> = new Set([
  'backend_exception',
  'frontend_exception',
  'request_event',
  'log_event',
]);
