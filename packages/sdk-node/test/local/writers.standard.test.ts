import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultDirectory } from '../../src/local/own-directory.ts';

/** Several processes and killed ones at one directory of events (docs/contract/clients.md 16, C-47). */

const PROGRAM = join(import.meta.dirname, 'write-events.ts');
const NOBODY = '65534';
const KILLS = 8;
let cwd: string;
let directory: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'culprit-writers-'));
  directory = defaultDirectory('events', cwd);
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const writer = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [PROGRAM, directory, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
const ended = (child: ChildProcess) => new Promise((resolve) => child.once('exit', resolve));
const published = () => readdirSync(directory).filter((name) => !name.startsWith('.'));
const eventsIn = (name: string): { event_id: string }[] =>
  JSON.parse(readFileSync(join(directory, name), 'utf8'));

describe('files of events', () => {
  it('all parse after their writer was killed while it wrote', async () => {
    mkdirSync(directory, { recursive: true });
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = published().length;
      const child = writer(`w${kill}`, '100000', kill % 2 === 0 ? '300000' : '2000');
      const isOver = ended(child);
      await until(() => published().length >= before + 5 + kill);
      child.kill('SIGKILL');
      await isOver;
      for (const name of published()) expect(eventsIn(name)).toHaveLength(1);
    }
  }, 60_000);

  it('of two processes in the same millisecond are 2,000, nothing lost or doubled', async () => {
    const now = String(Date.now());
    const writers = ['a', 'b'].map((name) =>
      promisify(execFile)(process.execPath, [PROGRAM, directory, name, '1000', '10', now]),
    );
    for (const { stdout } of await Promise.all(writers))
      expect(JSON.parse(stdout)).toEqual({ status: 202, told: [] });
    const ids = published().flatMap((name) => eventsIn(name).map(({ event_id }) => event_id));
    expect(published()).toHaveLength(2_000);
    expect(new Set(ids).size).toBe(2_000);
  }, 60_000);

  it('in a directory without the right to write are failed requests', async () => {
    mkdirSync(directory, { recursive: true });
    for (const path of [cwd, join(cwd, '.culprit'), join(cwd, '.culprit/local'), directory])
      chmodSync(path, 0o755);
    chmodSync(directory, 0o555);
    const uid = process.getuid?.() === 0 ? [NOBODY] : [];
    const { stdout } = await promisify(execFile)(process.execPath, [
      PROGRAM,
      directory,
      'a',
      '2',
      '10',
      '',
      ...uid,
    ]);
    const refusal = `EACCES ${directory}`;
    expect(JSON.parse(stdout)).toEqual({ status: 500, told: [refusal, refusal] });
    expect(published()).toEqual([]);
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('the writer wrote nothing');
    await delay(5);
  }
}
