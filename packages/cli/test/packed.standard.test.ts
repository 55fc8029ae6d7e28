import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { packCli } from '../../../scripts/cli/pack.ts';
import { nodeProgram } from '../../sdk-test-hosts/hosts.ts';

/** The command line as it is published (C-01). */

const PREPARE_MAX_MS = 300_000;
const UNPACKED_BYTES_MAX = 2.4 * 1_048_576;

let folder: string;
let unpacked: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'culprit-packed-cli-'));
  const tarball = await packCli(folder);
  const { status } = spawnSync('tar', ['-xzf', tarball, '-C', folder]);
  if (status !== 0) throw new Error(`${tarball} cannot be unpacked`);
  unpacked = join(folder, 'package');
}, PREPARE_MAX_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function filesBelow(path: string): string[] {
  return readdirSync(path).flatMap((name) => {
    const file = join(path, name);
    return statSync(file).isDirectory() ? filesBelow(file) : [file];
  });
}

it('installs nothing, runs nothing when it is installed, and is small', () => {
  const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8'));
  expect(Object.keys(manifest)).not.toContain('dependencies');
  expect(Object.keys(manifest)).not.toContain('scripts');
  expect(manifest).toMatchObject({ name: '@culprit/cli', bin: { culprit: 'dist/main.js' } });
  const files = filesBelow(unpacked).map((file) => file.slice(unpacked.length + 1));
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'dist/NOTICES.txt', 'dist/main.js']));
  const bytes = files.reduce((sum, file) => sum + statSync(join(unpacked, file)).size, 0);
  expect(bytes).toBeLessThan(UNPACKED_BYTES_MAX);
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const source = readFileSync(join(unpacked, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/(?:from|import)"([^"]+)"/g)) {
      expect(name, file).toMatch(/^(?:\.|node:)/);
    }
  }
});

it('says its version, for which it loads the entry alone', async () => {
  const only = mkdtempSync(join(folder, 'entry-'));
  const main = join(unpacked, 'dist/main.js');
  const { stdout } = await promisify(execFile)(process.execPath, [main, '--version']);
  expect(stdout).toBe(`culprit 0.1.0 (node ${process.versions.node}, ${process.platform}-${process.arch})\n`);
  // Without its other files it says the same.
  spawnSync('cp', [main, join(only, 'main.mjs')]);
  const alone = await promisify(execFile)(process.execPath, [join(only, 'main.mjs'), '--version']);
  expect(alone.stdout).toBe(stdout);
});

it('names both versions to an older Node, in one sentence', { timeout: PREPARE_MAX_MS }, async () => {
  const node = await nodeProgram('20');
  if (node === null) throw new Error('there is no Node 20 for this machine');
  const { status, stdout, stderr } = spawnSync(node, [join(unpacked, 'dist/main.js'), 'incidents', 'list'], {
    encoding: 'utf8',
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    /^culprit: culprit 0\.1\.0 needs Node 22\.13 or newer; this is Node 20\.\d+\.\d+\.\n$/,
  );
});

it('works on the oldest Node that its README names', { timeout: PREPARE_MAX_MS }, async () => {
  const node = await nodeProgram('22');
  if (node === null) throw new Error('there is no Node 22 for this machine');
  const events = mkdtempSync(join(folder, 'events-'));
  const event = {
    ...{
      schema_version: '1.0',
      event_id: '00000000-0000-4000-8000-000000000001',
      event_type: 'backend_exception',
    },
    ...{ occurred_at: new Date().toISOString(), sdk_name: 'test', sdk_version: '1.0.0' },
    service: { name: 'shop', environment: 'development' },
    payload: { name: 'TypeError', message: 'no stock', handled: false, password: 'hidden' },
  };
  writeFileSync(join(events, 'events.json'), JSON.stringify([event]));
  const run = (...args: string[]) =>
    spawnSync(node, [join(unpacked, 'dist/main.js'), ...args], {
      cwd: events,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: events, CULPRIT_LOCAL_DIR: events },
    });
  for (const args of [
    ['local', 'list'],
    ['completion', 'bash'],
    ['incidents', '--help'],
    ['mcp', '--help'],
  ]) {
    const { status, stderr } = run(...args);
    expect({ args, status, stderr: stderr.replace(/^.*No .*$/m, '') }).toMatchObject({ status: 0 });
    expect(stderr).not.toMatch(/SyntaxError|TypeError: .* is not/);
  }
});
