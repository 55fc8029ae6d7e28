import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
const CONTRACT = fileURLToPath(new URL('../../../contract/src', import.meta.url));
const EVIDENCE = fileURLToPath(new URL('../../../evidence/src', import.meta.url));

/** Entry points of the program; nothing imports them but each other. */
const ENTRIES = ['roles', 'admin', 'generate'];
/** Every other feature and layer. Each imports only what stands before it, so the way of an event runs upwards. */
const ORDER = [
  'platform',
  'workspace/audit',
  'workspace/billing',
  'workspace/tokens',
  'workspace/accounts',
  'workspace/access',
  'workspace/projects',
  'workspace/members',
  'workspace/teams',
  'workspace/views',
  'workspace/account-data',
  'capture',
  'probes',
  'releases',
  'maps',
  'notify/slack',
  'notify/webhooks',
  'notify/trackers',
  'notify/alerts',
  'notify/reports',
  'notify/personal',
  'pipeline/stored-events',
  'pipeline/ledger',
  'pipeline/bundles',
  'pipeline/improvements',
  'pipeline/incidents',
  'pipeline/ingest',
  'monitor/availability',
  'monitor/heartbeats',
  'tickets',
  'upkeep/purge',
  'upkeep/retention',
  'upkeep/sample-data',
  'monitor/canary',
  'installation',
  'mcp',
  'build-tools',
];
/** The record of what operations work with. */
const RUNTIME = 'runtime.ts';
/**
 * Files that name types and nothing else, so they can stand above and below every feature: what operations take, and
 * what features say of their tables.
 */
const TYPE_FILES = [RUNTIME, 'table.ts', 'workspace/access/api-callers.ts'].map((name) => join(SOURCE, name));
/** Folders of `src` that only group features. */
const GROUPS = new Set(ORDER.filter((name) => name.includes('/')).map((name) => name.split('/')[0]));

interface Import {
  from: string;
  to: string;
}

/** The feature, layer or entry that a file of `src` belongs to. */
function featureOf(path: string): string {
  const [first = '', second, third] = relative(SOURCE, path).split('/');
  if (first === RUNTIME) return RUNTIME;
  if (second === undefined) return 'roles';
  return GROUPS.has(first) && third !== undefined ? `${first}/${second}` : first;
}

function mayImport(from: string, to: string): boolean {
  if (from === to || ENTRIES.includes(from)) return true;
  return ORDER.includes(to) && ORDER.indexOf(to) < ORDER.indexOf(from);
}

/** Whether a feature or layer has operations, or calls some. */
function mayNameOperations(from: string): boolean {
  return from !== 'platform';
}

function importsOf(path: string, text: string): Import[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) => ({
    from: path,
    to: resolve(dirname(path), target),
  }));
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name));
}

function offences(imports: readonly Import[]): string[] {
  return imports
    .filter(({ from, to }) =>
      TYPE_FILES.includes(from) || TYPE_FILES.includes(to)
        ? !mayNameOperations(featureOf(from))
        : !mayImport(featureOf(from), featureOf(to)),
    )
    .map(({ from, to }) => `${relative(SOURCE, from)} imports ${relative(SOURCE, to)}`);
}

/** Each cycle once, as the files on it, found where a walk meets a file that it is still inside. */
function cycles(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const left = new Set<string>();
  const inside: string[] = [];
  const walk = (path: string): void => {
    const start = inside.indexOf(path);
    if (start >= 0) found.push(inside.slice(start));
    if (start >= 0 || left.has(path)) return;
    inside.push(path);
    for (const target of targets.get(path) ?? []) walk(target);
    inside.pop();
    left.add(path);
  };
  for (const path of targets.keys()) walk(path);
  return found;
}

describe('the direction of imports', () => {
  const files = sourceFiles(SOURCE).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

  it('runs one way: entries, features downstream, platform', () => {
    expect(offences(files.flatMap(({ path, text }) => importsOf(path, text)))).toEqual([]);
  });

  it('is judged: a planted import against the direction is found', () => {
    const planted = importsOf(
      join(SOURCE, 'pipeline/bundles/planted.ts'),
      "import { x } from '../incidents/reading/get-incident.ts';",
    );
    expect(offences(planted)).toEqual([
      'pipeline/bundles/planted.ts imports pipeline/incidents/reading/get-incident.ts',
    ]);
  });

  it('keeps what operations take to types', () => {
    const texts = TYPE_FILES.map((path) => readFileSync(path, 'utf8'));
    expect(
      texts.flatMap((text) => text.match(/^(?:import (?!type )|export (?!type |interface )).*/gm) ?? []),
    ).toEqual([]);
  });

  it('has no cycle of files', () => {
    const targets = new Map(files.map(({ path, text }) => [path, importsOf(path, text).map(({ to }) => to)]));
    expect(cycles(targets).map((cycle) => cycle.map((path) => relative(SOURCE, path)))).toEqual([]);
    expect(
      cycles(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual([['b', 'c']]);
  });

  it('knows every folder', () => {
    const known = [...ENTRIES, RUNTIME, ...ORDER];
    const unknown = files.map(({ path }) => featureOf(path)).filter((feature) => !known.includes(feature));
    expect([...new Set(unknown)]).toEqual([]);
    expect(known.filter((feature) => !existsSync(join(SOURCE, feature)))).toEqual([]);
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

describe('the packages of people and agents', () => {
  /** What each imports besides its own files and those of Node (docs/contract/command-line.md 1.2, 1.4). */
  const ALLOWED = {
    cli: [
      /^@culprit\/(?:contract|evidence|mcp|source-maps)\//,
      /^@bomb\.sh\/tab(?:\/commander)?$/,
      /^@clack\/prompts$/,
      /^@modelcontextprotocol\/server\/stdio$/,
      /^(?:commander|diff|open|package-manager-detector)$/,
    ],
    mcp: [/^@culprit\/(?:contract|evidence)\//, /^@modelcontextprotocol\/server$/, /^zod$/],
  };

  it.each(Object.entries(ALLOWED))(
    '%s imports what is below it and its libraries, and never the server',
    (name, allowed) => {
      const source = fileURLToPath(new URL(`../../../${name}/src`, import.meta.url));
      const found = sourceFiles(source).flatMap((path) =>
        specifiersIn(readFileSync(path, 'utf8')).filter((specifier) =>
          specifier.startsWith('.')
            ? relative(source, resolve(dirname(path), specifier)).startsWith('..')
            : ![/^node:/, ...allowed].some((each) => each.test(specifier)),
        ),
      );
      expect(found).toEqual([]);
    },
  );

  it.each(['contract', 'mcp', 'cli', 'dashboard', 'sdk-core', 'sdk-node', 'sdk-browser'])(
    '%s has no cycle of files',
    (name) => {
      const source = fileURLToPath(new URL(`../../../${name}/src`, import.meta.url));
      const targets = sourceFiles(source).map((path) => {
        const imported = importsOf(path, readFileSync(path, 'utf8'));
        return [path, imported.map(({ to }) => to)] as const;
      });
      const found = cycles(new Map(targets));
      expect(found.map((cycle) => cycle.map((path) => relative(source, path)))).toEqual([]);
    },
  );
});

/** Folders of the evidence, each of which imports only from those before it. */
const EVIDENCE_ORDER = ['events', 'capture', 'foreign', 'incidents', 'bundles', 'local'];

/** What a source names in its imports. */
function specifiersIn(text: string): string[] {
  const statements = text.matchAll(
    /^(?:(?:import|export|\}).* from |import )'([^'\n]+)';$|\bimport\(\s*['"`]([^'"`\n]*)/gm,
  );
  return [...statements].map(([, named, computed]) => named ?? computed ?? '');
}

/** What a file of the evidence imports that would keep it from being pure, or from being read in one direction. */
function evidenceOffences(path: string, text: string): string[] {
  const [from = ''] = relative(EVIDENCE, path).split('/');
  return specifiersIn(text).filter((specifier) => {
    if (!specifier.startsWith('.'))
      return !/^(?:@culprit\/contract\/[\w-]+\/[\w-]+|node:crypto|node:buffer)$/.test(specifier);
    const [to = ''] = relative(EVIDENCE, resolve(dirname(path), specifier)).split('/');
    return EVIDENCE_ORDER.indexOf(to) < 0 || EVIDENCE_ORDER.indexOf(to) > EVIDENCE_ORDER.indexOf(from);
  });
}

describe('the evidence', () => {
  const files = sourceFiles(EVIDENCE).map((path) => ({ path, text: readFileSync(path, 'utf8') }));

  it('imports the contract, hashes and bytes, and its own folders one way', () => {
    const found = files.flatMap(({ path, text }) =>
      evidenceOffences(path, text).map((specifier) => `${relative(EVIDENCE, path)} imports ${specifier}`),
    );
    expect(found).toEqual([]);
    expect(new Set(files.map(({ path }) => relative(EVIDENCE, path).split('/')[0]))).toEqual(
      new Set(EVIDENCE_ORDER),
    );
  });

  it('is judged: planted imports of anything else are found', () => {
    const planted = [
      'node:fs',
      'pg',
      '@culprit/server',
      '../../../server/src/runtime.ts',
      '../bundles/document/summary.ts',
    ];
    const text = [...planted, 'node:crypto', './json.ts', '@culprit/contract/capture/capture']
      .map((specifier) => `import { x } from '${specifier}';\n`)
      .join('');
    expect(evidenceOffences(join(EVIDENCE, 'events/planted.ts'), text)).toEqual(planted);
    const other = "import {\n  a,\n} from 'a';\nimport 'b';\nconst c = await import('c');\n";
    expect(evidenceOffences(join(EVIDENCE, 'events/planted.ts'), other)).toEqual(['a', 'b', 'c']);
  });

  it('reads neither clock nor environment nor locale: equal events give equal bytes', () => {
    const found = files
      .filter(({ text }) =>
        /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|(?<!['`])\bprocess\.|\bMath\.random\(|\.toLocale/.test(
          text,
        ),
      )
      .map(({ path }) => relative(EVIDENCE, path));
    expect(found).toEqual([]);
  });

  it('has no cycle of files, and none that hands on what another defines', () => {
    const targets = new Map(files.map(({ path, text }) => [path, importsOf(path, text).map(({ to }) => to)]));
    expect(cycles(targets).map((cycle) => cycle.map((path) => relative(EVIDENCE, path)))).toEqual([]);
    const handingOn = files.filter(({ text }) => /^export (?:\*|\{[^}]*\}) from /m.test(text));
    expect(handingOn.map(({ path }) => relative(EVIDENCE, path))).toEqual([]);
  });
});
