import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Which lane a test file belongs to, by its name, and in which project of the test runner it runs, by what it imports:
 * both survive a move, and neither is a list that somebody has to keep.
 */

/** Each lane runs everything of the ones before it. */
export const LANES = ['quick', 'standard', 'long'] as const;
export type Lane = (typeof LANES)[number];

/** In the order in which they run: what takes long comes first, what is short fills the gaps at the end. */
export const TEST_PROJECTS = ['isolated', 'process', 'service', 'shared', 'unit'] as const;
/**
 * - `unit`: needs no service and no process. A thread runs one file after the other.
 * - `shared`: talks to a service that all files of a worker use, each in projects of its own.
 * - `service`: starts a service or parts of it for itself alone. A worker runs one file after the other.
 * - `isolated`: as that, and in a process of its own, because it starts processes or changes its own.
 * - `process`: as that, and does not need the PostgreSQL of the run.
 */
export type TestProject = (typeof TEST_PROJECTS)[number];

export interface TestFile {
  /** From the root of the repository, with `/`. */
  path: string;
  lane: Lane;
  project: TestProject;
  /** Runs a second time, on the oldest PostgreSQL that is supported: it says so in a line of its own. */
  isOnOldestToo: boolean;
}

/** The line that a test file says it with. */
const ON_OLDEST_TOO = '// Runs on the oldest PostgreSQL too.';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
/** The packages that may have a folder `test`. */
const TESTED_PACKAGES = [
  'server',
  'source-maps',
  'contract',
  'dashboard',
  'evidence',
  'mcp',
  'cli',
  'sdk-core',
  'sdk-node',
  'sdk-browser',
];
const TEST_FOLDERS = [...TESTED_PACKAGES.map((name) => `packages/${name}/test`), 'examples/test'];
/** What tests import from here belongs to the test; the sources start nothing when they are imported. */
const OF_TESTS = [
  ...TEST_FOLDERS,
  ...['packages/sdk-test-hosts', 'packages/foreign-clients', 'scripts/sdk', 'bench', 'demo'],
].map((folder) => join(ROOT, folder, '/'));

/** Imported by everything that needs the PostgreSQL of the run. */
const POSTGRES = 'packages/server/test/support/test-postgres.ts';
/** Gives a test the service that it shares with others. */
const SHARED_SERVICE = 'packages/server/test/support/shared-culprit.ts';
const OWN_SERVICE = 'packages/server/test/support/culprit.ts';

/** What a file does that must not reach the files after it in the same process, or cannot be done in a thread. */
const NEEDS_OWN_PROCESS = [
  /from 'node:(?:child_process|worker_threads|cluster)'/,
  /\bprocess\.env(?:\.\w+|\[[^\]]+\]) =(?!=)|delete process\.env|Object\.assign\(process\.env/,
  /\bprocess\.(?:chdir|umask|setuid|setgid|on|once)\(/,
  // Of the whole process, whatever its threads do.
  /\bprocess\.(?:memoryUsage|resourceUsage|cpuUsage)\b/,
  /\bvi\.(?:mock|doMock|stubEnv|stubGlobal|useFakeTimers|spyOn|setSystemTime)\b/,
];

/** The lane that a file's name says: `x.test.ts`, `x.standard.test.ts`, `x.long.ts`. */
export function laneOf(path: string): Lane {
  if (path.endsWith('.long.ts')) return 'long';
  return path.endsWith('.standard.test.ts') ? 'standard' : 'quick';
}

/** The lane of this run: what the test command chose, else everything but what only the long lane has. */
export function chooseLane(): Lane {
  const chosen = process.env.CULPRIT_TEST_LANE;
  return LANES.find((lane) => lane === chosen) ?? 'standard';
}

/** Whether a run of `lane` contains what belongs to `of`. */
export function isInLane(of: Lane, lane: Lane): boolean {
  return LANES.indexOf(of) <= LANES.indexOf(lane);
}

/** Whether a run of `lane` has a file on the oldest PostgreSQL too: what asks for it and belongs to a lane before. */
export function isOnOldestIn(lane: Lane, file: TestFile): boolean {
  return file.isOnOldestToo && LANES.indexOf(file.lane) < LANES.indexOf(lane);
}

/** Every test file of the repository. */
export function readTestFiles(): TestFile[] {
  const graph = new Map<string, SourceFile>();
  const folders = TEST_FOLDERS.map((folder) => join(ROOT, folder)).filter((folder) => existsSync(folder));
  return folders
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /\.(?:test|long)\.ts$/.test(path))
    .sort()
    .map((path) => ({
      path: relative(ROOT, path),
      lane: laneOf(path),
      project: projectOf(path, graph),
      isOnOldestToo: readSource(path, graph).isOnOldestToo,
    }));
}

/** Every file of the tests that a test file imports, itself included, from the root of the repository. */
export function importsOf(path: string): string[] {
  return [...reachedFrom(resolve(ROOT, path), new Map()).keys()].map((reached) => relative(ROOT, reached));
}

interface SourceFile {
  imports: string[];
  needsOwnProcess: boolean;
  isOnOldestToo: boolean;
}

function projectOf(path: string, graph: Map<string, SourceFile>): TestProject {
  const reached = reachedFrom(path, graph);
  const reaches = (name: string) => reached.has(join(ROOT, name));
  if (reaches(SHARED_SERVICE) && !imports(path, OWN_SERVICE, graph)) return 'shared';
  const needsOwnProcess = [...reached.values()].some((file) => file.needsOwnProcess);
  if (reaches(POSTGRES)) return needsOwnProcess ? 'isolated' : 'service';
  return needsOwnProcess ? 'process' : 'unit';
}

function imports(path: string, name: string, graph: Map<string, SourceFile>): boolean {
  return readSource(path, graph).imports.includes(join(ROOT, name));
}

function reachedFrom(path: string, graph: Map<string, SourceFile>): Map<string, SourceFile> {
  const reached = new Map<string, SourceFile>();
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (reached.has(next)) continue;
    const source = readSource(next, graph);
    reached.set(next, source);
    waiting.push(...source.imports);
  }
  return reached;
}

function readSource(path: string, graph: Map<string, SourceFile>): SourceFile {
  const known = graph.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const targets = text.matchAll(/^(?:(?:import|export)(?! type\b)[^;'"]*|.*\bimport\()'(\.[^']+\.ts)'/gm);
  const source: SourceFile = {
    imports: [...targets]
      .map(([, target = '']) => resolve(dirname(path), target))
      .filter((target) => OF_TESTS.some((folder) => target.startsWith(folder)) && existsSync(target)),
    needsOwnProcess: NEEDS_OWN_PROCESS.some((pattern) => pattern.test(text)),
    isOnOldestToo: text.split('\n').includes(ON_OLDEST_TOO),
  };
  graph.set(path, source);
  return source;
}
