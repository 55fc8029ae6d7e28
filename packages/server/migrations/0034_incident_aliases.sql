-- Keys besides its own under which an incident takes events (docs/contract/incidents.md 5.4.8): an incident of grouping
-- version 1 goes on with the events of version 2 that are its own. One incident a key; the rows go with the incident.
create table incident_aliases (
  service_id uuid not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  project_id uuid not null,
  incident_id uuid not null,
  origin text not null check (origin in ('upgrade', 'merge', 'slot')),
  created_at timestamptz(3) not null,
  primary key (service_id, fingerprint_version, fingerprint)
);
create index incident_aliases_incident on incident_aliases (incident_id);
