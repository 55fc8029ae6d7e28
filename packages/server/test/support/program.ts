import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identifyProcess, type ProcessIdentity } from '../../src/platform/db/embedded/process-identity.ts';
import { eventually } from './eventually.ts';
import { SERVER } from './server-program.ts';

/** The real program, as `npm start` and `npm run admin` run it. Whoever starts one stops it. */
export interface RunningProgram {
  pid: number;
  /** What it wrote so far. */
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
}

export interface FinishedProgram {
  ending: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
}

export type ProgramSettings = Readonly<Record<`CULPRIT_${string}`, string>>;

const ADMIN = fileURLToPath(new URL('../../src/admin/main.ts', import.meta.url));
const READY = /Culprit is ready at .*, listening on (http:\/\/\S+)\n/;
/** Far more than a start takes: other tests keep the machine busy. */
const START_TIMEOUT_MS = 60_000;

/**
 * Starts the server; `args` are those behind `npm start --`.
 * @param options.program instead of the one that operators start
 * @param options.preload a module that every process and thread of it loads first
 */
export function startProgram(
  settings: ProgramSettings,
  args: readonly string[] = [],
  { program = SERVER, preload }: { program?: string; preload?: string } = {},
): RunningProgram {
  return runNode([...(preload === undefined ? [] : ['--import', preload]), program, ...args], settings);
}

/** The address it announces when it is ready. Throws when it ends before. */
export async function addressOf(program: RunningProgram): Promise<string> {
  let hasEnded = false;
  void program.ended.then(() => {
    hasEnded = true;
  });
  const address = await eventually(() => {
    const found = READY.exec(program.stdout())?.[1] ?? null;
    if (found === null && !hasEnded) throw new Error(`not ready:\n${program.stdout()}\n${program.stderr()}`);
    return found;
  }, START_TIMEOUT_MS);
  if (address === null) throw new Error(`ended before it was ready: ${program.stderr()}`);
  return address;
}

/** Lines of its log with this message. */
export function logEntries(program: RunningProgram, message: string): Record<string, unknown>[] {
  return program
    .stdout()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter((entry) => entry.msg === message);
}

/** Runs the server to its end, which is near when it cannot start. */
export async function runProgram(
  settings: ProgramSettings,
  args: readonly string[] = [],
): Promise<FinishedProgram> {
  return await toItsEnd(startProgram(settings, args));
}

/** Starts a command of `npm run admin --`. */
export function startAdmin(settings: ProgramSettings, args: readonly string[]): RunningProgram {
  return runNode([ADMIN, ...args], settings);
}

/** Runs a command of `npm run admin --` to its end. */
export async function runAdmin(settings: ProgramSettings, args: readonly string[]): Promise<FinishedProgram> {
  return await toItsEnd(startAdmin(settings, args));
}

async function toItsEnd(program: RunningProgram): Promise<FinishedProgram> {
  const ending = await program.ended;
  return { ending, stdout: program.stdout(), stderr: program.stderr() };
}

function runNode(args: readonly string[], settings: ProgramSettings): RunningProgram {
  const child: ChildProcess = spawn(process.execPath, args, {
    // Nothing moves in a service that a test does not move, unless the test says so.
    env: { ...withoutSettings(process.env), CULPRIT_CANARY: 'off', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  return {
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    kill: (signal) => void child.kill(signal),
    ended: once(child, 'close').then(([code, signal]) => code ?? signal),
  };
}

function withoutSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('CULPRIT_')));
}

/** A directory for one test file, with what is needed to leave nothing behind. */
export async function createDataDirectory(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'culprit-program-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Everything a program runs: its own process, those it started, and theirs. Linux only, as its own database is. */
export function processesOf(program: RunningProgram): ProcessIdentity[] {
  const found = [program.pid];
  const parents = readParents();
  for (const parent of found) {
    for (const [pid, parentPid] of parents) if (parentPid === parent) found.push(pid);
  }
  return found.flatMap((pid) => identifyProcess(pid) ?? []);
}

/** Those of the processes that are still there. */
export function stillRunning(processes: readonly ProcessIdentity[]): ProcessIdentity[] {
  return processes.filter(({ pid, startedAt }) => identifyProcess(pid)?.startedAt === startedAt);
}

/** Process numbers with those of their parents. */
function readParents(): Map<number, number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended while we looked.
    }
  }
  return parents;
}
