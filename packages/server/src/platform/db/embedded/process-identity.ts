import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { MACHINE } from '../../machine.ts';

/**
 * A process that cannot be mistaken for a later one with the same number: Linux hands numbers out again, and
 * after a restart of the machine the same start tick may come back, too.
 */
export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot on Linux, a date elsewhere; only ever compared for equality. */
  startedAt: string;
  bootId: string;
  /** Processes of another container have numbers that mean nothing here. */
  pidNamespace: string;
}

/** The identity of a live process, or null when none has this number (a zombie counts as none). */
export function identifyProcess(pid: number): ProcessIdentity | null {
  const startedAt = MACHINE.processList === 'proc' ? startTickOf(pid) : startDateOf(pid);
  if (startedAt === null) {
    return null;
  }
  return { pid, startedAt, bootId: bootId(), pidNamespace: pidNamespace() };
}

/** Returns true if the number belongs to a live process of any user. */
export function isProcessAlive(pid: number): boolean {
  return identifyProcess(pid) !== null;
}

/** Returns an id of this machine since its last start, or an empty string if the system has none. */
export function bootId(): string {
  return readText('/proc/sys/kernel/random/boot_id').trim();
}

/** Returns an id of the set of processes that this process can see, or an empty string if the system has none. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function startTickOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTick = fields[19];
  if (startTick === undefined || state === 'Z' || state === 'X') {
    return null;
  }
  return startTick;
}

function startDateOf(pid: number): string | null {
  try {
    const date = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
    return date === '' ? null : date;
  } catch {
    return null;
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
