import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { startJobLoop } from '../platform/jobs/job-loop.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { CLEANUP_LADDER_MS } from '../projects/projects.jobs.ts';
import { cleanupLane } from '../projects/purge-project.ts';

/** Its work becomes due silently and is never urgent. */
const POLL_INTERVAL_MS = 5000;
const POLL_INTERVAL_MIN_MS = 20;

/**
 * What a worker process removes in its main thread. A loop of its own: emptying the storage of a large project takes
 * long, and no message waits for it.
 */
export function startCleanup(options: {
  database: Database;
  objects: ObjectStore;
  retryScale: number;
  log: Logger;
}): { stop(): Promise<void> } {
  const { database, objects, retryScale, log } = options;
  const stopping = new AbortController();
  const loop = startJobLoop({
    database,
    lanes: [
      cleanupLane({
        database,
        objects,
        log,
        ladder: CLEANUP_LADDER_MS.map((waitMs) => waitMs * retryScale),
        pollIntervalMs: Math.max(POLL_INTERVAL_MIN_MS, POLL_INTERVAL_MS * retryScale),
        stopping: stopping.signal,
      }),
    ],
    log,
  });
  return {
    async stop() {
      stopping.abort();
      await loop.stop();
    },
  };
}
