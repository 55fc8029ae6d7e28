import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** A process of the service with what it is there for. */
interface ServiceProcess {
  pid: number;
  part: Part;
}

/** The parts: `npm start` itself, the processes of the service, and PostgreSQL with all its processes. */
export const PARTS = ['launcher', 'supervisor', 'api', 'worker', 'postgresql'] as const;
export type Part = (typeof PARTS)[number];

/**
 * The process, its descendants and theirs, as `/proc` shows them.
 * @param ignored processes of PostgreSQL that serve the benchmark
 */
export function serviceProcesses(pid: number, ignored: ReadonlySet<number> = new Set()): ServiceProcess[] {
  const parents = readParents();
  const found = [pid];
  for (const parent of found) {
    for (const [child, itsParent] of parents) if (itsParent === parent) found.push(child);
  }
  return found.flatMap((each) => {
    const part = partOf(each);
    return part === null || ignored.has(each) ? [] : [{ pid: each, part }];
  });
}

/** Null for one that has just ended. */
function partOf(pid: number): Part | null {
  const args = readText(`/proc/${pid}/cmdline`)?.split('\0').filter(Boolean) ?? [];
  if (args.length === 0) return null;
  const programs = args.map((arg) => basename(arg));
  const role = programs.findIndex((program) => /^role-process\.[jt]s$/.test(program));
  if (role !== -1) return args[role + 1] === 'api' ? 'api' : 'worker';
  if (programs.some((program) => /^main\.[jt]s$/.test(program))) return 'supervisor';
  return args[0]?.startsWith('postgres:') === true || programs[0] === 'postgres' ? 'postgresql' : 'launcher';
}

/** Process numbers with those of their parents. */
function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = statFields(`/proc/${name}/stat`)?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  return parents;
}

/** Returns the fields after the name, which is in parentheses and may itself hold some; the first one is the state. */
export function statFields(path: string): string[] | null {
  const stat = readText(path);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Null when there is no such file, as of a process that has ended. */
export function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
