import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const CONTRACT = fileURLToPath(new URL('../../../contract/src', import.meta.url));

/** Entry points of the program; nothing imports them but each other. */
const ENTRIES = ['roles', 'admin', 'generate'];
/** Rooms that every pipeline room may import. They import each other only to the left. */
const FOUNDATIONS = ['audit', 'billing', 'tokens', 'accounts', 'projects', 'capture', 'probes', 'slack'];
/** The canary, retention, availability and the way of an event; a room imports only those behind it. */
const PIPELINE = [
  'canary',
  'retention',
  'availability',
  'ingest',
  'incidents',
  'improvements',
  'bundles',
  'lifecycle',
  'reports',
  'alerts',
  'webhooks',
];

interface Import {
  from: string;
  to: string;
}

/** What stands at a path of `src`: a room, a layer, or an entry file. */
function placeOf(path: string): string {
  const [first = '', second] = relative(SOURCE, path).split('/');
  return second === undefined ? 'roles' : first;
}

function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  if (ENTRIES.includes(from)) return true;
  if (to === 'platform') return true;
  if (FOUNDATIONS.includes(from)) {
    return to === 'events' || FOUNDATIONS.slice(0, FOUNDATIONS.indexOf(from)).includes(to);
  }
  if (PIPELINE.includes(from)) {
    return to === 'events' || FOUNDATIONS.includes(to) || PIPELINE.slice(PIPELINE.indexOf(from)).includes(to);
  }
  return false;
}

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) => ({
    from: path,
    to: resolve(dirname(path), target),
  }));
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
}

function offences(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, to }) => !mayImport(placeOf(from), placeOf(to)))
    .map(({ from, to }) => `${relative(SOURCE, from)} imports ${relative(SOURCE, to)}`);
}

describe('the direction of imports', () => {
  const files = sourceFiles(SOURCE).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

  it('runs one way: entries, rooms downstream, events, platform', () => {
    expect(offences(files.flatMap(({ path, text }) => importsOf(path, text)))).toEqual([]);
  });

  it('is judged: a planted import against the direction is found', () => {
    const planted = importsOf(
      join(SOURCE, 'bundles/planted.ts'),
      "import { x } from '../incidents/incident-state.ts';",
    );
    expect(offences(planted)).toEqual(['bundles/planted.ts imports incidents/incident-state.ts']);
  });

  it('knows every folder', () => {
    const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const known = [...ENTRIES, ...FOUNDATIONS, ...PIPELINE, 'events', 'platform'];
    expect(folders.map((folder) => folder.name).filter((name) => !known.includes(name))).toEqual([]);
  });

  it('has no file that hands on what another defines', () => {
    const handingOn = files.filter(({ text }) => /^export (?:\*|\{[^}]*\}) from /m.test(text));
    expect(handingOn.map(({ path }) => relative(SOURCE, path))).toEqual([]);
  });

  it('leaves the contract alone: it imports nothing of ours', () => {
    const outside = sourceFiles(CONTRACT).flatMap((path) =>
      importsOf(path, readFileSync(path, 'utf8')).filter(({ to }) => relative(CONTRACT, to).startsWith('..')),
    );
    expect(outside).toEqual([]);
  });
});
