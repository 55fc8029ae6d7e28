import { countRows } from './count-rows.ts';
import type { TestCulprit } from './culprit.ts';

/** Tables with a row that shows the text in any column. */
export async function tablesWith(culprit: TestCulprit, text: string): Promise<string[]> {
  const tables = await culprit.database.query<{ name: string }>({
    name: 'test-tables',
    text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  });
  const found = [];
  for (const { name } of tables) {
    if ((await countRows(culprit, `"${name}" as t where strpos(t::text, $1) > 0`, [text])) > 0) {
      found.push(name);
    }
  }
  return found;
}
