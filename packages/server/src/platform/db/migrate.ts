import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './database.ts';

/** One numbered SQL file. Its text never changes once it was released; the checksum holds that. */
export interface Migration {
  name: string;
  text: string;
  checksum: string;
}

/** The stored migrations differ from the ones of this release: edited, or made by a newer release. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** Any number; it only has to be the same in every release. */
const MIGRATION_LOCK = 4_800_001;

const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;

/** Reads the numbered files of a folder in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

/**
 * Brings the schema to the newest migration. Several processes may call it at once: one works, the others wait and
 * find nothing to do. Each file runs in a transaction of its own together with its row.
 * @returns the names that were applied
 * @throws MigrationError when a released file was changed or the database is newer than this program
 */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<string[]> {
  // One implicit transaction under the lock: even `if not exists` fails when two processes come at the same moment.
  await database.script(
    `select pg_advisory_xact_lock(${MIGRATION_LOCK});
     create table if not exists schema_migrations (
       name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
  );
  const applied: string[] = [];
  for (const migration of migrations) {
    const isNew = await database.transaction(async (transaction) => {
      await transaction.query({ name: 'migration-lock', text: 'select pg_advisory_xact_lock($1)' }, [
        MIGRATION_LOCK,
      ]);
      const [known] = await transaction.query<{ checksum: string }>(
        { name: 'migration-known', text: 'select checksum from schema_migrations where name = $1' },
        [migration.name],
      );
      if (known !== undefined) {
        if (known.checksum === migration.checksum) return false;
        throw new MigrationError(`migration ${migration.name} was changed after it had been applied`);
      }
      for (const statement of splitScript(migration.text)) {
        await transaction.query({ name: '', text: statement });
      }
      await transaction.query(
        { name: 'migration-record', text: 'insert into schema_migrations (name, checksum) values ($1, $2)' },
        [migration.name, migration.checksum],
      );
      return true;
    });
    if (isNew) applied.push(migration.name);
  }
  await refuseNewerSchema(database, migrations);
  return applied;
}

/** The migrations this program knows and the database lacks; empty when it is ready for use. */
export async function pendingMigrations(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  const rows = await database.query<{ name: string }>({
    name: 'migrations-applied',
    text: 'select name from schema_migrations',
  });
  const known = new Set(rows.map((row) => row.name));
  return migrations.filter((migration) => !known.has(migration.name)).map((migration) => migration.name);
}

async function refuseNewerSchema(database: Database, migrations: readonly Migration[]): Promise<void> {
  const ours = new Set(migrations.map((migration) => migration.name));
  const newest = migrations.at(-1)?.name ?? '';
  const rows = await database.query<{ name: string }>({
    name: 'migrations-applied',
    text: 'select name from schema_migrations',
  });
  const newer = rows.map((row) => row.name).filter((name) => !ours.has(name) && name > newest);
  if (newer.length > 0) {
    throw new MigrationError(
      `the database was set up by a newer release (${newer.join(', ')}); start that release, or restore a backup`,
    );
  }
}

/** Splits at semicolons that end a line, outside dollar-quoted bodies; our files are written for it. */
function splitScript(text: string): string[] {
  const statements: string[] = [];
  let current = '';
  let isQuoted = false;
  for (const line of text.split('\n')) {
    current += `${line}\n`;
    if ((line.match(/\$\$/g) ?? []).length % 2 === 1) isQuoted = !isQuoted;
    if (!isQuoted && line.trimEnd().endsWith(';')) {
      statements.push(current);
      current = '';
    }
  }
  return current.trim() === '' || /^(\s*--.*\n?)*$/.test(current) ? statements : [...statements, current];
}
