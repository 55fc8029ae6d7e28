-- Releases as records (docs/contract/source-maps.md 10). What servers were known to run moves there.
-- Needs releases that know 0220_releases.sql
create table releases (
  project_id uuid not null,
  release_id uuid not null,
  version text not null,
  -- What named it first.
  created_by text not null check (created_by in ('event', 'deploy', 'upload', 'api')),
  -- Whether the event that named it first was one that a browser can send.
  is_of_browsers boolean not null default false,
  created_at timestamptz(3) not null default culprit_now(),
  -- Creation or the earliest deploy.
  first_at timestamptz(3) not null,
  -- The receive time of its latest event.
  last_seen_at timestamptz(3),
  -- The latest event, deploy, upload or call that named it: retention counts from there.
  last_named_at timestamptz(3) not null default culprit_now(),
  commit_sha text,
  branch text,
  url text,
  primary key (project_id, release_id)
);
create unique index releases_version on releases (project_id, version);
create index releases_listed on releases (project_id, first_at desc, release_id desc);

-- Services in which a release was seen or deployed.
create table release_services (
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  release_id uuid not null,
  first_at timestamptz(3) not null,
  -- Null: deployed, and no event names it.
  last_seen_at timestamptz(3),
  -- A server named it: where a service had another one before, that is a deployment (docs/contract/incidents.md 5.8).
  is_run boolean not null default false,
  primary key (project_id, service_name, environment, release_id)
);
create index release_services_release on release_services (project_id, release_id);

-- Counts of a release in a day (UTC) of receipt.
create table release_days (
  project_id uuid not null,
  release_id uuid not null,
  day date not null,
  events bigint not null default 0,
  new_incidents integer not null default 0,
  regressed_incidents integer not null default 0,
  primary key (project_id, release_id, day)
);

create table release_commits (
  project_id uuid not null,
  release_id uuid not null,
  position integer not null,
  sha text not null,
  author_name text,
  message text not null,
  committed_at timestamptz(3),
  primary key (project_id, release_id, position)
);

-- Names beyond the limit of a day, which became no release.
create table unnamed_releases (
  project_id uuid not null,
  day date not null,
  name_hash bigint not null,
  primary key (project_id, day, name_hash)
);
create index unnamed_releases_day on unnamed_releases (day);

insert into releases (project_id, release_id, version, created_by, first_at)
select project_id, gen_random_uuid(), release, 'event', min(first_seen_at)
from service_releases where release ~ '^[^[:cntrl:]]{1,200}$' group by project_id, release;

insert into release_services (project_id, service_name, environment, release_id, first_at, is_run)
select s.project_id, s.name, s.environment, r.release_id, o.first_seen_at, true
from service_releases o
join services s on s.service_id = o.service_id
join releases r on r.project_id = o.project_id and r.version = o.release;

drop table service_releases;

create index deployments_version on deployments (project_id, coalesce(version, commit_sha));

-- By receive time of its signals; null until one of them names a release.
alter table incidents
  add column first_release text,
  add column last_release text,
  add column regressed_in_release text;
create index incidents_first_release on incidents (project_id, first_release) where first_release is not null;
create index incidents_last_release on incidents (project_id, last_release) where last_release is not null;
create index incidents_regressed_in on incidents (project_id, regressed_in_release)
  where regressed_in_release is not null;

-- Releases in which incidents are resolved, as long as they are.
create table incident_resolutions (
  project_id uuid not null,
  incident_id uuid not null primary key,
  kind text not null check (kind in ('next_release', 'release')),
  -- The latest release of its service when it was resolved in the next one.
  after_version text,
  -- Null until a later one is seen.
  version text,
  set_at timestamptz(3) not null default culprit_now(),
  -- Releases before it whose signals are in its history.
  old_releases text[] not null default '{}'
);
create index incident_resolutions_version on incident_resolutions (project_id, version) where version is not null;
create index incident_resolutions_open on incident_resolutions (project_id) where version is null;

alter table lifecycle_events
  drop constraint lifecycle_events_kind_check,
  add constraint lifecycle_events_kind_check check (kind in ('incident.opened', 'incident.regressed',
    'incident.resolved', 'incident.reopened', 'incident.spike_detected', 'incident.severity_raised', 'incident.merged',
    'incident.split', 'incident.assigned', 'incident.unassigned', 'incident.prioritized', 'incident.snoozed',
    'incident.woke', 'incident.noted', 'incident.fix_proposed', 'incident.remapped', 'incident.seen_in_old_release',
    'bundle.created', 'bundle.updated', 'improvement_bundle.created')) not valid;
