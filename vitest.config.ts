import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that take minutes or want a quiet machine; `CULPRIT_TEST_LONG=1` runs them along. */
const LONG = process.env.CULPRIT_TEST_LONG === '1' ? ['packages/*/test/**/*.long.ts'] : [];

/** The hour of the soak passes beside everything else. */
class SoakFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSoak = ({ moduleId }: TestSpecification) => moduleId.endsWith('soak.long.ts');
    return [...sorted.filter(isSoak), ...sorted.filter((file) => !isSoak(file))];
  }
}

/** What runs on the oldest PostgreSQL too; `CULPRIT_TEST_POSTGRES=15` runs everything on it instead. */
const ON_OLDEST = [
  'platform/{database,jobs,migrate}.test.ts',
  'pipeline/{capture-rules,fates,first-incident,racing-workers}.test.ts',
  'conformance/{incidents-list,webhook-deliveries}.test.ts',
  'admin/backup.test.ts',
  'retention/merged-objects.test.ts',
].map((files) => `packages/server/test/${files}`);
const isAllOnOldest = process.env.CULPRIT_TEST_POSTGRES === '15';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: SoakFirst },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: isAllOnOldest ? 'postgres-15' : 'embedded',
          include: ['packages/*/test/**/*.test.ts', ...LONG],
          globalSetup: ['packages/server/test/support/global-setup.ts'],
        },
      },
      ...(isAllOnOldest
        ? []
        : [
            {
              extends: true as const,
              test: {
                name: 'postgres-15',
                include: ON_OLDEST,
                globalSetup: ['packages/server/test/support/global-setup-15.ts'],
                env: { CULPRIT_TEST_POSTGRES: '15' },
              },
            },
          ]),
    ],
  },
});
