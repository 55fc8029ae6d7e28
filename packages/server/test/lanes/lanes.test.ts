import { execFile } from 'node:child_process';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { importsOf, isInLane, LANES, type Lane, laneOf, ROOT, readTestFiles } from './test-files.ts';

/** The lanes are what the test runner really runs, and the catalogue of proofs says the truth about them. */

const TESTS = 'packages/server/test';
const files = readTestFiles();
const paths = (lane: Lane) => files.filter((file) => isInLane(file.lane, lane)).map(({ path }) => path);

describe('a lane', () => {
  it.each(LANES)('%s runs exactly the files that are named for it and for the ones before', async (lane) => {
    const listed = await listFiles(lane);
    const own = listed.filter(({ project }) => !project.endsWith('-postgres-15'));
    expect(own.map(({ path }) => path).sort()).toEqual(paths(lane).sort());
    expect(own.map(({ path, project }) => `${path}: ${project}`).sort()).toEqual(
      files.filter((file) => isInLane(file.lane, lane)).map(({ path, project }) => `${path}: ${project}`),
    );
  });

  it('runs on the oldest PostgreSQL what says so and belongs to a lane before', async () => {
    const onOldest = async (lane: Lane) =>
      (await listFiles(lane)).flatMap(({ path, project }) =>
        project.endsWith('-postgres-15') ? [path] : [],
      );
    const said = files.filter(({ isOnOldestToo }) => isOnOldestToo).map(({ path }) => path);
    expect(said.length).toBeGreaterThan(9);
    expect((await onOldest('long')).sort()).toEqual(said);
    expect((await onOldest('standard')).sort()).toEqual(said.filter((path) => laneOf(path) === 'quick'));
    expect(await onOldest('quick')).toEqual([]);
  });

  it('contains the files of the lanes before it', () => {
    expect(laneOf('a/b.test.ts')).toBe('quick');
    expect(laneOf('a/b.standard.test.ts')).toBe('standard');
    expect(laneOf('a/b.long.ts')).toBe('long');
    expect(paths('standard')).toEqual(expect.arrayContaining(paths('quick')));
    expect(paths('long')).toEqual(files.map(({ path }) => path));
  });
});

describe('a file of the project unit', () => {
  const units = files.filter(({ project }) => project === 'unit');

  it('imports nothing that starts a service, a database or a process', () => {
    const starters = ['test-postgres.ts', 'culprit.ts', 'program.ts', 'role-process.ts', 'browser.ts'];
    const wrong = units.flatMap(({ path }) =>
      importsOf(path)
        .filter((imported) => starters.some((name) => imported === `${TESTS}/support/${name}`))
        .map((imported) => `${path} imports ${imported}`),
    );
    expect(units.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  });

  it('is told from one that needs a service, at any distance', () => {
    const projects = new Map(files.map(({ path, project }) => [path, project]));
    expect(projects.get(`${TESTS}/conformance/incidents-list.test.ts`)).toBe('shared');
    expect(projects.get(`${TESTS}/conformance/ingestion.test.ts`)).toBe('service');
    expect(projects.get(`${TESTS}/reliability/random-kills.standard.test.ts`)).toBe('process');
    expect(importsOf(`${TESTS}/conformance/ingestion.test.ts`)).toContain(
      `${TESTS}/support/test-postgres.ts`,
    );
  });
});

interface ListedFile {
  path: string;
  project: string;
}

/** What the test runner says that it would run. */
async function listFiles(lane: Lane): Promise<ListedFile[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'list', '--filesOnly', '--json'],
    { cwd: ROOT, env: { ...process.env, CULPRIT_TEST_LANE: lane }, maxBuffer: 16 * 1024 * 1024 },
  );
  const listed: { file: string; projectName: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  return listed.map(({ file, projectName }) => ({ path: relative(ROOT, file), project: projectName }));
}
