-- Releases that servers said they run (docs/contract/incidents.md 5.8): a new one is a deployment.
create table service_releases (
  project_id uuid not null,
  service_id uuid not null,
  release text not null,
  first_seen_at timestamptz(3) not null,
  primary key (project_id, service_id, release)
);

-- Made of a release that was new; what a deploy says itself of that version takes its place.
alter table deployments add column is_inferred boolean not null default false;
