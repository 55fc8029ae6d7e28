import type { CopySession } from '../../platform/db/copy-session.ts';
import { TABLES } from '../../roles/tables.ts';

const LEFT_OUT = TABLES.filter(({ isLeftOutOfBackups }) => isLeftOutOfBackups === true).map(
  ({ name }) => name,
);

/** The columns in which rows name objects. The schema of an older release may lack some. */
export const OBJECT_COLUMNS: readonly (readonly [table: string, column: string])[] = TABLES.flatMap(
  ({ name, objectColumn }) => (objectColumn === undefined ? [] : [[name, objectColumn] as const]),
);

/** A table with rows to keep, its names ready for SQL. */
export interface StoredTable {
  name: string;
  sqlName: string;
  columns: string[];
  sqlColumns: string;
}

/** The tables of the schema, of whatever release, without those that are left out; partitioned ones as a whole. */
export async function readTables(session: CopySession): Promise<StoredTable[]> {
  return await session.query<StoredTable>(
    `select c.relname::text as name, quote_ident(c.relname) as "sqlName",
      array_agg(a.attname::text order by a.attnum) as columns,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) as "sqlColumns"
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      -- Numbers of transactions mean something in one database only: a restored row gets that of the restore.
      and a.atttypid <> 'xid8'::regtype
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all ($1::text[])
    group by c.relname order by c.relname`,
    [LEFT_OUT],
  );
}

interface AppliedMigration {
  name: string;
  checksum: string;
}

/** Empty for a database without our schema. */
export async function readAppliedMigrations(session: CopySession): Promise<AppliedMigration[]> {
  const [found] = await session.query<{ table: string | null }>(
    `select to_regclass('schema_migrations')::text as table`,
  );
  if (found === undefined || found.table === null) return [];
  return await session.query<AppliedMigration>('select name, checksum from schema_migrations order by name');
}
