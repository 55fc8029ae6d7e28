import { startTestPostgres } from './test-postgres.ts';

/** Name of the migrated template database of the run. */
export const TEST_TEMPLATE_VARIABLE = 'CULPRIT_TEST_TEMPLATE';

/** A database of its own with the current schema; dropped with the run's cluster. */
export async function createTestDatabase(): Promise<string> {
  const template = process.env[TEST_TEMPLATE_VARIABLE];
  if (template === undefined)
    throw new Error('the template database is made by the global setup of the test run');
  return await (await startTestPostgres()).createDatabase(template);
}
