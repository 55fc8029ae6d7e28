-- How the runs of heartbeats ended, by day (UTC, of their begin): longer than the runs are kept (team-workflow.md 8.5).
-- A row is made by the first run of a day that ends.
create table heartbeat_days (
  project_id uuid not null,
  heartbeat_id uuid not null references heartbeats (heartbeat_id) on delete cascade,
  day date not null,
  ok integer not null default 0,
  failed integer not null default 0,
  missed integer not null default 0,
  timed_out integer not null default 0,
  -- Of which the service cannot tell, because it was away itself.
  unknown integer not null default 0,
  -- Of the runs that were ok and said how long they took.
  timed_ok integer not null default 0,
  ok_ms bigint not null default 0,
  primary key (project_id, heartbeat_id, day)
) with (fillfactor = 70);
create index heartbeat_days_old on heartbeat_days (day);
