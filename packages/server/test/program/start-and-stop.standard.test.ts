import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lackOf } from '../../src/platform/db/embedded/file-system-check.ts';
import { postgresProcessesOfCluster } from '../../src/platform/db/embedded/postmaster-file.ts';
import { eventually } from '../support/eventually.ts';
import { GATE_VARIABLE } from '../support/held-threads.ts';
import {
  addressOf,
  createDataDirectory,
  logEntries,
  processesOf,
  runProgram,
  startProgram,
  stillRunning,
} from '../support/program.ts';
import { sendRequest } from '../support/send-events.ts';
import { mountSmallVolume } from '../support/small-volume.ts';

/** The start and the end of the real program, however it is started and ended. */

const TIMEOUT_MS = 120_000;
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const DEBUGGER_PORT = 9229;

let data: Awaited<ReturnType<typeof createDataDirectory>>;
beforeEach(async () => {
  data = await createDataDirectory();
});
afterEach(async () => {
  for (const pid of processesWithDataIn(data.path)) process.kill(pid, 'SIGKILL');
  await eventually(() => expect(processesWithDataIn(data.path)).toEqual([]), 20_000);
  await data.remove();
});

describe('npm', { timeout: TIMEOUT_MS }, () => {
  it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    'start, ended by %s in its first second, leaves no service behind',
    async (signal) => {
      const npm = runNpm(['start'], {
        CULPRIT_DATA_DIR: data.path,
        CULPRIT_PORT: '0',
        CULPRIT_CANARY: 'off',
      });
      const ended = once(npm, 'exit');
      await eventually(() => expect(programsWithDataIn(data.path)).not.toEqual([]), 30_000);
      npm.kill(signal);
      await ended;
      await eventually(() => expect(processesWithDataIn(data.path)).toEqual([]), 60_000);
    },
  );

  it('start becomes the service: nothing of the start stays in memory', async () => {
    const npm = runNpm(['start'], {
      CULPRIT_DATA_DIR: data.path,
      CULPRIT_PORT: '0',
      CULPRIT_CANARY: 'off',
      CULPRIT_DASHBOARD: 'off',
    });
    const ended = once(npm, 'exit');
    await eventually(
      () => expect(programsWithDataIn(data.path).map(nameOf)).toContain('role-process.js'),
      60_000,
    );
    const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === npm.pid);
    expect(children.map(Number).map(nameOf)).toEqual(['main.js']);
    npm.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'run bench, ended by %s, leaves no service behind',
    async (signal) => {
      const npm = runNpm(['run', 'bench', '--', '--quick', '--only', 'start', '--directory', data.path], {});
      const ended = once(npm, 'exit');
      await eventually(() => expect(programsWithDataIn(data.path)).not.toEqual([]), 60_000);
      npm.kill(signal);
      await ended;
      await eventually(() => expect(processesWithDataIn(data.path)).toEqual([]), 60_000);
      await eventually(() => expect(readdirSync(data.path)).toEqual([]), 20_000);
    },
  );
});

describe('a start', { timeout: TIMEOUT_MS }, () => {
  it('waits for a predecessor that is stopping, says so in one line, and goes on', async () => {
    const settings = { CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0', CULPRIT_DRAIN_MS: '8000' };
    const first = startProgram(settings);
    await addressOf(first);
    const second = startProgram(settings);
    await eventually(() => expect(second.stdout()).toContain('waiting for it to stop'), 30_000);
    first.kill('SIGTERM');
    await addressOf(second);
    expect(await first.ended).toBe(0);
    const waiting = second
      .stdout()
      .split('\n')
      .filter((line) => line.includes('waiting for it to stop'));
    expect(waiting).toEqual([
      `Culprit process ${first.pid} is using ${data.path}; waiting for it to stop, at most 20 s.`,
    ]);
    second.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  });

  it('can be stopped while it waits for a predecessor', async () => {
    const settings = { CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0' };
    const first = startProgram(settings);
    await addressOf(first);
    const second = startProgram({ ...settings, CULPRIT_DRAIN_MS: '60000' });
    await eventually(() => expect(second.stdout()).toContain('waiting for it to stop'), 30_000);
    second.kill('SIGTERM');
    expect(await second.ended).toBe(0);
    expect(stillRunning(processesOf(first))).not.toEqual([]);
    first.kill('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  it('is not ready before its worker is', async () => {
    const gate = join(data.path, 'gate');
    const preload = new URL('../support/held-threads.ts', import.meta.url).href;
    const program = startProgram(
      { CULPRIT_DATA_DIR: join(data.path, 'data'), CULPRIT_PORT: '0', [GATE_VARIABLE]: gate },
      [],
      { preload },
    );
    const address = await eventually(() => {
      const api = logEntries(program, 'process is ready').find((entry) => entry.part === 'api');
      expect(api).toBeDefined();
      return String(api?.address);
    }, 60_000);
    expect(await sendRequest(`${address}/live`, { method: 'GET' })).toMatchObject({ status: 200 });
    expect(await sendRequest(`${address}/ready`, { method: 'GET' })).toMatchObject({
      status: 503,
      body: { status: 'not_ready', reason: 'worker_starting' },
    });
    await writeFile(gate, '');
    await addressOf(program);
    expect(await sendRequest(`${address}/ready`, { method: 'GET' })).toMatchObject({ status: 200 });
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
  });

  it('opens no debugger when it gets SIGUSR1', async () => {
    const program = startProgram({ CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0' });
    const address = await addressOf(program);
    const processes = programsWithDataIn(data.path);
    expect(processes.length).toBeGreaterThan(2);
    for (const pid of processes) process.kill(pid, 'SIGUSR1');
    // Asks supervisor and worker too.
    expect((await fetch(`${address}/metrics`)).status).toBe(200);
    expect(await canConnect(DEBUGGER_PORT)).toBe(false);
    expect(programsWithDataIn(data.path)).toEqual(processes);
    program.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(program.stderr()).toBe('');
  });
});

describe('a data directory that cannot hold a database', { timeout: TIMEOUT_MS }, () => {
  it.each(['/proc', '/proc/culprit', '/dev/full', '/dev/full/culprit', '/sys/culprit'])(
    'ends the start with one sentence: %s',
    async (path) => {
      expectOneSentence(await runProgram({ CULPRIT_DATA_DIR: path, CULPRIT_PORT: '0' }), path);
    },
  );

  it('ends the start with one sentence on a volume that is read-only', async () => {
    const path = join(data.path, 'volume');
    await mkdir(path);
    const unmount = mountSmallVolume(path, 'ro,size=256k');
    if (unmount === null) return;
    try {
      expectOneSentence(await runProgram({ CULPRIT_DATA_DIR: path, CULPRIT_PORT: '0' }), 'EROFS');
    } finally {
      unmount();
    }
  });

  it('ends the start with one sentence where the file system keeps no permissions', async () => {
    const preload = new URL('../support/open-directories.ts', import.meta.url).href;
    const program = startProgram({ CULPRIT_DATA_DIR: data.path, CULPRIT_PORT: '0' }, [], { preload });
    const ending = await program.ended;
    expectOneSentence({ ending, stderr: program.stderr() }, 'keeps no permissions');
    expect(readdirSync(data.path)).toEqual([]);
  });

  it.each([
    [{ mode: 0o40700, uid: 7 }, 7, null],
    [{ mode: 0o40777, uid: 7 }, 7, 'keeps no permissions'],
    [{ mode: 0o40750, uid: 7 }, 7, 'keeps no permissions'],
    [{ mode: 0o40700, uid: 65534 }, 7, 'keeps no owners'],
    [{ mode: 0o40700, uid: 0 }, undefined, null],
  ])('is recognized by what a directory of ours looks like there: %j', (made, ownUid, lack) => {
    expect(lackOf(made, ownUid)).toBe(lack);
  });
});

function expectOneSentence(
  { ending, stderr }: { ending: number | NodeJS.Signals; stderr: string },
  words: string,
): void {
  expect(ending).toBe(1);
  expect(stderr).toMatch(/^Culprit could not start: .{0,400}CULPRIT_DATA_DIR\.\n$/);
  expect(stderr).toContain(words);
}

function runNpm(args: readonly string[], settings: Record<string, string>): ChildProcess {
  const env = Object.entries(process.env).filter(([name]) => !/^(?:CULPRIT|npm)_/i.test(name));
  return spawn('npm', args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(env), ...settings },
    stdio: 'ignore',
  });
}

/** Processes of ours and database servers whose data is below a directory. */
function processesWithDataIn(directory: string): number[] {
  return [...programsWithDataIn(directory), ...databasesIn(directory)];
}

function databasesIn(directory: string): number[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('PG_VERSION') && !name.includes('base'))
    .flatMap((name) => postgresProcessesOfCluster(join(directory, name, '..')));
}

function programsWithDataIn(directory: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && hasDataIn(name, directory))
    .map(Number);
}

/** The file that Node runs in the process. */
function nameOf(pid: number): string {
  return /[^/\0]+\.[jt]s(?=\0)/.exec(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.[0] ?? '';
}

function parentOf(pid: string): number | null {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It ended while we looked.
    return null;
  }
}

function hasDataIn(pid: string, directory: string): boolean {
  try {
    const isProgram = /\/(?:main|role-process)\.[jt]s/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return isProgram && environment.some((entry) => entry.startsWith(`CULPRIT_DATA_DIR=${directory}`));
  } catch {
    // It ended while we looked.
    return false;
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
