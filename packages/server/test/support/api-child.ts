import { readMigrations } from '../../src/platform/db/migrate.ts';
import { createLogger } from '../../src/platform/log.ts';
import { Secret } from '../../src/platform/secrets/secret.ts';
import { startApi } from '../../src/roles/api.ts';
import type { ApiOptions } from '../../src/roles/api-options.ts';
import { MIGRATIONS_FOLDER } from '../../src/roles/migrations-folder.ts';

/** A process of its own around the API role. It ends with its parent. */
export type ApiChildSettings = Omit<ApiOptions, 'log' | 'migrations' | 'dataKey'> & {
  logLevel: string;
  /** In base64. */
  dataKeyText: string;
};

process.on('disconnect', () => process.exit(0));
process.once('message', async ({ logLevel, dataKeyText, ...options }: ApiChildSettings) => {
  const log = createLogger({ level: logLevel, role: 'test-api', toStandardError: true });
  const dataKey = new Secret(Buffer.from(dataKeyText, 'base64'));
  const migrations = await readMigrations(MIGRATIONS_FOLDER);
  const api = await startApi({ ...options, dataKey, log, migrations });
  process.send?.(api.address);
});
