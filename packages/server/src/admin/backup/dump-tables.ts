import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CopySession } from '../../platform/db/copy-session.ts';
import { writeBackupFile } from './backup-files.ts';
import { OBJECT_COLUMNS, readAppliedMigrations, readTables, type StoredTable } from './catalog.ts';
import type { BackupTable, Manifest } from './manifest.ts';

/** The part of a manifest that the database provides. */
type DumpedDatabase = Pick<
  Manifest,
  'made_at' | 'postgres_version' | 'migrations' | 'tables' | 'event_days' | 'sequences' | 'store_id'
>;

const LOCK_TIMEOUT_MS = 60_000;
const ATTEMPTS_MAX = 5;

/**
 * Writes every table into `tables/` of a directory, all as they were at one moment (a repeatable-read snapshot), and the
 * keys of the objects they name into `keysFile`. Those who work on the database are not held up.
 */
export async function dumpTables(
  session: CopySession,
  directory: string,
  keysFile: string,
): Promise<DumpedDatabase> {
  const tables = await beginSnapshot(session);
  const dumped: BackupTable[] = [];
  const [moment] = await session.query<{ made_at: string; postgres_version: string }>(
    `select to_char(transaction_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as made_at,
      current_setting('server_version') as postgres_version`,
  );
  if (moment === undefined) throw new Error('the database answered nothing');
  for (const table of tables) {
    // Copied with a query, because a partitioned table cannot be copied out by its name.
    const { chunks, count } = session.copyOut(
      `copy (select ${table.sqlColumns} from ${table.sqlName}) to stdout`,
    );
    const file = await writeBackupFile(directory, `tables/${table.name}.copy.zst`, chunks, {
      isCompressed: true,
    });
    dumped.push({ name: table.name, columns: table.columns, rows: count(), file });
  }
  await writeObjectKeys(session, tables, join(directory, keysFile));
  const rest = {
    ...moment,
    migrations: await readAppliedMigrations(session),
    tables: dumped,
    event_days: await readEventDays(session, tables),
    sequences: await readSequences(session, tables),
    store_id: await readStoreId(session),
  };
  await session.query('commit');
  return rest;
}

/**
 * Tables are locked against removal before the snapshot is taken, because otherwise it could show tables that are
 * already removed.
 */
async function beginSnapshot(session: CopySession): Promise<StoredTable[]> {
  for (let attempt = 1; ; attempt += 1) {
    const expected = await readTables(session);
    await session.query('begin isolation level repeatable read read only');
    await session.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    if (expected.length > 0) {
      await session.query(
        `lock table ${expected.map(({ sqlName }) => sqlName).join(', ')} in access share mode`,
      );
    }
    const found = await readTables(session);
    if (JSON.stringify(found) === JSON.stringify(expected)) return found;
    await session.query('rollback');
    if (attempt === ATTEMPTS_MAX) throw new Error('the schema of the database keeps changing');
  }
}

async function writeObjectKeys(
  session: CopySession,
  tables: readonly StoredTable[],
  path: string,
): Promise<void> {
  const selects = OBJECT_COLUMNS.filter(([name, column]) =>
    tables.some((table) => table.name === name && table.columns.includes(column)),
  ).map(([name, column]) => `select ${column} from ${name} where ${column} is not null`);
  if (selects.length === 0) selects.push(`select '' where false`);
  // A key consists of characters that the format leaves unescaped.
  const { chunks } = session.copyOut(`copy (${selects.join(' union ')}) to stdout`);
  await pipeline(chunks, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}

async function readEventDays(session: CopySession, tables: readonly StoredTable[]): Promise<string[]> {
  if (!tables.some(({ name }) => name === 'events')) return [];
  const rows = await session.query<{ day: string }>(
    `select to_char(to_date(right(c.relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
     from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'events'::regclass order by 1`,
  );
  return rows.map(({ day }) => day);
}

/** May be ahead of the rows, which does no harm. */
async function readSequences(
  session: CopySession,
  tables: readonly StoredTable[],
): Promise<Manifest['sequences']> {
  return await session.query<Manifest['sequences'][number]>(
    `select * from (
       select c.relname::text as table, a.attname::text as column,
         pg_sequence_last_value(pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass)::float8 as last_value
       from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
       join pg_attribute a on a.attrelid = c.oid and a.attidentity <> ''
       where c.relname = any ($1::text[])) s
     where last_value is not null order by 1, 2`,
    [tables.map(({ name }) => name)],
  );
}

async function readStoreId(session: CopySession): Promise<string | null> {
  const [table] = await session.query<{ exists: boolean }>(
    `select to_regclass('object_store') is not null as exists`,
  );
  if (table?.exists !== true) return null;
  const [row] = await session.query<{ store_id: string }>('select store_id::text from object_store');
  return row?.store_id ?? null;
}
