import { readMigrations } from '../../src/platform/db/migrate.ts';
import { createLogger } from '../../src/platform/log.ts';
import { type ApiOptions, startApi } from '../../src/roles/api.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';

/** A process of its own around the API role. It ends with its parent. */
export type ApiChildSettings = Omit<ApiOptions, 'log' | 'migrations'> & { logLevel: string };

process.on('disconnect', () => process.exit(0));
process.once('message', async ({ logLevel, ...options }: ApiChildSettings) => {
  const log = createLogger({ level: logLevel, role: 'test-api', toStandardError: true });
  const api = await startApi({ ...options, log, migrations: await readMigrations(MIGRATIONS_FOLDER) });
  process.send?.(api.address);
});
