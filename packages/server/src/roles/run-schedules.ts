import { startRepeating } from '../platform/jobs/repeat.ts';
import { finishTask, leaseTask } from '../upkeep/retention/maintenance.queries.ts';
import { SCHEDULES, type ScheduleRow } from './schedules.ts';
import type { WakeTarget } from './wake-router.ts';
import type { WorkerRuntime } from './worker-runtime.ts';

/** How long a task belongs to the process that leased it: a death over it delays the task by no more. */
const LEASE_SECONDS = 3600;
/** How often a process asks for the lease of a task with one leader. */
const LEADER_POLL_INTERVAL_MS = 60_000;
/** What happens up to this often is what tests wait for; the rest keeps its interval. */
const SCALED_INTERVAL_MAX_MS = 60_000;
const SCALED_INTERVAL_MIN_MS = 200;

/** Runs every periodic task of the worker until stopped. A failure of one is logged, and it runs again in its time. */
export function startSchedules(
  runtime: WorkerRuntime,
  options: {
    /** Multiplies the short intervals; 1 outside tests. */
    retryScale: number;
    schedules?: readonly ScheduleRow[];
  },
): { targets: WakeTarget[]; stop(): Promise<void> } {
  const { schedules = SCHEDULES } = options;
  const repetitions = schedules.map((row) => {
    const repetition = startRepeating({
      name: row.name,
      intervalMs: pollIntervalMs(row, options.retryScale),
      work: (stopping) => runSchedule(row, runtime, stopping),
      log: runtime.log,
    });
    return { row, repetition };
  });
  return {
    targets: repetitions.flatMap(({ row, repetition }) =>
      row.due === undefined
        ? []
        : [{ serves: [{ name: row.name, wakeChannel: null }], wake: () => repetition.wake() }],
    ),
    async stop() {
      await Promise.all(repetitions.map(({ repetition }) => repetition.stop()));
    },
  };
}

/**
 * Runs a task once, if this process is to run it. One that is broken off by a stop or a death is due again when its
 * lease ends.
 */
export async function runSchedule(
  row: ScheduleRow,
  runtime: WorkerRuntime,
  stopping: AbortSignal,
): Promise<void> {
  const { database } = runtime;
  const hasLeader = row.runBy === 'one leader';
  if (hasLeader && !(await leaseTask(database, row.name, LEASE_SECONDS))) return;
  for await (const _step of row.steps(runtime)) {
    if (stopping.aborted) return;
  }
  if (hasLeader) await finishTask(database, row.name, row.intervalMs / 1000);
}

function pollIntervalMs(row: ScheduleRow, retryScale: number): number {
  const intervalMs =
    row.runBy === 'one leader' ? Math.min(row.intervalMs, LEADER_POLL_INTERVAL_MS) : row.intervalMs;
  if (intervalMs > SCALED_INTERVAL_MAX_MS) return intervalMs;
  return Math.max(SCALED_INTERVAL_MIN_MS, intervalMs * retryScale);
}
