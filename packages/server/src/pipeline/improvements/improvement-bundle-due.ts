import type { ImprovementState } from './improvement-state.ts';
import type { LockedImprovement } from './locked-improvements.queries.ts';

const REFRESH_INTERVAL_MS = 86_400_000;
/** The time for which further observations do not retry an episode whose document could not be built. */
const RETRY_INTERVAL_MS = 3_600_000;

/**
 * Returns true if an open improvement needs a document: the first of an episode, or a refresh, which is due once a day
 * and whenever the count has doubled (docs/contract/incidents.md 6.3).
 */
export function isBundleWanted(
  { status, episode, occurrenceCount }: Pick<ImprovementState, 'status' | 'episode' | 'occurrenceCount'>,
  bundle: LockedImprovement['bundle'],
  nowMs: number,
): boolean {
  if (status !== 'open') return false;
  const sinceMs = bundle.checkedAtMs === null ? Number.POSITIVE_INFINITY : nowMs - bundle.checkedAtMs;
  if (bundle.episode < episode) return bundle.failureReason === null || sinceMs >= RETRY_INTERVAL_MS;
  return sinceMs >= REFRESH_INTERVAL_MS || occurrenceCount >= 2 * bundle.occurrenceCount;
}
