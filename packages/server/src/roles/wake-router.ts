import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { startRepeating } from '../platform/jobs/repeat.ts';
import { listenForWakeUps } from '../platform/jobs/wake-listener.ts';
import { findDueWork, timeUntilDue } from './due-work.queries.ts';

/** A part of this process that waits for work. */
export interface WakeTarget {
  /** Lanes, row queues and periodic tasks whose work concerns it, with the payload of the notification of each. */
  readonly serves: readonly { readonly name: string; readonly wakeChannel: string | null }[];
  /** @param names of those that may have something to do; any of them when absent */
  wake(names?: readonly string[]): void;
}

const LOOK_INTERVAL_MS = 1000;
const LOOK_INTERVAL_MIN_MS = 20;
/** After this many polls that found nothing, without a notification in between, the service is idle. */
const QUIET_LOOKS = 10;
/**
 * An idle service polls when the next work is due, and at this interval for unplanned work, such as leases of processes
 * that died.
 */
const REST_MAX_MS = 5000;

/**
 * Wakes the targets that have something to do: immediately when a transaction that queued it commits, and within a
 * second when it became due silently, as retries, delays and the leases of processes that died do. One statement a
 * second polls for all targets, and in an idle service one when the next work is due, so that it stays idle.
 */
export function startWakeRouter(options: {
  database: Database;
  databaseUrl: string;
  targets: readonly WakeTarget[];
  /** Below 1, in tests, it multiplies the time between two looks; longer delays between retries need no longer one. */
  retryScale: number;
  log: Logger;
}): { stop(): Promise<void> } {
  const { database, databaseUrl, targets, log } = options;
  const scale = Math.min(1, options.retryScale);
  function wakeThose(isMeant: (served: WakeTarget['serves'][number]) => boolean): void {
    for (const { serves, wake } of targets) {
      const names = serves.filter(isMeant).map(({ name }) => name);
      if (names.length > 0) wake(names);
    }
  }
  let quietLooks = 0;
  let nextLookMs = 0;
  function endRest(): void {
    quietLooks = 0;
    nextLookMs = 0;
  }

  const listener = listenForWakeUps(databaseUrl, (channel) => {
    endRest();
    if (channel === null) for (const { wake } of targets) wake();
    else wakeThose(({ wakeChannel }) => wakeChannel === channel);
  });
  const watch = startRepeating({
    name: 'find-due-work',
    intervalMs: Math.max(LOOK_INTERVAL_MIN_MS, LOOK_INTERVAL_MS * scale),
    async work() {
      if (performance.now() < nextLookMs) return;
      quietLooks += 1;
      const due = await findDueWork(database);
      wakeThose(({ name }) => due.includes(name));
      if (due.length > 0) endRest();
      if (quietLooks < QUIET_LOOKS) return;
      const askedAtMs = performance.now();
      const untilDueMs = (await timeUntilDue(database)) ?? REST_MAX_MS;
      // A notification may have ended the pause since.
      if (quietLooks > 0) nextLookMs = askedAtMs + Math.min(untilDueMs, REST_MAX_MS * scale);
    },
    log,
  });
  return {
    async stop() {
      await Promise.all([listener.close(), watch.stop()]);
    },
  };
}
