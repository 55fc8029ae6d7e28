-- Improvements: what a service does too often or too slowly without failing (incidents.md 6).

alter table projects
  add column automated_improvement_bundles_enabled boolean not null default true,
  add column improvement_bundle_sensitivity text not null default 'high_confidence'
    check (improvement_bundle_sensitivity in ('high_confidence', 'balanced', 'verbose'));

-- One row per detector and key of a service. A candidate is internal: its threshold was never crossed.
create table improvements (
  improvement_id uuid primary key,
  project_id uuid not null,
  service_id uuid not null,
  service_name text not null,
  environment text not null,
  detector text not null,
  -- What is counted, such as method and route; the fingerprint is made of detector and key.
  detector_key text not null,
  fingerprint bytea not null,
  status text not null check (status in ('candidate', 'open', 'resolved', 'snoozed')),
  -- 0 low, 1 medium, 2 high, 3 critical.
  severity smallint not null default 0,
  confidence_percent smallint not null default 0,
  title text not null default '',
  summary text not null default '',
  evidence jsonb not null default '{}',
  related_incident_ids uuid[] not null default '{}',
  occurrence_count bigint not null default 0,
  -- Effective times.
  first_detected_at timestamptz(3) not null,
  last_detected_at timestamptz(3) not null,
  -- Of the newest observation: retention and state follow the server's clock (5.9, 8).
  last_received_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  snoozed_until timestamptz(3),
  -- Counts crossings of the threshold; a document belongs to the episode for which it was made first.
  episode integer not null default 0,
  bundle_episode integer not null default 0,
  bundle_generation integer not null default 0,
  bundle_object_key text,
  bundle_size_bytes integer,
  bundle_sha256 bytea,
  bundle_created_at timestamptz(3),
  bundle_updated_at timestamptz(3),
  -- What the stored document showed, and when it was last compared with what there is.
  bundle_occurrence_count bigint not null default 0,
  bundle_checked_at timestamptz(3),
  bundle_failure_reason text,
  check ((status = 'resolved') = (resolved_at is not null)),
  check ((status = 'snoozed') = (snoozed_until is not null)),
  unique (service_id, fingerprint)
) with (fillfactor = 70);
create index improvements_list on improvements (project_id, last_detected_at desc, improvement_id desc)
  where status <> 'candidate';
create index improvements_project on improvements (project_id);
create index improvements_idle on improvements (last_received_at) where status = 'candidate';

-- Observations of one improvement in one span of time: the rolling counters. Matches are counted at each sensitivity;
-- the severe ones lie at twice the limit or beyond.
create table improvement_counters (
  improvement_id uuid not null references improvements (improvement_id) on delete cascade,
  bucket_at timestamptz(3) not null,
  project_id uuid not null,
  at_high_confidence integer not null,
  at_balanced integer not null,
  at_verbose integer not null,
  severe_high_confidence integer not null,
  severe_balanced integer not null,
  severe_verbose integer not null,
  -- Everything of this key, matching or not: what a percentage is taken of.
  total integer not null,
  -- Effective times of the first and the last match.
  first_at timestamptz(3),
  last_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (improvement_id, bucket_at)
) with (fillfactor = 70);
create index improvement_counters_expired on improvement_counters (expires_at);

-- Failed requests of one correlation id: parts of a group of retries, whose other parts may come in other batches.
create table improvement_attempts (
  improvement_id uuid not null references improvements (improvement_id) on delete cascade,
  correlation_hash bigint not null,
  project_id uuid not null,
  -- Milliseconds, the newest ones.
  attempted_at_ms bigint[] not null,
  -- The most attempts found within the time of a group.
  largest smallint not null,
  expires_at timestamptz(3) not null,
  primary key (improvement_id, correlation_hash)
) with (fillfactor = 70);
create index improvement_attempts_expired on improvement_attempts (expires_at);
create index improvement_attempts_project on improvement_attempts (project_id);

-- The observations a document is made of: the latest, and the one that weighs most.
create table improvement_samples (
  improvement_id uuid not null references improvements (improvement_id) on delete cascade,
  role text not null check (role in ('latest', 'heaviest')),
  project_id uuid not null,
  event_id text collate "C" not null,
  effective_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  weight double precision not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  primary key (improvement_id, role)
) with (fillfactor = 70);

-- The ledger tells of improvements too; each row is about one thing.
alter table lifecycle_events
  alter column incident_id drop not null,
  add column improvement_id uuid,
  drop constraint lifecycle_events_kind_check,
  add constraint lifecycle_events_kind_check check (kind in ('incident.opened', 'incident.regressed',
    'incident.resolved', 'incident.reopened', 'incident.spike_detected', 'incident.severity_raised', 'bundle.created',
    'bundle.updated', 'improvement_bundle.created')),
  add constraint lifecycle_events_subject check ((incident_id is null) = (kind = 'improvement_bundle.created')
    and (improvement_id is null) = (kind <> 'improvement_bundle.created'));
create index lifecycle_events_improvement on lifecycle_events (improvement_id) where improvement_id is not null;
