import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { BUILD_BUNDLE } from '../queue/bundles.jobs.ts';
import { REFRESH_INTERVAL, requestBundles } from '../queue/request-bundles.ts';
import { BUNDLE_COLUMNS, type BundleRecord } from './bundles.queries.ts';

/** The time that a reader waits for a newer document. */
const WAIT_MAX_MS = 2000;
/** Documents that readers of one process wait for at a time; readers of further ones get the stored document. */
const WAITS_MAX = 32;
/** The pauses between two looks grow from the first to the last. */
const PAUSE_MS = { first: 4, last: 64 };

/** The builds that readers of this process wait for, by incident: readers of one document share a wait. */
const waits = new Map<string, Promise<void>>();

/**
 * The bundle row of an incident for a reader; null before anything was asked for. A document that is behind its incident
 * is built first, if the interval after its last build has passed (docs/contract/incidents.md 3.9). If that fails or takes
 * too long, the stored document is the current one, and its job stays queued.
 */
export async function findCurrentBundle(
  database: Database,
  incidentId: string,
): Promise<BundleRecord | null> {
  const found = await find(database, incidentId);
  if (found === null || !found.isBehind) return found?.bundle ?? null;
  const wait = waits.get(incidentId) ?? (found.isStuck ? undefined : refresh(database, incidentId, found));
  // The stored document is the answer if nothing can be queued, as on a full disk.
  await wait?.catch(() => undefined);
  return (await find(database, incidentId))?.bundle ?? null;
}

interface Found {
  bundle: BundleRecord;
  isActive: boolean;
  generatedAtMs: number | null;
  /** It shows less than its incident counts, and its next generation may be built. */
  isBehind: boolean;
  /** Its job failed, or no worker took it in the time that readers wait. */
  isStuck: boolean;
}

async function refresh(
  database: Database,
  incidentId: string,
  { bundle, isActive, generatedAtMs }: Found,
): Promise<void> {
  const isWaitedFor = waits.size < WAITS_MAX;
  const work = (async () => {
    await database.transaction(async (transaction) =>
      requestBundles(transaction, bundle.projectId, [
        { incidentId, trigger: 'read' },
        { incidentId, trigger: isActive ? 'signal' : 'backlog' },
      ]),
    );
    if (isWaitedFor) await untilGenerated(database, incidentId, generatedAtMs);
  })();
  if (!isWaitedFor) return await work;
  waits.set(incidentId, work);
  try {
    await work;
  } finally {
    waits.delete(incidentId);
  }
}

async function untilGenerated(
  database: Database,
  incidentId: string,
  beforeMs: number | null,
): Promise<void> {
  const endMs = performance.now() + WAIT_MAX_MS;
  let pauseMs = PAUSE_MS.first;
  while (performance.now() < endMs) {
    await delay(pauseMs);
    const found = await find(database, incidentId);
    if (found === null || found.isStuck || found.generatedAtMs !== beforeMs) return;
    pauseMs = Math.min(2 * pauseMs, PAUSE_MS.last);
  }
}

async function find(database: Queryable, incidentId: string): Promise<Found | null> {
  const [row] = await database.query<BundleRecord & Omit<Found, 'bundle'>>(FIND, [incidentId]);
  if (row === undefined) return null;
  const { isActive, generatedAtMs, isBehind, isStuck, ...bundle } = row;
  return { bundle, isActive, generatedAtMs, isBehind, isStuck };
}

const FIND = sql('bundle-current')`
    select ${BUNDLE_COLUMNS}, b.generated_at as "generatedAtMs", i.status <> 'resolved' as "isActive",
      b.object_key is not null and b.occurrence_count <> i.occurrence_count
        and b.generated_at + ${REFRESH_INTERVAL} <= culprit_now() as "isBehind",
      exists (select from jobs j where j.kind = '${BUILD_BUNDLE}' and j.key = b.incident_id::text
        and (j.failures > 0 or j.run_at < culprit_now() - interval '${WAIT_MAX_MS} ms')) as "isStuck"
    from bundles b join incidents i on i.incident_id = b.incident_id where b.incident_id = $1`;
