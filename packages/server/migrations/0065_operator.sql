-- What the operator page and the doctor show of the installation (docs/contract/server-additions.md S12).

-- Processes that run now. Each writes its row every half minute and removes it when it stops; a crash may empty it.
create unlogged table processes (
  process_id uuid primary key,
  role text not null check (role in ('api', 'worker')),
  pid integer not null,
  host text not null,
  version text not null,
  started_at timestamptz(3) not null,
  rss_bytes bigint not null,
  -- Operations of the object store that failed in this process within the last hour.
  object_failures integer not null,
  seen_at timestamptz(3) not null default culprit_now()
);
create index processes_seen on processes (seen_at);

-- Events of the canary: one a minute, for two days.
create table canary_runs (
  canary_run_id bigint generated always as identity primary key,
  ran_at timestamptz(3) not null default culprit_now(),
  -- Null: it arrived everywhere.
  missing text check (missing in ('intake', 'incident', 'webhook')),
  incident_ms integer,
  webhook_ms integer
);
create index canary_runs_ran on canary_runs (ran_at);

-- Backups that were made of this database.
create table backups (
  backup_id uuid primary key,
  finished_at timestamptz(3) not null default culprit_now(),
  directory text not null,
  size_bytes bigint not null,
  missing_objects integer not null
);
create index backups_finished on backups (finished_at);

-- The fates of all projects since an hour.
create index event_fates_hour on event_fates (hour);
