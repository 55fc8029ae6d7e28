import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { PARTS, type Part, serviceProcesses } from './process-tree.ts';

const run = promisify(execFile);

/**
 * Memory of the process and of its descendants that run Node, in megabytes. Pages that they share, most of all the
 * program of Node itself, count once (the kernel's proportional set size); without that, as resident memory of each.
 */
export async function nodeMemoryMb(pid: number): Promise<number> {
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=,rss=,args=']);
  const processes = stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    if (match === null) return [];
    const [, id, parent, kilobytes, command] = match;
    return [{ id: Number(id), parent: Number(parent), kilobytes: Number(kilobytes), command: command ?? '' }];
  });
  const family = new Set([pid]);
  // Parents are before their children in no particular order, so the list is walked until nothing is added.
  for (let before = 0; before !== family.size; ) {
    before = family.size;
    for (const each of processes) if (family.has(each.parent)) family.add(each.id);
  }
  const ours = processes.filter((each) => family.has(each.id) && each.command.startsWith(process.execPath));
  const sizes = ours.map((each) => proportionalKilobytes(each.id) ?? each.kilobytes);
  return sizes.reduce((sum, kilobytes) => sum + kilobytes, 0) / 1024;
}

function proportionalKilobytes(pid: number): number | null {
  try {
    const match = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
    return match === null ? null : Number(match[1]);
  } catch {
    // No such file on this system, or the process has just ended.
    return null;
  }
}

/**
 * Proportional set size of the service with its database and whatever started it, in megabytes.
 * @param ignored processes of PostgreSQL that serve the benchmark
 */
export function memoryMbOf(
  pid: number,
  ignored?: ReadonlySet<number>,
): { total: number; processes: number; parts: Partial<Record<Part, number>> } {
  const parts: Partial<Record<Part, number>> = {};
  const processes = serviceProcesses(pid, ignored);
  for (const each of processes) {
    parts[each.part] = (parts[each.part] ?? 0) + (proportionalKilobytes(each.pid) ?? 0) / 1024;
  }
  const total = PARTS.reduce((sum, part) => sum + (parts[part] ?? 0), 0);
  return { total, processes: processes.length, parts };
}

/** Looks again and again until stopped; gives the largest sum seen. */
export function watchMemory(pid: number): { stop(): Promise<number> } {
  let peakMb = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      peakMb = Math.max(peakMb, await nodeMemoryMb(pid));
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_INTERVAL_MS));
    }
  })();
  return {
    async stop() {
      isStopped = true;
      await watching;
      return peakMb;
    },
  };
}

const SAMPLE_INTERVAL_MS = 500;
