-- The id that a client gave its event stands in the row of the event, with an index for each day. A table of all ids of
-- seven days took a row of its own and an entry on any page of a large index, and most of these pages were written to the
-- log as a whole. `event_ids` has the ids of events whose rows are gone or never were.
alter table events add column id_hash bigint;
-- The first 64 bits of the fingerprint under which an incident counted the event, and 0 if none did: reports of
-- suppressed repeats name an event that was sent (5.10). Null without an id.
alter table events add column signal_key bigint;
create index events_id on events (id_hash) where id_hash is not null;

-- The look for repetitions reads both parts by itself: one row of an id is enough for it, and it stops there.
create view known_event_ids as
  select project_id, id_hash, received_at, signal_key from event_ids
  union all
  select project_id, id_hash, received_at, signal_key from events where id_hash is not null;

-- The receipt of the oldest event that can still be repeated: by one that was accepted long ago and waits for its worker.
create function event_ids_known_from() returns timestamptz language sql stable as $$
  select coalesce(least(culprit_now(), min(created_at)) - interval '1 min', culprit_now()) - interval '7 days'
    from jobs where lane = 'events'
$$;

-- Removes up to `rows_max` rows of a day that meet a condition on `$1` and `$2`, and returns their number. Their ids are
-- kept while they can be repeated: windows may be shorter than seven days, and incidents end.
create function delete_rows_of_day(day_rows regclass, condition text, ids uuid[], received_before timestamptz,
    rows_max integer) returns integer language plpgsql as $$
declare
  removed integer;
begin
  execute format('with gone as (
      delete from %1$s where ctid = any (array(select ctid from %1$s where %2$s limit $3))
      returning project_id, id_hash, received_at, signal_key
    ), kept as (
      insert into event_ids as o (project_id, id_hash, received_at, signal_key)
      select distinct on (project_id, id_hash) project_id, id_hash, received_at, signal_key from gone
      where id_hash is not null and received_at >= $4
        and project_id in (select project_id from projects where deleted_at is null)
      order by project_id, id_hash, received_at desc
      on conflict (project_id, id_hash) do update
        set received_at = excluded.received_at, signal_key = excluded.signal_key
        where o.received_at < excluded.received_at
    )
    select count(*) from gone', day_rows, condition)
    into removed using ids, received_before, rows_max, event_ids_known_from();
  return removed;
end $$;

create or replace function remove_event_rows(project uuid, received_from timestamptz, received_before timestamptz,
    rows_max integer) returns integer language plpgsql as $$
declare
  each record;
  total integer := 0;
begin
  for each in select * from event_partitions((received_from at time zone 'UTC')::date,
      (received_before at time zone 'UTC')::date + 1) loop
    total := total + delete_rows_of_day(each.partition, 'project_id = $1[1] and received_at < $2', array[project],
      received_before, rows_max - total);
    exit when total >= rows_max;
  end loop;
  return total;
end $$;

create or replace function remove_incident_event_rows(incidents uuid[], rows_max integer) returns integer
    language plpgsql as $$
declare
  each record;
  total integer := 0;
begin
  for each in select * from event_partitions(null, 'infinity') loop
    total := total + delete_rows_of_day(each.partition, 'incident_id = any ($1)', incidents, null, rows_max - total);
    exit when total >= rows_max;
  end loop;
  return total;
end $$;

create or replace function drop_event_day(before_day date) returns boolean language plpgsql set lock_timeout = '1s' as $$
declare
  oldest record;
begin
  select * into oldest from event_partitions(null, before_day) limit 1;
  if oldest.partition is null then return false; end if;
  if (oldest.day + 1)::timestamp at time zone 'UTC' > event_ids_known_from() then
    perform delete_rows_of_day(oldest.partition, 'id_hash is not null', null, null, null);
  end if;
  execute format('drop table %s', oldest.partition);
  return true;
end $$;
