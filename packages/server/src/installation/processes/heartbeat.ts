import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { errorFields } from '../../platform/error-fields.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Metric } from '../../platform/metrics/metrics.ts';
import { failuresOf } from '../../platform/objects/measured-object-store.ts';
import { deleteProcess, writeProcess } from './processes.queries.ts';

const HOUR_MS = 3_600_000;

/**
 * Writes every so often that this process is there, and takes its row away when it stops. A beat that fails is made up
 * for by the next one.
 * @param options.metrics of the process with all its threads
 */
export function startHeartbeat(options: {
  database: Database;
  role: 'api' | 'worker';
  version: string;
  intervalMs: number;
  metrics: () => Promise<readonly Metric[]>;
  log: Logger;
}): { stop(): Promise<void> } {
  const { database, log } = options;
  const processId = newUuid();
  const countFailures = failuresOfHour();
  let beating: Promise<void> = Promise.resolve();
  let isBeating = false;
  let isWritten = false;

  async function beat(): Promise<void> {
    const failures = failuresOf(await options.metrics());
    await writeProcess(database, {
      processId,
      role: options.role,
      pid: process.pid,
      host: hostname(),
      version: options.version,
      startedAtMs: performance.timeOrigin,
      rssBytes: process.memoryUsage.rss(),
      objectFailures: countFailures(performance.now(), failures),
    });
  }

  function next(): void {
    if (isBeating) return;
    isBeating = true;
    beating = beat()
      .then(() => {
        isWritten = true;
      })
      .catch((error: Error) => {
        isWritten = false;
        log.debug(errorFields(error), 'heartbeat could not be written');
      })
      .finally(() => {
        isBeating = false;
      });
  }

  next();
  const timer = setInterval(next, options.intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await beating;
      // One that stays is left out of every list after two minutes, so a stop in an outage need not wait for it.
      if (isWritten) await deleteProcess(database, processId).catch(() => {});
    },
  };
}

/** Returns a function that reports how much a number that only grows has grown within the last hour. */
function failuresOfHour(): (nowMs: number, total: number) => number {
  const seen: { atMs: number; total: number }[] = [{ atMs: Number.NEGATIVE_INFINITY, total: 0 }];
  return (nowMs, total) => {
    seen.push({ atMs: nowMs, total });
    // The last one from before the hour is what the hour began with.
    while (seen[1] !== undefined && seen[1].atMs <= nowMs - HOUR_MS) seen.shift();
    return Math.max(0, total - (seen[0]?.total ?? 0));
  };
}
