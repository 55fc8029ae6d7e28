-- Source maps, their uploads, and what waits for them.
alter table projects
  add column maps_version bigint not null default 0,
  add column shows_source boolean not null default true;

alter table incidents
  add column has_mapped_key boolean not null default false;

alter table bundles add column symbolication text;

alter table incident_aliases
  drop constraint incident_aliases_origin_check,
  add constraint incident_aliases_origin_check
    check (origin in ('merge', 'slot', 'regrouping', 'mapped', 'unmapped')) not valid;

create table source_maps (
  project_id uuid not null,
  source_map_id uuid not null,
  path text not null,
  debug_id uuid,
  releases text[] not null,
  removed_reason text check (removed_reason in ('unused', 'budget', 'replaced', 'deleted')),
  removed_at timestamptz(3),
  generated_sha256 bytea not null,
  map_sha256 bytea not null,
  generated_bytes bigint not null,
  map_bytes bigint not null,
  stored_bytes bigint not null,
  sources integer not null,
  segments integer not null,
  has_contents boolean not null,
  registers_id boolean not null,
  probe jsonb,
  -- Null once it is removed.
  object_key text,
  created_at timestamptz(3) not null default culprit_now(),
  last_needed_at timestamptz(3) not null default culprit_now(),
  uploaded_by uuid,
  primary key (project_id, source_map_id)
);
create unique index source_maps_bytes on source_maps (project_id, map_sha256, generated_sha256)
  where removed_at is null;
create index source_maps_listed on source_maps (project_id, created_at desc, source_map_id desc);
create index source_maps_needed on source_maps (project_id, last_needed_at) where removed_at is null;
create index source_maps_removed on source_maps (removed_at) where removed_at is not null;

-- Under which events find a source map: the id of its build, or a release and the name of its file.
create table source_map_names (
  project_id uuid not null,
  found_by text not null check (found_by in ('id', 'file')),
  -- The debug id, or the version of the release.
  key text not null,
  -- Hash of the base name of the file; 0 where the id says it all.
  base_hash bigint not null,
  source_map_id uuid not null,
  path text not null,
  primary key (project_id, found_by, key, base_hash, source_map_id)
);
create unique index source_map_names_id on source_map_names (project_id, key) where found_by = 'id';
create index source_map_names_map on source_map_names (project_id, source_map_id);

create table map_uploads (
  project_id uuid not null,
  upload_id uuid not null,
  user_id uuid,
  release text,
  state text not null check (state in ('open', 'processing', 'done', 'expired')),
  via text not null check (via in ('api', 'sentry')),
  -- Of what was announced, so that the same command goes on.
  manifest_hash bytea not null,
  announced_bytes bigint not null,
  created_at timestamptz(3) not null default culprit_now(),
  finished_at timestamptz(3),
  primary key (project_id, upload_id)
);
create index map_uploads_listed on map_uploads (project_id, created_at desc, upload_id desc);
create index map_uploads_open on map_uploads (created_at) where state = 'open';

create table map_upload_files (
  project_id uuid not null,
  upload_id uuid not null,
  position integer not null,
  path text not null,
  base_hash bigint not null,
  debug_id uuid,
  generated_sha256 bytea not null,
  generated_bytes bigint not null,
  map_sha256 bytea not null,
  map_bytes bigint not null,
  verdict text check (verdict in ('ready', 'unchanged', 'replaced', 'refused', 'skipped')),
  problem text,
  words text,
  source_map_id uuid,
  probe jsonb,
  fit jsonb,
  attempts integer not null default 0,
  primary key (project_id, upload_id, position)
);
create index map_upload_files_id on map_upload_files (project_id, debug_id, upload_id desc)
  where debug_id is not null;
create index map_upload_files_base on map_upload_files (project_id, base_hash, upload_id desc);

create table map_upload_parts (
  project_id uuid not null,
  upload_id uuid not null,
  sha256 bytea not null,
  part integer not null,
  object_key text not null,
  primary key (project_id, upload_id, sha256, part)
);

-- Incidents whose events named a map that was not there.
create table map_waits (
  project_id uuid not null,
  found_by text not null check (found_by in ('id', 'file')),
  key text not null,
  base_hash bigint not null,
  incident_id uuid not null,
  file text not null,
  reason text not null,
  service_name text,
  is_browser boolean not null,
  events bigint not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, found_by, key, base_hash, incident_id)
);
create index map_waits_incident on map_waits (incident_id);
create index map_waits_seen on map_waits (project_id, last_seen_at);

alter table member_tokens
  drop constraint member_tokens_access_check,
  add constraint member_tokens_access_check check (access in ('full', 'read', 'build')) not valid;

alter table lifecycle_events
  drop constraint lifecycle_events_kind_check,
  add constraint lifecycle_events_kind_check check (kind in ('incident.opened', 'incident.regressed',
    'incident.resolved', 'incident.reopened', 'incident.spike_detected', 'incident.severity_raised', 'incident.merged',
    'incident.split', 'incident.remapped', 'bundle.created', 'bundle.updated', 'improvement_bundle.created')) not valid;
