import { createLogger } from '../../src/platform/log.ts';
import { prepareDatabase } from '../../src/roles/prepare-database.ts';
import { templateVariable } from './test-database.ts';
import { type PostgresVersion, postgresUrlVariable, startOwnPostgres } from './test-postgres.ts';

/** One PostgreSQL for the whole run, with a migrated template that every test file copies. */
export async function prepareTestPostgres(version: PostgresVersion): Promise<() => Promise<void>> {
  const postgres = await startOwnPostgres(version);
  const template = await postgres.createDatabase();
  const log = createLogger({ level: 'warn', role: 'test', toStandardError: true });
  await prepareDatabase(template, { isVouchedFor: false, log });
  process.env[postgresUrlVariable(version)] = postgres.adminUrl;
  process.env[templateVariable(version)] = new URL(template).pathname.slice(1);
  return () => postgres.stop();
}
