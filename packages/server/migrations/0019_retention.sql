-- Retention (incidents.md 8): what is needed to find what is too old, and to remove it in small steps.

alter table projects
  -- When its old data is looked for again; new projects have none at first.
  add column retention_due_at timestamptz(3) not null default culprit_now() + interval '1 h',
  -- The first UTC day of receipt whose folder of raw objects may still hold something.
  add column raw_kept_from date not null default (culprit_now() at time zone 'UTC')::date,
  -- Event rows received before this moment are gone; each look goes on from there. Null: look at all of them.
  add column events_kept_from timestamptz(3);
create index projects_retention on projects (retention_due_at) where deleted_at is null;

-- Incidents that are gone for everybody, with the rest of them still to be removed: what hangs on them, rows that were
-- being written at that moment, and the folder of their bundles. Gone itself after a second look.
create table incident_tombstones (
  incident_id uuid primary key,
  project_id uuid not null,
  created_at timestamptz(3) not null default culprit_now()
);
create index incident_tombstones_project on incident_tombstones (project_id, incident_id);

create index object_tombstones_project on object_tombstones (project_id, created_at);

-- Batches are looked for by project, also when a project is emptied. What falls out at one end and comes in at the other
-- leaves no order of blocks by time, which is all that a BRIN index knows.
drop index batches_received;
create index batches_project on batches (project_id, received_at);
-- Old ids are found by reading the table once a day.
drop index event_ids_received;

-- Work that some worker does every so often. Whoever moves the time forward does it.
create table chores (
  chore text primary key,
  due_at timestamptz(3) not null
);

-- Which blocks of a day hold rows of a project, in some hundred bytes for each 256 KB: next to nothing for whoever adds
-- a row, and enough for a project to find its own few among those of many others.
create index events_project on events using brin (project_id uuid_bloom_ops (n_distinct_per_range = 100))
  with (pages_per_range = 32);

-- The day partitions of the events that begin in a span of days, the oldest first.
create function event_partitions(from_day date, before_day date) returns table (partition regclass, day date)
  language sql stable as $$
    select c.oid::regclass, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass
      and to_date(right(c.relname, 8), 'YYYYMMDD') >= coalesce(from_day, '-infinity')
      and to_date(right(c.relname, 8), 'YYYYMMDD') < before_day
    order by day
  $$;

-- Removes up to `rows_max` event rows of a project that were received in a span; returns how many. `received_from` null:
-- from the beginning.
create function remove_event_rows(project uuid, received_from timestamptz, received_before timestamptz, rows_max integer)
  returns integer language plpgsql as $$
declare
  each record;
  removed integer;
  total integer := 0;
begin
  for each in select * from event_partitions((received_from at time zone 'UTC')::date,
      (received_before at time zone 'UTC')::date + 1) loop
    execute format('delete from %1$s where ctid = any (array(
        select ctid from %1$s where project_id = $1 and received_at < $2 limit $3))', each.partition)
      using project, received_before, rows_max - total;
    get diagnostics removed = row_count;
    total := total + removed;
    exit when total >= rows_max;
  end loop;
  return total;
end $$;

-- Removes up to `rows_max` event rows of incidents; returns how many.
create function remove_incident_event_rows(incidents uuid[], rows_max integer) returns integer language plpgsql as $$
declare
  each record;
  removed integer;
  total integer := 0;
begin
  for each in select * from event_partitions(null, 'infinity') loop
    execute format('delete from %1$s where ctid = any (array(
        select ctid from %1$s where incident_id = any ($1) limit $2))', each.partition)
      using incidents, rows_max - total;
    get diagnostics removed = row_count;
    total := total + removed;
    exit when total >= rows_max;
  end loop;
  return total;
end $$;

-- Removes the oldest day of events that began before a day; false when there is none.
create function drop_event_day(before_day date) returns boolean language plpgsql set lock_timeout = '1s' as $$
declare
  oldest regclass;
begin
  select partition into oldest from event_partitions(null, before_day) limit 1;
  if oldest is null then return false; end if;
  execute format('drop table %s', oldest);
  return true;
end $$;
