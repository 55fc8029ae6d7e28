import type { CopySession } from '../../platform/db/copy-session.ts';

/** A table with rows to keep, its names ready for SQL. */
export interface StoredTable {
  name: string;
  sqlName: string;
  columns: string[];
  sqlColumns: string;
}

/**
 * The tables of the schema, partitioned ones as a whole, without what a crash may empty (unlogged tables), the record of
 * migrations, and the name of the object store, which belongs to the place and not to the rows.
 */
export async function readTables(session: CopySession): Promise<StoredTable[]> {
  return await session.query<StoredTable>(`
    select c.relname::text as name, quote_ident(c.relname) as "sqlName",
      array_agg(a.attname::text order by a.attnum) as columns,
      string_agg(quote_ident(a.attname), ', ' order by a.attnum) as "sqlColumns"
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and c.relname not in ('schema_migrations', 'object_store')
    group by c.relname order by c.relname`);
}

export interface AppliedMigration {
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
