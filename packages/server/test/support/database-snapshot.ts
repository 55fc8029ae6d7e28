import { createHash } from 'node:crypto';
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
  const compared = tables.filter(({ name }) => ![...COUNTERS, MARK].includes(name));
  // In one statement, because a hundred round trips take longer than reading all rows of a test.
  const text = compared
    .map(
      ({ name, columns }) => `select '${name}' as name, (
        select md5(string_agg(md5(t::text), '' order by md5(t::text))) from (select ${columns} from ${name}) as t
      ) as digest`,
    )
    .join(' union all ');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const rows = await database.query<{ name: string; digest: string | null }>({
    name: `test-snapshot-${hash}`,
    text,
  });
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest ?? '']));
}
