-- Occurrences of incidents by hour (docs/contract/dashboard.md 9, A-3 and A-4). The counts of minutes move here when no
-- spike rule looks at them any more, in the statement that removes them; until then they are read from there.
create table incident_hours (
  incident_id uuid not null,
  -- Whole UTC hours since the epoch.
  hour integer not null,
  occurrences integer not null,
  -- Those of them that a client library counted instead of sending.
  suppressed integer not null,
  primary key (incident_id, hour)
) with (fillfactor = 90);

alter table incident_minutes add column suppressed integer not null default 0;

-- The hour since which both tables have everything; what came before is counted from the rows of events. Minutes of
-- incidents that are there now go back 130 minutes.
do $$ begin
  execute format('alter table incidents add column hours_from integer not null default %s',
    floor(extract(epoch from culprit_now() - interval '130 min') / 3600)::integer + 1);
end $$;
alter table incidents alter column hours_from set default 0;

-- Where the failure is, of the newest bundle; null for one that an older release made.
alter table bundles add column top_frame jsonb;
