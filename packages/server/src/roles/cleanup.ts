import type { Logger } from 'pino';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database } from '../platform/db/database.ts';
import { startJobLoop } from '../platform/jobs/job-loop.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { CLEANUP_LADDER_MS } from '../projects/projects.jobs.ts';
import { cleanupLane } from '../projects/purge-project.ts';
import { retentionLane } from '../retention/clean-project.ts';
import { RETENTION_LADDER_MS } from '../retention/retention.jobs.ts';
import { queueDueProjects } from '../retention/retention.queries.ts';
import { runChores } from '../retention/run-chores.ts';

/** Its work becomes due silently and is never urgent. */
const POLL_INTERVAL_MS = 5000;
const POLL_INTERVAL_MIN_MS = 20;
/** How often it is looked whether old data is to be removed. */
const LOOK_INTERVAL_MS = 60_000;
const LOOK_INTERVAL_MIN_MS = 200;

/**
 * What a worker process removes in its main thread. Loops of their own: emptying the storage of a large project takes
 * long, and neither a message nor the old data of others waits for it.
 */
export function startCleanup(options: {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  retryScale: number;
  log: Logger;
}): { stop(): Promise<void> } {
  const { database, objects, plans, retryScale, log } = options;
  const stopping = new AbortController();
  const shared = {
    database,
    objects,
    log,
    pollIntervalMs: Math.max(POLL_INTERVAL_MIN_MS, POLL_INTERVAL_MS * retryScale),
    stopping: stopping.signal,
  };
  const scaled = (ladder: readonly number[]) => ladder.map((waitMs) => waitMs * retryScale);
  const purging = startJobLoop({
    database,
    lanes: [cleanupLane({ ...shared, ladder: scaled(CLEANUP_LADDER_MS) })],
    log,
  });
  const aging = startJobLoop({
    database,
    lanes: [retentionLane({ ...shared, plans, ladder: scaled(RETENTION_LADDER_MS) })],
    log,
  });
  let look: Promise<void> | null = null;

  async function lookForOldData(): Promise<void> {
    try {
      if ((await queueDueProjects(database)) > 0) aging.wake();
      await runChores({ database, plans, log, stopping: stopping.signal });
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'old data not removed');
    }
  }

  const looking = setInterval(
    () => {
      look ??= lookForOldData().finally(() => {
        look = null;
      });
    },
    Math.max(LOOK_INTERVAL_MIN_MS, LOOK_INTERVAL_MS * retryScale),
  );
  looking.unref();
  return {
    async stop() {
      stopping.abort();
      clearInterval(looking);
      await Promise.all([purging.stop(), aging.stop(), look]);
    },
  };
}
