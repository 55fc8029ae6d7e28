import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { ExactFingerprints } from '../../capture/exact-fingerprints.ts';
import type { Admission } from './ingest.queries.ts';
import { type CheckedBatch, type IntakeAnswer, type IntakeRequest, UNAVAILABLE } from './intake-request.ts';

/** The fingerprints by index of the event, and the rules about in-app and library code on which they are based. */
interface ComputedFingerprints {
  values: readonly (string | null)[];
  stackRules: readonly StackRule[];
}

/** A request as it enters a window. */
export interface WindowRequest extends IntakeRequest {
  /** Null where none were computed, because no rule asked for them yet. */
  fingerprints: ComputedFingerprints | null;
  /** The admission of the previous window, whose rate budget counts for this request; null for one that is new. */
  earlier: Admission | null;
}

/**
 * The project has rules that compare fingerprints, and the request came without, or with those of other stack rules.
 * Its rate budget is taken.
 */
export interface FingerprintsNeeded {
  needsFingerprints: Admission;
  stackRules: readonly StackRule[];
}

export function areSameStackRules(a: readonly StackRule[], b: readonly StackRule[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ glob, verdict }, index) => glob === b[index]?.glob && verdict === b[index]?.verdict)
  );
}

/** Returns the admission of a request that joins again, with the rate budget that it took before. */
export function withBudgetOf(earlier: Admission | null, admission: Admission): Admission {
  if (earlier === null || admission.verdict !== 'admitted') return admission;
  const { eventsTaken, retryAfterSeconds, receivedAtMs } = earlier;
  return { ...admission, eventsTaken, retryAfterSeconds, receivedAtMs };
}

/** Tokens whose projects compared fingerprints when they were last heard of, and by which stack rules. */
export type FingerprintDemand = Map<string, readonly StackRule[]>;

/** Beyond this the demand is learned anew. */
const DEMAND_MAX = 10_000;

export function senderOf(request: Pick<IntakeRequest, 'tokenHash'>): string {
  return request.tokenHash.toString('latin1');
}

/**
 * Joins a window with the fingerprints of the request's events if its project has rules that compare them. They are
 * computed before the request joins, outside the event loop; a request that learns of such a rule only in its admission
 * joins again. If they are not available in time, the answer is 503, because the events would otherwise be decided as
 * if the rule did not exist.
 * @param enter puts a request into the next window; of several answers the first counts
 */
export function createFingerprintJoin(options: {
  enter: (request: WindowRequest, answer: (answer: IntakeAnswer | FingerprintsNeeded) => void) => void;
  returnBudget: (admissions: Admission[]) => void;
  exact: Pick<ExactFingerprints, 'compute'>;
  demand: FingerprintDemand;
}): (request: IntakeRequest) => Promise<IntakeAnswer> {
  const { enter, returnBudget, exact, demand } = options;

  async function fingerprintsOf(
    request: IntakeRequest,
    stackRules: readonly StackRule[],
  ): Promise<WindowRequest['fingerprints']> {
    if ('problem' in request.content) return null;
    const { body, eventRanges, checks } = request.content;
    const indexes = fingerprintable(checks);
    const ranges = indexes.flatMap((index) => [eventRanges[index * 2] ?? 0, eventRanges[index * 2 + 1] ?? 0]);
    const computed = await exact.compute(senderOf(request), body, ranges, stackRules);
    if (computed === null) return null;
    const values: (string | null)[] = new Array(checks.length).fill(null);
    indexes.forEach((index, place) => {
      values[index] = computed[place] ?? null;
    });
    return { values, stackRules };
  }

  function joinPlainly(request: IntakeRequest): Promise<IntakeAnswer> {
    return new Promise((resolve) => {
      enter({ ...request, fingerprints: null, earlier: null }, (answer) => {
        resolve('needsFingerprints' in answer ? joinOnceMore(request, answer) : answer);
      });
    });
  }

  async function joinOnceMore(
    request: IntakeRequest,
    { needsFingerprints: earlier, stackRules }: FingerprintsNeeded,
  ): Promise<IntakeAnswer> {
    if (demand.size >= DEMAND_MAX) demand.clear();
    demand.set(senderOf(request), stackRules);
    const fingerprints = await fingerprintsOf(request, stackRules);
    if (fingerprints !== null) return await joinWith(request, fingerprints, earlier);
    returnBudget([earlier]);
    return UNAVAILABLE;
  }

  /**
   * @param fingerprints null where they could not be had: the request may be fine all the same, the rule gone by now
   */
  function joinWith(
    request: IntakeRequest,
    fingerprints: WindowRequest['fingerprints'],
    earlier: Admission | null,
  ): Promise<IntakeAnswer> {
    return new Promise((resolve) => {
      enter({ ...request, fingerprints, earlier }, (answer) => {
        if (!('needsFingerprints' in answer)) return resolve(answer);
        // The stack rules were changed since this process heard of them.
        if (earlier === null && fingerprints !== null) return resolve(joinOnceMore(request, answer));
        returnBudget([answer.needsFingerprints]);
        resolve(UNAVAILABLE);
      });
    });
  }

  return (request) => {
    const stackRules = demand.size > 0 ? demand.get(senderOf(request)) : undefined;
    return stackRules === undefined
      ? joinPlainly(request)
      : fingerprintsOf(request, stackRules).then((fingerprints) => joinWith(request, fingerprints, null));
  };
}

/** Indexes of the shape-valid events of the types that have fingerprints (docs/contract/incidents.md 5.4.2). */
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
