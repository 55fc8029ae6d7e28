import { createLogger } from '../../src/platform/log.ts';
import { prepareDatabase } from '../../src/roles/prepare-database.ts';
import { TEST_TEMPLATE_VARIABLE } from './test-database.ts';
import { startTestPostgres, TEST_POSTGRES_URL_VARIABLE } from './test-postgres.ts';

/** One PostgreSQL for the whole run, with a migrated template that every test file copies. */
export default async function setup(): Promise<() => Promise<void>> {
  const postgres = await startTestPostgres();
  const template = await postgres.createDatabase();
  const log = createLogger({ level: 'warn', role: 'test', toStandardError: true });
  await prepareDatabase(template, { isVouchedFor: false, log });
  process.env[TEST_POSTGRES_URL_VARIABLE] = postgres.adminUrl;
  process.env[TEST_TEMPLATE_VARIABLE] = new URL(template).pathname.slice(1);
  return () => postgres.stop();
}
