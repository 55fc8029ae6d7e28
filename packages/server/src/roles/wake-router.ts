import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import { startRepeating } from '../platform/jobs/repeat.ts';
import { listenForWakeUps } from '../platform/jobs/wake-listener.ts';
import { findDueWork } from './due-work.queries.ts';

/** Somebody in this process who waits for work. */
export interface WakeTarget {
  /** Lanes, row queues and periodic tasks whose work concerns it, with the payload of the notification of each. */
  readonly serves: readonly { readonly name: string; readonly wakeChannel: string | null }[];
  /** @param names of those that may have something to do; any of them when absent */
  wake(names?: readonly string[]): void;
}

const LOOK_INTERVAL_MS = 1000;
const LOOK_INTERVAL_MIN_MS = 20;

/**
 * Wakes whoever has something to do: at once when a transaction that queued it commits, and within a second when it
 * became due silently, as retries, delays and the leases of processes that died do. One statement a second asks for
 * everybody, so that a service at rest stays at rest.
 */
export function startWakeRouter(options: {
  database: Database;
  databaseUrl: string;
  targets: readonly WakeTarget[];
  /** Multiplies the time between two looks; 1 outside tests. */
  retryScale: number;
  log: Logger;
}): { stop(): Promise<void> } {
  const { database, databaseUrl, targets, retryScale, log } = options;
  function wakeThose(isMeant: (served: WakeTarget['serves'][number]) => boolean): void {
    for (const { serves, wake } of targets) {
      const names = serves.filter(isMeant).map(({ name }) => name);
      if (names.length > 0) wake(names);
    }
  }
  const listener = listenForWakeUps(databaseUrl, (channel) => {
    if (channel === null) for (const { wake } of targets) wake();
    else wakeThose(({ wakeChannel }) => wakeChannel === channel);
  });
  const watch = startRepeating({
    name: 'find-due-work',
    intervalMs: Math.max(LOOK_INTERVAL_MIN_MS, LOOK_INTERVAL_MS * retryScale),
    async work() {
      const due = await findDueWork(database);
      wakeThose(({ name }) => due.includes(name));
    },
    log,
  });
  return {
    async stop() {
      await Promise.all([listener.close(), watch.stop()]);
    },
  };
}
