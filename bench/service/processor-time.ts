import { readdirSync } from 'node:fs';
import { PARTS, type Part, readText, serviceProcesses, statFields } from './process-tree.ts';

/**
 * Processor time, which a busy machine hardly changes: user and system time of all threads, in microseconds. Linux
 * only, like every figure that is taken from `/proc`.
 */
export interface ProcessorTime {
  total: number;
  parts: Record<Part, number>;
  /** The time of the worker process again, by kind of thread. */
  worker: Record<ThreadKind, number>;
}

/** `collector`: the helper threads of the garbage collector and the compiler. `files`: those for system calls. */
export const THREAD_KINDS = ['main', 'events', 'bundles', 'collector', 'files'] as const;
type ThreadKind = (typeof THREAD_KINDS)[number];

const KIND_OF_NAME: Record<string, ThreadKind> = {
  events: 'events',
  bundles: 'bundles',
  V8Worker: 'collector',
  DelayedTaskSche: 'collector',
  'libuv-worker': 'files',
};
/** The tick of the kernel's clock, which counts the time of ended processes. */
const TICK_US = 10_000;
const ENDED_CHILDREN_FIELDS = [13, 14] as const;

/**
 * Returns the time that the service has used since it started.
 * @param ignored processes of PostgreSQL that serve the benchmark
 */
export function processorTimeOf(pid: number, ignored?: ReadonlySet<number>): ProcessorTime {
  const parts = zeros(PARTS);
  const worker = zeros(THREAD_KINDS);
  for (const process of serviceProcesses(pid, ignored)) {
    for (const thread of threadTimes(process.pid)) {
      parts[process.part] += thread.us;
      if (process.part === 'worker') worker[KIND_OF_NAME[thread.name] ?? 'main'] += thread.us;
    }
    // Connections of PostgreSQL are processes that come and go.
    if (process.part === 'postgresql') parts.postgresql += endedChildrenUs(process.pid);
  }
  return { parts, worker, total: PARTS.reduce((sum, part) => sum + parts[part], 0) };
}

/** Returns the time of one process without its children, such as the floor's. */
export function processorTimeOfOne(pid: number): number {
  return threadTimes(pid).reduce((sum, thread) => sum + thread.us, 0);
}

/** Returns the time between two readings, divided by the number of items in it. */
export function timePer(count: number, before: ProcessorTime, after: ProcessorTime): ProcessorTime {
  return {
    total: (after.total - before.total) / count,
    parts: differences(PARTS, before.parts, after.parts, count),
    worker: differences(THREAD_KINDS, before.worker, after.worker, count),
  };
}

function threadTimes(pid: number): { name: string; us: number }[] {
  return threadsOf(pid).flatMap((thread) => {
    const path = `/proc/${pid}/task/${thread}`;
    const name = readText(`${path}/comm`);
    const nanoseconds = readText(`${path}/schedstat`)?.split(' ')[0];
    return name === null || nanoseconds === undefined
      ? []
      : [{ name: name.trim(), us: Number(nanoseconds) / 1000 }];
  });
}

function threadsOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    // It has just ended.
    return [];
  }
}

function endedChildrenUs(pid: number): number {
  const fields = statFields(`/proc/${pid}/stat`) ?? [];
  return ENDED_CHILDREN_FIELDS.reduce((sum, field) => sum + Number(fields[field] ?? 0) * TICK_US, 0);
}

function zeros<Key extends string>(keys: readonly Key[]): Record<Key, number> {
  return Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
}

function differences<Key extends string>(
  keys: readonly Key[],
  before: Record<Key, number>,
  after: Record<Key, number>,
  count: number,
): Record<Key, number> {
  const result = zeros(keys);
  for (const key of keys) result[key] = (after[key] - before[key]) / count;
  return result;
}
