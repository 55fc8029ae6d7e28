import { type PostgresVersion, startTestPostgres, testedPostgres } from './test-postgres.ts';

/** Holds the name of the run's migrated template database. */
export function templateVariable(version: PostgresVersion): string {
  return `CULPRIT_TEST_TEMPLATE_${version}`;
}

/** A database of its own with the current schema; dropped with the run's cluster. */
export async function createTestDatabase(): Promise<string> {
  const template = process.env[templateVariable(testedPostgres())];
  if (template === undefined)
    throw new Error('the template database is made by the global setup of the test run');
  return await (await startTestPostgres()).createDatabase(template);
}
