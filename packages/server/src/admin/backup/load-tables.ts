import type { CopySession } from '../../platform/db/copy-session.ts';
import { CommandRefused } from '../command.ts';
import { readCompressed } from './backup-files.ts';
import { readAppliedMigrations, readTables, type StoredTable } from './catalog.ts';
import type { BackupTable, Manifest } from './manifest.ts';

/** The state of a database before a restore. `restored`: the rows of this very backup are in it. */
type TargetState = 'empty' | 'restored';

/**
 * Judges a database before anything is written: without our schema, or with one that the backup knows and no rows.
 * @throws CommandRefused for any other
 */
export async function judgeTarget(session: CopySession, manifest: Manifest): Promise<TargetState> {
  const applied = await readAppliedMigrations(session);
  const tables = await readTables(session);
  const [server] = await session.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and application_name ~ '^culprit-(api|intake|worker)' limit 1`,
  );
  if (server !== undefined) {
    throw new CommandRefused(
      'nothing was done: a server is using this database; stop it, or use another one',
    );
  }
  if (applied.length === 0) {
    if (tables.length === 0) return 'empty';
    throw new CommandRefused('the database is not empty: it has other tables');
  }
  const [mark] = await session.query<{ text: string | null }>(
    `select obj_description('schema_migrations'::regclass) as text`,
  );
  if (mark?.text === markOf(manifest)) return 'restored';
  const filled = await filledTables(session, tables);
  if (filled.length > 0) {
    throw new CommandRefused(
      `nothing was done: the database is not empty: there are rows in ${filled.slice(0, 3).join(', ')}; restore into an empty one`,
    );
  }
  const known = new Set(manifest.migrations.map(({ name }) => name));
  const unknown = applied.filter(({ name }) => !known.has(name));
  if (unknown.length > 0) {
    throw new CommandRefused(
      `the database has the empty tables of a newer release than the backup (${unknown.map(({ name }) => name).join(', ')}); restore into a database without tables`,
    );
  }
  return 'empty';
}

/**
 * Brings the rows into tables that a migration to the backup's version has made, in one transaction: all of them, or
 * none. Leaves a mark by which a repeated restore knows that they are there.
 */
export async function loadTables(session: CopySession, directory: string, manifest: Manifest): Promise<void> {
  const tables = new Map((await readTables(session)).map((table) => [table.name, table]));
  const known = manifest.tables.map((dumped) => {
    const table = tables.get(dumped.name);
    if (table === undefined) throw new Error(`no migration makes the table ${dumped.name} of the backup`);
    return { dumped, table };
  });
  await session.query('begin');
  const sqlNames = known.map(({ table }) => table.sqlName).join(', ');
  await session.query(`lock table ${sqlNames} in access exclusive mode`);
  const filled = await filledTables(session, [...tables.values()]);
  if (filled.length > 0) throw new CommandRefused('another program uses the database: it is no longer empty');
  const foreignKeys = await dropForeignKeys(session);
  for (const day of manifest.event_days)
    await session.query('select ensure_event_partition($1::date)', [day]);
  for (const { dumped, table } of known) {
    const rows = await session.copyIn(
      `copy ${table.sqlName} (${sqlColumnsOf(table, dumped.columns)}) from stdin`,
      readCompressed(directory, dumped.file),
    );
    if (rows !== dumped.rows) {
      throw new Error(`table ${dumped.name}: ${rows} rows came in, the backup has ${dumped.rows}`);
    }
  }
  for (const { table, name, definition } of foreignKeys) {
    await session.query(`alter table ${table} add constraint ${name} ${definition}`);
  }
  for (const { table, column, last_value } of manifest.sequences) {
    await session.query('select setval(pg_get_serial_sequence(quote_ident($1), $2)::regclass, $3::bigint)', [
      table,
      column,
      last_value,
    ]);
  }
  await session.query(`comment on table schema_migrations is '${markOf(manifest)}'`);
  await session.query('commit');
  await session.query(`analyze ${sqlNames}`);
}

/**
 * Returns the values of one column of a table in a backup, for columns whose values are stored unescaped, such as ids.
 */
export async function readColumn(
  directory: string,
  { columns, file }: BackupTable,
  column: string,
): Promise<Set<string>> {
  const at = columns.indexOf(column);
  const values = new Set<string>();
  let begun = '';
  for await (const chunk of readCompressed(directory, file)) {
    // Columns like these are ASCII, so it does not matter where a chunk cuts the text of others.
    const lines = (begun + chunk.toString('latin1')).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) values.add(line.split('\t')[at] ?? '');
  }
  return values;
}

function markOf(manifest: Manifest): string {
  return `restored from backup ${manifest.backup_id}`;
}

async function filledTables(session: CopySession, tables: readonly StoredTable[]): Promise<string[]> {
  const filled: string[] = [];
  for (const { name, sqlName } of tables) {
    const [row] = await session.query<{ is_filled: boolean }>(
      `select exists (select from ${sqlName}) as is_filled`,
    );
    if (row?.is_filled === true) filled.push(name);
  }
  return filled;
}

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/** They come back when all rows are there, which is faster and lets tables that name each other in. */
async function dropForeignKeys(session: CopySession): Promise<ForeignKey[]> {
  const found = await session.query<ForeignKey>(
    `select c.conrelid::regclass::text as table, quote_ident(c.conname) as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_namespace n on n.oid = c.connamespace and n.nspname = current_schema()
     where c.contype = 'f' and c.conparentid = 0`,
  );
  for (const { table, name } of found) await session.query(`alter table ${table} drop constraint ${name}`);
  return found;
}

function sqlColumnsOf(table: StoredTable, columns: readonly string[]): string {
  if (columns.join() !== table.columns.join())
    throw new Error(`table ${table.name} has other columns than in the backup`);
  return table.sqlColumns;
}
