-- Heartbeats: scheduled jobs that say that they ran (docs/contract/team-workflow.md 8).

create table heartbeats (
  heartbeat_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  slug text not null,
  environment text not null,
  name text not null,
  service_name text,
  schedule_type text not null check (schedule_type in ('crontab', 'interval')),
  schedule_value text not null,
  schedule_unit text,
  timezone text not null,
  margin_minutes integer not null,
  max_runtime_minutes integer not null,
  failure_threshold integer not null,
  recovery_threshold integer not null,
  is_enabled boolean not null,
  managed_by text not null check (managed_by in ('check_in', 'member')),
  -- What `/v1/heartbeats/<key>` takes: who has it can report runs of this job and nothing else.
  ping_key text not null unique,

  status text not null default 'unknown' check (status in ('unknown', 'passing', 'failing')),
  consecutive_failures integer not null default 0,
  consecutive_successes integer not null default 0,
  last_check_in_at timestamptz(3),
  last_status text,
  last_duration_ms integer,

  -- The slot that is waited for: a check-in after `slot_opened_at` satisfies it, at `expected_at` and the margin it is
  -- missed. `judge_at` is that deadline or that of the oldest run without an end, whichever comes first.
  slot_opened_at timestamptz(3) not null,
  expected_at timestamptz(3) not null,
  judge_at timestamptz(3) not null,

  -- Check-ins of the current minute.
  minute_began_at timestamptz(3) not null default culprit_now(),
  minute_check_ins integer not null default 0,

  -- The incident it reported last, as of an availability check.
  incident_id uuid,
  incident_environment text,
  incident_service text,
  is_reported boolean not null default false,
  reported_batch_id uuid,
  awaited_batch_id uuid,

  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  unique (project_id, slug, environment)
) with (fillfactor = 70);
create index heartbeats_project on heartbeats (project_id, created_at desc, heartbeat_id desc);
create index heartbeats_due on heartbeats (judge_at) where is_enabled;
create index heartbeats_awaiting on heartbeats (awaited_batch_id) where awaited_batch_id is not null;

-- One row for each run, and for each that was missed.
create table heartbeat_runs (
  project_id uuid not null,
  heartbeat_id uuid not null references heartbeats (heartbeat_id) on delete cascade,
  check_in_id uuid not null,
  status text not null check (status in ('in_progress', 'ok', 'error', 'missed', 'timeout', 'unknown')),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  timeout_at timestamptz(3),
  duration_ms integer,
  environment text not null,
  release text,
  trace_id text,
  output text,
  primary key (project_id, heartbeat_id, check_in_id)
);
create index heartbeat_runs_newest on heartbeat_runs (heartbeat_id, started_at desc, check_in_id desc);
create index heartbeat_runs_open on heartbeat_runs (heartbeat_id, timeout_at) where status = 'in_progress';

-- When check-ins could last be received and judged, and the latest time in which they could not: a slot that
-- overlaps it proves nothing. Its length is measured by the clock of the machine, its place told by the service's.
-- A crash may empty it: all time before it is then unknown.
create unlogged table heartbeat_watch (
  role text primary key check (role in ('api', 'worker')),
  seen_at timestamptz(3) not null,
  gap_began_at timestamptz(3),
  gap_ended_at timestamptz(3)
);
