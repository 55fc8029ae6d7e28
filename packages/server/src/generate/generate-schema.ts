import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../platform/db/database.ts';
import { startEmbeddedPostgres } from '../platform/db/embedded/embedded-postgres.ts';
import { migrate, readMigrations } from '../platform/db/migrate.ts';
import { MIGRATIONS_FOLDER } from '../roles/migrations-folder.ts';
import { renderSchema } from './render-schema.ts';

/** Runs the migrations on an empty PostgreSQL of its own, and reads back what they made. */
export async function generateSchema(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'culprit-schema-'));
  try {
    const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
    try {
      const database = openDatabase({
        url: server.url,
        connectionsMax: 1,
        applicationName: 'culprit-generate',
      });
      try {
        await migrate(database, await readMigrations(MIGRATIONS_FOLDER));
        return await renderSchema(database);
      } finally {
        await database.close();
      }
    } finally {
      await server.stop();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
