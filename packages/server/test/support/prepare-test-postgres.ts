import { createLogger } from '../../src/platform/log.ts';
import { prepareDatabase } from '../../src/roles/prepare-database.ts';
import { templateVariable } from './test-database.ts';
import { type PostgresVersion, postgresUrlVariable, startOwnPostgres } from './test-postgres.ts';

/**
 * One PostgreSQL for the whole run, with a migrated template that every test file copies. Each project of the test runner
 * asks for it, and the first one starts and stops it: tests begin when all projects are set up.
 */
export async function prepareTestPostgres(version: PostgresVersion): Promise<() => Promise<void>> {
  const claim = `CULPRIT_TEST_POSTGRES_CLAIMED_${version}`;
  if (process.env[claim] !== undefined) return async () => {};
  process.env[claim] = String(process.pid);
  const postgres = await startOwnPostgres(version);
  const template = await postgres.createDatabase();
  const log = createLogger({ level: 'warn', role: 'test', toStandardError: true });
  await prepareDatabase(template, { isVouchedFor: false, log });
  process.env[postgresUrlVariable(version)] = postgres.adminUrl;
  process.env[templateVariable(version)] = new URL(template).pathname.slice(1);
  return () => postgres.stop();
}
