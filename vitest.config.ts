import { defineConfig } from 'vitest/config';

/** Tests that take minutes or want a quiet machine; `CULPRIT_TEST_LONG=1` runs them along. */
const LONG = process.env.CULPRIT_TEST_LONG === '1' ? ['packages/*/test/**/*.long.ts'] : [];

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', ...LONG],
    globalSetup: ['packages/server/test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
