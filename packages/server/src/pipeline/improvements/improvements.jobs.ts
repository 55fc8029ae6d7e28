import type { ObservedBatch } from './observation.ts';

/** The lane in which observations are counted and judged. */
export const IMPROVEMENTS_LANE = 'improvements';

/** Job kind: the observations of one processing transaction. */
export const TAKE_OBSERVATIONS = 'improvements.take-observations';

/** The lane of the documents. */
export const IMPROVEMENT_BUNDLES_LANE = 'improvement-bundles';

/** Job kind, keyed by improvement: makes or refreshes its document. */
export const BUILD_IMPROVEMENT_BUNDLE = 'improvements.build-bundle';

/** Jobs that share a transaction: enough to share its statements, few enough to hold their payloads. */
export const BATCHES_MAX = 16;

/** The observations a job holds; a row that was not written by this program is an error. */
export function readObservedBatch(payload: Record<string, unknown>): ObservedBatch {
  const { groups, attempts, incidents } = payload;
  if (!Array.isArray(groups) || !Array.isArray(attempts) || !Array.isArray(incidents)) {
    throw new Error('unreadable observations');
  }
  return { groups, attempts, incidents };
}
