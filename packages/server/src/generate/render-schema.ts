import type { Database } from '../platform/db/database.ts';

/** What the migrations make, read back from the catalogs: partitions of a day are left out, they come and go. */
const OBJECTS = {
  name: 'schema-objects',
  text: `
    with relations as (
      select c.oid, c.relname, c.relkind, c.reloptions from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    ), columns as (
      select a.attrelid, string_agg('  ' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
          || case when a.attstorage = t.typstorage then '' else ' storage ' || case a.attstorage
            when 'p' then 'plain' when 'e' then 'external' when 'm' then 'main' else 'extended' end end
          || case when a.attidentity = '' then '' else ' generated always as identity' end
          || case when a.attgenerated = '' then coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
            else ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored' end
          || case when a.attnotnull then ' not null' else '' end, E',\\n' order by a.attnum) as text
      from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped group by a.attrelid
    ), constraints as (
      select conrelid, string_agg('  constraint ' || conname || ' ' || pg_get_constraintdef(oid), E',\\n'
          order by contype <> 'p', conname) as text
      from pg_constraint where contype <> 'n' group by conrelid
    ), indexes as (
      select i.indrelid, string_agg(pg_get_indexdef(i.indexrelid) || ';', E'\\n' order by i.indexrelid::regclass::text) as text
      from pg_index i
      where not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype <> 'f')
      group by i.indrelid
    )
    select text from (
    select 1 as rank, r.relname::text as name,
      'create table ' || r.relname || E' (\\n' || c.text || coalesce(E',\\n' || k.text, '') || E'\\n)'
        || coalesce(' partition by ' || pg_get_partkeydef(r.oid), '')
        || coalesce(' with (' || array_to_string(r.reloptions, ', ') || ')', '') || ';'
        || coalesce(E'\\n' || i.text, '') as text
    from relations r join columns c on c.attrelid = r.oid
    left join constraints k on k.conrelid = r.oid left join indexes i on i.indrelid = r.oid
    union all
    select 0, p.oid::regprocedure::text, pg_get_functiondef(p.oid) || ';'
    from pg_proc p where p.pronamespace = 'public'::regnamespace
    union all
    select 2, t.tgname::text, pg_get_triggerdef(t.oid) || ';'
    from pg_trigger t where not t.tgisinternal
    ) objects order by rank, name collate "C"`,
};

/** The schema as one SQL text: functions, tables with their constraints and indexes, triggers, each by name. */
export async function renderSchema(database: Database): Promise<string> {
  const objects = await database.query<{ text: string }>(OBJECTS);
  const head =
    '-- The schema as the migrations make it. Written by `npm run generate`; only the migrations are run.';
  return `${[head, ...objects.map(({ text }) => text)].join('\n\n')}\n`;
}
