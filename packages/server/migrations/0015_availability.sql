-- Availability checks, their runs and their days (account.md 7).

create table availability_checks (
  check_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  name text not null,
  url text not null,
  method text not null check (method in ('GET', 'HEAD')),
  expected_status_min integer not null,
  expected_status_max integer not null,
  timeout_ms integer not null,
  interval_seconds integer not null,
  failure_threshold integer not null,
  recovery_threshold integer not null,
  environment text not null,
  service_name text,
  is_enabled boolean not null,

  -- What its runs say. Whether it is paused follows from `is_enabled` and the plan, and is stored nowhere.
  status text not null default 'unknown' check (status in ('unknown', 'passing', 'failing')),
  consecutive_failures integer not null default 0,
  consecutive_successes integer not null default 0,
  last_checked_at timestamptz(3),
  last_result_status text,
  last_result_http_status integer,
  last_result_error_kind text,
  last_result_duration_ms integer,
  -- When the latest run began, if it failed, and the interval then: downtime runs until the next run.
  failed_at timestamptz(3),
  failed_interval_seconds integer,
  -- Since when it is paused, as far as somebody saw it.
  paused_since timestamptz(3),

  -- The incident it told of last; it may not be there yet, or no longer. `is_reported`: it did not recover since.
  incident_id uuid,
  incident_environment text,
  incident_service text,
  is_reported boolean not null default false,
  -- The batch of its latest failure, and the one behind which a recovery has to resolve the incident.
  reported_batch_id uuid,
  awaited_batch_id uuid,

  -- Slots are `grid_at` plus multiples of the interval. A run is claimed as this row: whoever raised `claim_number` last
  -- holds it, until `leased_until` by the database clock.
  grid_at timestamptz(3) not null,
  next_check_at timestamptz(3) not null,
  claim_number integer not null default 0,
  leased_until timestamptz(3),

  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  check (expected_status_min <= expected_status_max)
) with (fillfactor = 70);
create index availability_checks_project on availability_checks (project_id, created_at desc, check_id desc);
create index availability_checks_due on availability_checks (next_check_at) where is_enabled;
create index availability_checks_awaiting on availability_checks (awaited_batch_id) where awaited_batch_id is not null;

-- Why a check does not run (7.4); null when it does. The oldest checks of a project keep their places.
create function availability_pause(c availability_checks, max_checks integer, min_interval_seconds integer) returns text
  language sql stable parallel safe
  as $$
    select case
      when not c.is_enabled then 'disabled'
      when (select count(*) from availability_checks older where older.project_id = c.project_id
        and (older.created_at, older.check_id) < (c.created_at, c.check_id)) >= max_checks then 'plan_check_limit'
      when c.interval_seconds < min_interval_seconds then 'plan_interval_limit' end
  $$;

-- One row per run. The slot is its identity: a run that is claimed twice counts once.
create table availability_results (
  result_id uuid primary key,
  check_id uuid not null references availability_checks (check_id) on delete cascade,
  project_id uuid not null,
  slot_at timestamptz(3) not null,
  started_at timestamptz(3) not null,
  completed_at timestamptz(3) not null,
  duration_ms integer not null,
  status text not null,
  http_status integer,
  error_kind text,
  checked_host text not null,
  final_url text not null,
  redirect_count integer not null,
  unique (check_id, slot_at)
);

-- What a day's runs add up to. A day without a row had neither a run nor a pause that was seen.
create table availability_days (
  check_id uuid not null references availability_checks (check_id) on delete cascade,
  project_id uuid not null,
  day date not null,
  successful_checks integer not null default 0,
  failed_checks integer not null default 0,
  successful_ms bigint not null default 0,
  first_checked_at timestamptz(3),
  last_checked_at timestamptz(3),
  downtime_ms bigint not null default 0,
  -- An incident was opened or regressed; one was open at the first run; one was resolved by recovery.
  has_opened boolean not null default false,
  began_open boolean not null default false,
  has_recovered boolean not null default false,
  was_paused boolean not null default false,
  -- In the order of opening.
  incident_ids uuid[] not null default '{}',
  primary key (check_id, day)
) with (fillfactor = 70);

-- Tests of a project in the current minute (7.6). Lost with a crash without harm.
create unlogged table availability_tests (
  project_id uuid primary key,
  started_at timestamptz(3) not null,
  tests integer not null
);
