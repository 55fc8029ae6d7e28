import type { Database } from './database.ts';
import { sql } from './statement.ts';

/** The settings without which a 202 would promise too much (docs/contract/reliability.md A1). */
const DURABLE_SETTINGS = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;

/** Names of durability settings that are off in this database; empty when accepted events are safe in it. */
export async function missingDurability(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string; setting: string }>(
    sql('durability-settings')`select name, setting from pg_settings where name = any ($1)`,
    [[...DURABLE_SETTINGS]],
  );
  const settings = new Map(rows.map((row) => [row.name, row.setting]));
  return DURABLE_SETTINGS.filter((name) => ['off', 'local', undefined].includes(settings.get(name)));
}
