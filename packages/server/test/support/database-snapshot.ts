import type { Database } from '../../src/platform/db/database.ts';

/** Tables that requests may touch without having done anything. */
const COUNTERS = ['sign_in_rates', 'rate_windows', 'schema_migrations', 'chores'];

/** A digest of every row of every table, by table: two that are equal mean that nothing was done in between. */
export async function snapshotDatabase(database: Database): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>({
    name: 'test-snapshot-tables',
    text: `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  });
  const digests: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !COUNTERS.includes(table.name))) {
    const [row] = await database.query<{ digest: string | null }>({
      name: `test-snapshot-${name}`,
      text: `select md5(string_agg(md5(t::text), '' order by md5(t::text))) as digest from ${name} as t`,
    });
    digests[name] = row?.digest ?? '';
  }
  return digests;
}
