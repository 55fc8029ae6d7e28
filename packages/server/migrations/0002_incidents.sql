-- Incidents, events, bundles and the lifecycle ledger (incidents.md 1 to 5, 7.1).

create table services (
  service_id uuid primary key,
  project_id uuid not null,
  name text collate "C" not null,
  environment text collate "C" not null,
  runtime text,
  framework text,
  last_seen_at timestamptz(3) not null,
  unique (project_id, name, environment)
);

create table deployments (
  deployment_id uuid primary key,
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  version text,
  commit_sha text,
  branch text,
  deployed_at timestamptz(3) not null,
  event_id text collate "C" not null,
  received_at timestamptz(3) not null,
  unique nulls not distinct (project_id, service_name, environment, version, commit_sha, deployed_at)
);
create index deployments_lookup on deployments (project_id, service_name, environment, deployed_at desc);

create table incidents (
  incident_id uuid primary key,
  project_id uuid not null,
  service_id uuid not null,
  service_name text not null,
  environment text not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  fingerprint_kind text not null,
  title text not null,
  -- 0 low, 1 medium, 2 high, 3 critical; never goes down.
  severity smallint not null,
  status text not null check (status in ('open', 'resolved', 'regressed')),
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  occurrence_count bigint not null check (occurrence_count >= 1),
  spike_detected_at timestamptz(3),
  -- Set while a spike episode lasts: when both rules were last true (5.7).
  spike_last_true_at timestamptz(3),
  resolved_at timestamptz(3),
  resolved_by_user_id uuid,
  regressed_at timestamptz(3),
  status_changed_at timestamptz(3) not null,
  matched_fields text[] not null,
  reason_kind text not null,
  reason_description text not null,
  reason_event_type text not null,
  reason_matched_policy text not null,
  is_verification boolean not null default false,
  newest_received_at timestamptz(3) not null,
  affected_users integer not null default 0,
  distinct_requests integer not null default 0,
  occurrences_without_request_id bigint not null default 0,
  occurrences_with_request_block bigint not null default 0,
  suppressed_count bigint not null default 0,
  check ((status = 'resolved') = (resolved_at is not null)),
  check (status <> 'regressed' or regressed_at is not null),
  check (first_seen_at <= last_seen_at),
  unique (service_id, fingerprint_version, fingerprint)
) with (fillfactor = 80);
create index incidents_list on incidents (project_id, last_seen_at desc, incident_id desc);
create index incidents_active on incidents (project_id, last_seen_at desc, incident_id desc)
  where status <> 'resolved';

-- Occurrences per minute of the last 65 minutes of each incident; the base of spike detection.
create table incident_minutes (
  incident_id uuid not null,
  minute integer not null,
  occurrences integer not null,
  primary key (incident_id, minute)
) with (fillfactor = 70);

-- Exact sets of an incident's users, by hash, up to 1,000 of them, then a sketch (5.11).
create table incident_members (
  incident_id uuid not null,
  member bigint not null,
  primary key (incident_id, member)
);
create table incident_sketches (
  incident_id uuid primary key,
  registers bytea not null
);

-- The at most seven occurrences whose full detail an incident keeps, with the place of their bytes (3.3).
create table incident_samples (
  incident_id uuid not null,
  event_id text collate "C" not null,
  effective_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  severity smallint not null,
  richness smallint not null,
  roles text[] not null,
  is_origin_bound boolean not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  primary key (incident_id, event_id)
);

-- One narrow row per accepted event. Payloads stay in objects and are read back by frame and offset.
create table events (
  project_id uuid not null,
  service_id uuid not null,
  incident_id uuid,
  batch_id uuid not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- Hashes of the ids by which events find each other: the ids themselves are in the payload.
  trace_hash bigint,
  request_hash bigint,
  session_hash bigint,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  -- CRC-like hash of the library's name, enough to tell two libraries of one service apart (5.10).
  library integer not null,
  event_type smallint not null,
  event_class smallint not null,
  -- -1 none, else the rank of ingestion.md 2.4.
  level smallint not null,
  is_counted boolean not null,
  event_id text collate "C" not null
) partition by range (received_at);
-- Every byte of these is paid for with each event: hashes alone, and no event id to order the few of one moment.
create index events_incident on events (incident_id, occurred_at desc) where incident_id is not null;
create index events_trace on events (trace_hash) where trace_hash is not null;
create index events_request on events (request_hash) where request_hash is not null;
create index events_session on events (session_hash) where session_hash is not null;
-- Neighbours in time: logs (3) and probe events (7) of a service that carry no correlation id (3.3).
create index events_loose on events (service_id, occurred_at)
  where event_type in (3, 7) and trace_hash is null and request_hash is null;

-- Ids seen in accepted events during the last 7 days, by hash. A unique index cannot span day partitions.
create table event_ids (
  project_id uuid not null,
  id_hash bigint not null,
  received_at timestamptz(3) not null,
  primary key (project_id, id_hash)
);
create index event_ids_received on event_ids using brin (received_at);

-- Context events that a bundle used or that joined an incident's timeline without being an occurrence of it.
create table incident_context (
  incident_id uuid not null,
  event_id text collate "C" not null,
  event_type smallint not null,
  level smallint not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  primary key (incident_id, event_id)
);

create table bundles (
  incident_id uuid primary key,
  project_id uuid not null,
  status text not null check (status in ('pending', 'ready', 'failed')),
  failure_reason text,
  generation integer not null default 0,
  object_key text,
  size_bytes integer,
  content_sha256 bytea,
  first_generated_at timestamptz(3),
  generated_at timestamptz(3),
  -- What stored generations showed: the last one's count, every block that was ever there. A refresh compares with it
  -- to tell whether it is notable (3.9).
  occurrence_count bigint not null default 0,
  blocks text[] not null default '{}',
  is_reproducible boolean,
  -- Bits of what was offered to it or shown by it before; each brings a refresh forward once (3.9).
  offers integer not null default 0
) with (fillfactor = 80);
create index bundles_cap on bundles (project_id, generated_at) where status = 'ready';

-- Everything that happens to an incident or bundle, once. Webhooks, alerts and timelines are readings of it.
create table lifecycle_events (
  lifecycle_id bigint generated always as identity primary key,
  project_id uuid not null,
  incident_id uuid not null,
  kind text not null check (kind in ('incident.opened', 'incident.regressed', 'incident.resolved',
    'incident.reopened', 'incident.spike_detected', 'incident.severity_raised', 'bundle.created',
    'bundle.updated')),
  occurred_at timestamptz(3) not null default culprit_now(),
  data jsonb not null default '{}'
);
create index lifecycle_events_incident on lifecycle_events (incident_id, lifecycle_id);

-- Objects that no row names any more; removed by a job, after which the tombstone goes.
create table object_tombstones (
  object_key text primary key,
  project_id uuid not null,
  created_at timestamptz(3) not null default culprit_now()
);

-- Makes the partition of a UTC day unless it exists. Attaching takes a lock that readers and writers do not feel.
create function ensure_event_partition(day date) returns void language plpgsql as $$
declare
  partition_name text := 'events_' || to_char(day, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('culprit.events.partition'));
  if to_regclass(partition_name) is null then
    execute format('create table %I (like events including defaults including constraints)', partition_name);
    execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.5)', partition_name);
    execute format('alter table events attach partition %I for values from (%L) to (%L)', partition_name,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end if;
end $$;
