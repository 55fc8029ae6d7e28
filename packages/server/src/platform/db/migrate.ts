import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from './database.ts';
import { sql } from './statement.ts';

/** One numbered SQL file. Its text never changes once it was released; the checksum holds that. */
export interface Migration {
  name: string;
  text: string;
  checksum: string;
  /**
   * Null for a migration that only adds: releases that do not know it still run on the schema after it. A migration
   * that removes or changes something names the migration since which no release uses that, on a separate line: `--
   * Needs releases that know 0007_example.sql`.
   */
  needs: string | null;
}

/** The stored migrations differ from the ones of this release, or cannot be applied. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/** Any number; it only has to be the same in every release. */
const MIGRATION_LOCK = 4_800_001;

const FILE_NAME = /^\d{4}_[a-z0-9_]+\.sql$/;
const NEEDS_LINE = /^-- Needs releases that know (\S+)$/m;

/**
 * The time that a migration waits for a lock: every statement queued after it waits as long
 * (docs/contract/reliability.md A8). After the time it lets them run before it tries again.
 */
const LOCK_TIMEOUT_MS = 1000;
const LOCK_PAUSE_MS = 2000;
const LOCK_ATTEMPTS_MAX = 100;
const LOCK_NOT_AVAILABLE = '55P03';

/** The instruction for an operator whose schema no migration can turn into ours. */
export const FOREIGN_SCHEMA_TODO =
  'create a backup of it with `npm run -s admin -- backup --to DIRECTORY`, and restore that with ' +
  '`npm run -s admin -- restore --from DIRECTORY` into an empty data directory (CULPRIT_DATA_DIR) or database';

/** Reads the numbered files of a folder in order. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => FILE_NAME.test(name)).sort();
  const twice = names.find((name, i) => names[i + 1]?.slice(0, 4) === name.slice(0, 4));
  if (twice !== undefined) throw new MigrationError(`two migrations have the number of ${twice}`);
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const needs = NEEDS_LINE.exec(text)?.[1] ?? null;
      if (needs !== null && !names.includes(needs))
        throw new MigrationError(`migration ${name} needs ${needs}, which is not there`);
      return { name, text, checksum, needs };
    }),
  );
}

/** Waits for locks, which tests shorten. */
interface MigrateOptions {
  lockTimeoutMs?: number;
  lockPauseMs?: number;
  lockAttemptsMax?: number;
  /** Called when a migration releases its request for a lock to let others run. */
  onLocked?: (name: string, attempt: number) => void;
}

/**
 * Brings the schema to the newest migration. If several processes call it at the same time, one works, and the others
 * wait and find nothing to do. Each file runs in a separate transaction together with its row, while the service works.
 * @returns the names that were applied
 * @throws MigrationError when a released file was changed, when the schema is newer than this program can work on or
 * none that this program can upgrade, or when another session holds a lock for minutes
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  options: MigrateOptions = {},
): Promise<string[]> {
  // One implicit transaction under the lock: even `if not exists` fails when two processes come at the same moment.
  await database.script(
    `select pg_advisory_xact_lock(${MIGRATION_LOCK});
     create table if not exists schema_migrations (
       name text primary key, checksum text not null, needs text, applied_at timestamptz not null default now())`,
  );
  await refuseForeignSchema(database, migrations);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (await applyPatiently(database, migration, options)) applied.push(migration.name);
  }
  await refuseNewerSchema(database, migrations);
  return applied;
}

/** Tries until it gets its locks; true when it was this call that applied it. */
async function applyPatiently(
  database: Database,
  migration: Migration,
  options: MigrateOptions,
): Promise<boolean> {
  const { lockPauseMs = LOCK_PAUSE_MS, lockAttemptsMax = LOCK_ATTEMPTS_MAX } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await database.transaction((transaction) =>
        apply(transaction, migration, options.lockTimeoutMs ?? LOCK_TIMEOUT_MS),
      );
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      if (attempt === lockAttemptsMax) {
        throw new MigrationError(
          `migration ${migration.name} cannot lock what it changes: another session of the database keeps it locked`,
          { cause: error },
        );
      }
      options.onLocked?.(migration.name, attempt);
      await delay(lockPauseMs);
    }
  }
}

async function apply(
  transaction: Transaction,
  migration: Migration,
  lockTimeoutMs: number,
): Promise<boolean> {
  await transaction.query(sql('migration-lock')`select pg_advisory_xact_lock($1)`, [MIGRATION_LOCK]);
  const [known] = await transaction.query<{ checksum: string }>(
    sql('migration-known')`select checksum from schema_migrations where name = $1`,
    [migration.name],
  );
  if (known !== undefined) {
    if (known.checksum === migration.checksum) return false;
    throw new MigrationError(`migration ${migration.name} was changed after it had been applied`);
  }
  // Not before the lock above, which is held as long as another process works.
  await transaction.query(sql('migration-lock-timeout')`select set_config('lock_timeout', $1, true)`, [
    `${lockTimeoutMs}ms`,
  ]);
  for (const statement of splitScript(migration.text)) {
    await transaction.query({ name: '', text: statement });
  }
  await transaction.query(
    sql('migration-record')`insert into schema_migrations (name, checksum, needs) values ($1, $2, $3)`,
    [migration.name, migration.checksum, migration.needs],
  );
  return true;
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === LOCK_NOT_AVAILABLE;
}

/** The migrations this program knows and the database lacks; empty when it is ready for use. */
export async function pendingMigrations(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    sql('migrations-applied')`select name from schema_migrations`,
  );
  const known = new Set(rows.map((row) => row.name));
  return migrations.filter((migration) => !known.has(migration.name)).map((migration) => migration.name);
}

/** The migrations of a newer release that this database already has; this program runs beside or after it. */
export async function newerMigrations(
  database: Database,
  migrations: readonly Migration[],
): Promise<{ name: string; needs: string | null }[]> {
  const ours = new Set(migrations.map((migration) => migration.name));
  const rows = await database.query<{ name: string; needs: string | null }>(
    sql('migrations-with-needs')`select name, needs from schema_migrations order by name`,
  );
  return rows.filter(({ name }) => !ours.has(name));
}

/**
 * Refuses a schema that did not begin with the present text of our first migration, because no migration leads from it
 * to ours. A restore does (`admin/backup/before-first-schema.ts`).
 */
async function refuseForeignSchema(database: Database, migrations: readonly Migration[]): Promise<void> {
  const [first] = migrations;
  if (first === undefined || !(await isForeignSchema(database, first))) return;
  throw new MigrationError(`the database has a schema from before ${first.name}: ${FOREIGN_SCHEMA_TODO}`);
}

/** Returns true if migrations were applied, but not the present text of the first one. */
export async function isForeignSchema(database: Database, first: Migration): Promise<boolean> {
  const [state] = await database.query<{ is_foreign: boolean | null }>(
    sql(
      'migrations-foreign',
    )`select not bool_or(name = $1 and checksum = $2) as is_foreign from schema_migrations`,
    [first.name, first.checksum],
  );
  return state?.is_foreign === true;
}

/** A newer migration that only adds is accepted. The others must need only releases that have all our migrations. */
async function refuseNewerSchema(database: Database, migrations: readonly Migration[]): Promise<void> {
  const ours = new Set(migrations.map((migration) => migration.name));
  const newer = await newerMigrations(database, migrations);
  const refused = newer.filter(({ needs }) => needs !== null && !ours.has(needs));
  if (refused.length > 0) {
    throw new MigrationError(
      `the database was set up by a release that is too new for this one (${refused.map(({ name }) => name).join(', ')}); ` +
        'start that release, or restore a backup',
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
  const isNoStatement = current.split('\n').every((line) => /^\s*(?:--|$)/.test(line));
  return isNoStatement ? statements : [...statements, current];
}
