import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import {
  chooseLane,
  isInLane,
  isOnOldestIn,
  laneOf,
  readTestFiles,
  TEST_PROJECTS,
  type TestFile,
  type TestProject,
} from './packages/server/test/lanes/test-files.ts';

/** What needs minutes to itself comes first, so that everything else passes beside it. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** The hour of the soak, then what is too slow for the quick lane, then the projects in their order. */
function rank({ moduleId, project }: TestSpecification): number {
  if (moduleId.endsWith('soak.long.ts')) return 0;
  if (laneOf(moduleId) !== 'quick') return 1;
  return 2 + TEST_PROJECTS.findIndex((name) => project.name.startsWith(name));
}

const RUNS_IN: Readonly<Record<TestProject, object>> = {
  isolated: { pool: 'forks', isolate: true },
  process: { pool: 'forks', isolate: true },
  service: { pool: 'forks', isolate: false },
  shared: { pool: 'forks', isolate: false },
  unit: { pool: 'threads', isolate: false },
};
const NEEDS_POSTGRES: readonly TestProject[] = ['isolated', 'service', 'shared'];

const lane = chooseLane();
const isAllOnOldest = process.env.CULPRIT_TEST_POSTGRES === '15';
const files = readTestFiles().filter((file) => isInLane(file.lane, lane));

function projectOf(name: TestProject, version: 'embedded' | '15', among: readonly TestFile[]) {
  const include = among.filter(({ project }) => project === name).map(({ path }) => path);
  if (include.length === 0) return [];
  const setup = version === '15' ? 'global-setup-15.ts' : 'global-setup.ts';
  return [
    {
      extends: true as const,
      test: {
        name: version === '15' ? `${name}-postgres-15` : name,
        include,
        ...RUNS_IN[name],
        ...(NEEDS_POSTGRES.includes(name) ? { globalSetup: [`packages/server/test/support/${setup}`] } : {}),
        ...(version === '15' ? { env: { CULPRIT_TEST_POSTGRES: '15' } } : {}),
      },
    },
  ];
}

const twice = isAllOnOldest ? [] : files.filter((file) => isOnOldestIn(lane, file));

export default defineConfig({
  test: {
    // Tests wait for processes, timers and browsers for half of their time.
    maxWorkers: 2 * Math.max(2, availableParallelism()),
    sequence: { sequencer: SlowFirst },
    setupFiles: ['packages/server/test/lanes/property-seed.ts'],
    testTimeout: 90_000,
    hookTimeout: 120_000,
    projects: [
      ...TEST_PROJECTS.flatMap((name) => projectOf(name, isAllOnOldest ? '15' : 'embedded', files)),
      ...TEST_PROJECTS.flatMap((name) => projectOf(name, '15', twice)),
    ],
  },
});
