import type { Queryable } from '../../src/platform/db/database.ts';

/** Columns of incidents that are written; the others follow from them. */
const WRITTEN = `select string_agg(attname, ', ') as columns from pg_attribute
  where attrelid = 'incidents'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`;

/**
 * Copies incidents `i`.
 * @param changed a JSON object of the columns that differ, made of `i` and `n`
 * @param from where `i` and `n` come from, behind `from`
 */
export async function copyIncidents(
  database: Queryable,
  { changed, from }: { changed: string; from: string },
  parameters: readonly string[],
): Promise<void> {
  const [row] = await database.query<{ columns: string }>({ name: '', text: WRITTEN });
  await database.query(
    {
      name: '',
      // The offset keeps each copy from being made once for each of its columns.
      text: `insert into incidents (${row?.columns}) select ${row?.columns} from (
          select (c.copy).* from (
            select jsonb_populate_record(i, ${changed}) as copy from ${from} offset 0) c) copies`,
    },
    [...parameters],
  );
}
