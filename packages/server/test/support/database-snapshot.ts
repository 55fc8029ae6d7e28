import type { Database } from '../../src/platform/db/database.ts';

/** Tables that change without a request, or by one that did nothing. */
const COUNTERS = [
  'sign_in_rates',
  'rate_windows',
  'schema_migrations',
  'maintenance_tasks',
  'heartbeat_watch',
];
/** The mark of one database, which no other has. */
const MARK = 'lifecycle_feed';

/**
 * A digest of every row of every table, by table: two that are equal mean that nothing was done in between, or that one
 * database has what the other had. Numbers of transactions mean something in one database only and do not count.
 */
export async function snapshotDatabase(database: Database): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string; columns: string }>({
    name: 'test-snapshot-tables',
    text: `select c.relname::text as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.atttypid <> 'xid8'::regtype
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      group by c.relname order by c.relname`,
  });
  const digests: Record<string, string> = {};
  const compared = tables.filter(({ name }) => ![...COUNTERS, MARK].includes(name));
  for (const { name, columns } of compared) {
    const [row] = await database.query<{ digest: string | null }>({
      name: `test-snapshot-${name}`,
      text: `select md5(string_agg(md5(t::text), '' order by md5(t::text))) as digest
        from (select ${columns} from ${name}) as t`,
    });
    digests[name] = row?.digest ?? '';
  }
  return digests;
}
