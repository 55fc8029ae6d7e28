-- The row of an event has one key under which a library may report repeats of it (docs/contract/incidents.md 5.10). A
-- separate row took a write of the table and one of a large index for each new text.
-- `suppression_keys` has what no row has room for: second keys of an event, and keys that reports keep alive.
alter table events add column report_key bigint;
create index events_report_key on events (report_key, received_at) where report_key is not null;

-- Rows of events and their ids are inserted and go all together. A vacuum because of inserts alone reads each page
-- again and writes all of it to the log a second time, for an index-only scan that no statement makes. Deleted rows and old
-- transactions still call for one.
create or replace function ensure_event_partition(day date) returns void language plpgsql as $$
declare
  partition_name text := 'events_' || to_char(day, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('culprit.events.partition'));
  if to_regclass(partition_name) is null then
    execute format('create table %I (like events including defaults including constraints)', partition_name);
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', partition_name);
    execute format('alter table events attach partition %I for values from (%L) to (%L)', partition_name,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end if;
end $$;
do $$
declare
  each record;
begin
  for each in select * from event_partitions(null, 'infinity') loop
    execute format('alter table %s set (autovacuum_vacuum_insert_threshold = -1)', each.partition);
  end loop;
end $$;
alter table event_ids set (autovacuum_vacuum_insert_threshold = -1);
