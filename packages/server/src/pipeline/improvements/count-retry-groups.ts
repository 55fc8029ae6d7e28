import type { Transaction } from '../../platform/db/database.ts';
import { bucketOf } from './collect-observations.ts';
import { isFresh, type LockedKey } from './counted-key.ts';
import { findAttempts, storeAttempts } from './counters.queries.ts';
import { DETECTORS, GROUP_ATTEMPTS, GROUP_SPAN_MS } from './detectors.ts';
import { addAttempts, newGroups } from './retry-groups.ts';

/** Correlation ids of one project that are followed. */
const CORRELATIONS_MAX = 5000;
/** Partial groups wait as long for attempts that come late. */
const ATTEMPTS_PATIENCE_MS = 600_000;

/** Puts attempts together with those of batches before, and notes the groups that come about by them. */
export async function countRetryGroups(
  transaction: Transaction,
  projectId: string,
  lockedKeys: readonly LockedKey[],
): Promise<void> {
  const fresh = lockedKeys.flatMap(({ key, held }) =>
    key.attempts.filter((each) => isFresh(each, held)).map((each) => ({ key, held, each })),
  );
  const wanted = fresh.map(({ held, each }) => ({
    improvementId: held.improvementId,
    correlation: each.correlation,
  }));
  const known = new Map(
    (await findAttempts(transaction, wanted)).map((each) => [
      `${each.improvementId} ${each.correlation}`,
      each,
    ]),
  );
  const stored = new Map<string, Parameters<typeof storeAttempts>[2][number]>();
  for (const { key, held, each } of fresh) {
    const { improvementId } = held;
    const mapKey = `${improvementId} ${each.correlation}`;
    const before = stored.get(mapKey) ?? known.get(mapKey) ?? { atMs: [], largest: 0 };
    const after = addAttempts(before, each.atMs);
    const groups = newGroups(before.largest, after.largest);
    const { windowMs } = DETECTORS.retry_loop;
    const patienceMs =
      after.largest >= GROUP_ATTEMPTS.verbose ? windowMs : GROUP_SPAN_MS + ATTEMPTS_PATIENCE_MS;
    const expiresAtMs = each.lastReceivedAtMs + patienceMs;
    stored.set(mapKey, { improvementId, correlation: each.correlation, ...after, expiresAtMs });
    if (groups.verbose + groups.balanced + groups.high_confidence === 0) continue;
    const atMs = after.atMs.at(-1) ?? each.lastReceivedAtMs;
    key.tallies.push({
      bucketAtMs: bucketOf('retry_loop', atMs),
      matches: groups,
      severe: { high_confidence: 0, balanced: 0, verbose: 0 },
      total: 0,
      firstAtMs: atMs,
      lastAtMs: atMs,
      firstReceivedAtMs: each.firstReceivedAtMs,
      lastReceivedAtMs: each.lastReceivedAtMs,
      places: [each.latest],
    });
  }
  await storeAttempts(transaction, projectId, [...stored.values()], CORRELATIONS_MAX);
}
