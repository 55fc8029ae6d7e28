import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COUNTING, PROCESS_METRICS } from './metrics-library.ts';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../..', import.meta.url));

/** Imports that load something; one whose names are all types loads its module too, unless the whole is of types. */
const IMPORT = /^import (?!type )(?:[^';]*? from )?'([^']+)';/gm;

interface Loaded {
  /** Ours, below `src`. */
  files: string[];
  /** Of others, as they are imported. */
  packages: string[];
}

/** What a process or a thread loads before it does anything: the module and what it imports, over and over. */
function loadedBy(entry: string): Loaded {
  const files = new Set([join(SOURCE, entry)]);
  const packages = new Set<string>();
  for (const path of files) {
    for (const specifier of specifiersIn(readFileSync(path, 'utf8'))) {
      const target = ownFile(path, specifier);
      if (target !== null) files.add(target);
      else if (!specifier.startsWith('node:')) packages.add(specifier);
    }
  }
  return { files: [...files].map((path) => relative(SOURCE, path)), packages: [...packages].sort() };
}

function specifiersIn(text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, specifier = '']) => specifier);
}

function ownFile(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return resolve(dirname(from), specifier);
  const [, name, path] = /^@culprit\/(contract|evidence|source-maps)\/(.+)$/.exec(specifier) ?? [];
  return path === undefined ? null : join(PACKAGES, `${name}/src/${path}.ts`);
}

/** Each isolate has its own copy of what it loads; a library for a case that may never come waits for the case. */
describe('what is loaded', () => {
  it('by the supervisor is the database client and the log: no server, no backup, no role', () => {
    const { files, packages } = loadedBy('main.ts');
    expect(packages).toEqual(['pg', 'pino', ...COUNTING, 'uuid']);
    expect(files).toContain('platform/db/embedded/embedded-postgres.ts');
    expect(files).not.toContain('admin/backup/create-backup.ts');
    expect(files).not.toContain('roles/start-role.ts');
  });

  it('by a worker process is no HTTP server or client, no mail client and no schema', () => {
    const all = ['roles/role-process.ts', 'roles/worker.ts'].flatMap((entry) => loadedBy(entry).packages);
    const expected = ['croner', 'ipaddr.js', 'pg', 'pino', ...COUNTING, ...PROCESS_METRICS, 'uuid'];
    expect([...new Set(all)].sort()).toEqual(expected.sort());
  });

  it('by a worker thread is as little as by the supervisor', () => {
    expect(loadedBy('roles/worker-thread.ts').packages).toEqual(['pg', 'pino', ...COUNTING, 'uuid']);
  });

  it('by the thread that computes fingerprints is nothing of others', () => {
    expect(loadedBy('capture/fingerprint-thread.ts').packages).toEqual([]);
  });

  it('by an API process is no client of anybody but the database, and nothing for agents', () => {
    const { packages } = loadedBy('roles/api.ts');
    expect(packages).toEqual(expect.arrayContaining(['fastify', 'typebox', 'ajv/dist/2020.js']));
    expect(
      packages.filter((name) =>
        /^(?:undici|nodemailer|@aws-sdk|prom-client$|@modelcontextprotocol|@culprit\/mcp|zod)/.test(name),
      ),
    ).toEqual([]);
  });

  it('is judged: imports are found in every form, and files that are not there would be noticed', () => {
    const text =
      "import 'a';\nimport b from 'b';\nimport {\n  type C,\n  d,\n} from 'c';\nimport type { E } from 'e';\n" +
      "import * as f from 'f';\nconst g = await import('g');\n";
    expect(specifiersIn(text)).toEqual(['a', 'b', 'c', 'f']);
    const { files } = loadedBy('roles/api.ts');
    expect(files.filter((path) => !existsSync(join(SOURCE, path)))).toEqual([]);
  });
});
