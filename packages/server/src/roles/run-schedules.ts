import { errorFields } from '../platform/error-fields.ts';
import { OutageError } from '../platform/outage-error.ts';
import { finishTask, leaseTask } from '../upkeep/retention/maintenance.queries.ts';
import { SCHEDULES, type ScheduleRow } from './schedules.ts';
import type { WakeTarget } from './wake-router.ts';
import type { WorkerRuntime } from './worker-runtime.ts';

/**
 * The time for which a task belongs to the process that leased it: the death of that process delays the task by no
 * more.
 */
const LEASE_SECONDS = 3600;
/** The interval at which a process tries to lease a task with one leader. */
const LEADER_POLL_INTERVAL_MS = 60_000;
/** The longest interval that tests shorten; longer ones are unchanged. */
const SCALED_INTERVAL_MAX_MS = 60_000;
const SCALED_INTERVAL_MIN_MS = 200;
/** A task that fails each time, and an outage, are a warning once in a while. */
const WARNING_INTERVAL_MS = 60_000;
/** After a task that an outage ended, before the next one is tried. */
const OUTAGE_WAIT_MS = 1000;

interface Task {
  readonly row: ScheduleRow;
  dueAtMs: number;
  /** The task with the earliest deadline runs first among the due ones. */
  deadlineMs: number;
  /** The steps of the run under way. */
  steps: AsyncIterator<void> | null;
  warnedAtMs: number;
}

/**
 * Runs every periodic task of the worker until stopped, step by step and one step at a time: so the tasks need one
 * connection, at the start too, and a task that has much to do lets the others run. Of the due tasks, the one with the
 * shortest interval runs first, and one that was woken before them; a task that has waited long enough overtakes both.
 * If one fails, the failure is logged, and it runs again in its time.
 */
export function startSchedules(
  runtime: WorkerRuntime,
  options: {
    /** Multiplies the short intervals; 1 outside tests. */
    retryScale: number;
    schedules?: readonly ScheduleRow[];
  },
): { targets: WakeTarget[]; stop(): Promise<void> } {
  const { log } = runtime;
  const { schedules = SCHEDULES, retryScale } = options;
  const stopping = new AbortController();
  const startedAtMs = performance.now();
  const tasks: readonly Task[] = schedules.map((row) => ({
    row,
    dueAtMs: startedAtMs,
    deadlineMs: startedAtMs + row.intervalMs,
    steps: null,
    warnedAtMs: Number.NEGATIVE_INFINITY,
  }));
  let endPause: () => void = () => {};
  let outageWarnedAtMs = Number.NEGATIVE_INFINITY;

  /** Ends by itself, with `interrupt`, or with the stop; a process may end over it. */
  function pause(waitMs: number, mayInterrupt: boolean): Promise<void> {
    return new Promise((resolve) => {
      function end(): void {
        clearTimeout(timer);
        stopping.signal.removeEventListener('abort', end);
        endPause = () => {};
        resolve();
      }
      const timer = setTimeout(end, waitMs);
      timer.unref();
      stopping.signal.addEventListener('abort', end);
      if (mayInterrupt) endPause = end;
    });
  }

  function wake(task: Task): void {
    if (task.steps !== null || task.dueAtMs <= performance.now()) return;
    task.dueAtMs = performance.now();
    task.deadlineMs = task.dueAtMs;
    endPause();
  }

  function plan(task: Task, waitMs: number): void {
    task.dueAtMs = performance.now() + waitMs;
    task.deadlineMs = task.dueAtMs + task.row.intervalMs;
  }

  async function step(task: Task): Promise<void> {
    try {
      task.steps ??= stepsOf(task.row, runtime);
      const { done } = await task.steps.next();
      if (done !== true) return plan(task, 0);
      task.steps = null;
      plan(task, pollIntervalMs(task.row, retryScale));
    } catch (error) {
      task.steps = null;
      plan(task, pollIntervalMs(task.row, retryScale));
      const isOutage = error instanceof OutageError;
      logFailure(task, error, isOutage);
      if (isOutage) await pause(OUTAGE_WAIT_MS * Math.min(1, retryScale), false);
    }
  }

  function logFailure(task: Task, error: unknown, isOutage: boolean): void {
    const nowMs = performance.now();
    const isRepeated = nowMs - (isOutage ? outageWarnedAtMs : task.warnedAtMs) < WARNING_INTERVAL_MS;
    if (!isRepeated && isOutage) outageWarnedAtMs = nowMs;
    if (!isRepeated && !isOutage) task.warnedAtMs = nowMs;
    log[isRepeated ? 'debug' : 'warn'](
      { task: task.row.name, ...errorFields(error) },
      'periodic task failed',
    );
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      const nowMs = performance.now();
      const due = tasks.filter(({ dueAtMs }) => dueAtMs <= nowMs);
      if (due.length > 0) {
        await step(due.reduce((first, each) => (each.deadlineMs < first.deadlineMs ? each : first)));
      } else {
        const nextMs = Math.min(...tasks.map(({ dueAtMs }) => dueAtMs));
        await pause(nextMs - nowMs, true);
      }
    }
    for (const { steps } of tasks) await steps?.return?.();
  }

  const ended = loop();
  return {
    targets: tasks.flatMap((task) =>
      task.row.due === undefined
        ? []
        : [{ serves: [{ name: task.row.name, wakeChannel: null }], wake: () => wake(task) }],
    ),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

/** Runs a task once, if this process is to run it. */
export async function runSchedule(row: ScheduleRow, runtime: WorkerRuntime): Promise<void> {
  for await (const _step of stepsOf(row, runtime));
}

/**
 * The steps of a task, if this process is to run it. One that is broken off by a stop or a death is due again when its
 * lease ends.
 */
async function* stepsOf(row: ScheduleRow, runtime: WorkerRuntime): AsyncGenerator<void> {
  const { database } = runtime;
  const hasLeader = row.runBy === 'one leader';
  if (hasLeader && !(await leaseTask(database, row.name, LEASE_SECONDS))) return;
  yield* row.steps(runtime);
  if (hasLeader) await finishTask(database, row.name, row.intervalMs / 1000);
}

function pollIntervalMs(row: ScheduleRow, retryScale: number): number {
  const intervalMs =
    row.runBy === 'one leader' ? Math.min(row.intervalMs, LEADER_POLL_INTERVAL_MS) : row.intervalMs;
  if (intervalMs > SCALED_INTERVAL_MAX_MS) return intervalMs;
  return Math.max(SCALED_INTERVAL_MIN_MS, intervalMs * retryScale);
}
