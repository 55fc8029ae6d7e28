-- Places of message templates in which different words were seen (docs/contract/grouping.md 3). A slot opens when enough
-- different words were; then the keys of its templates lead to one incident. `words` and `fingerprints` tell of the same
-- templates in the same order; the empty word stands for a value. A slot that a person closed never opens again.
create table incident_slots (
  project_id uuid not null,
  service_id uuid not null,
  slot bytea not null,
  is_browser boolean not null,
  words text[] not null,
  fingerprints bytea[] not null,
  noted_at timestamptz(3) not null,
  pattern text not null,
  opened_at timestamptz(3),
  opened_by_event_id text,
  incident_id uuid,
  closed_at timestamptz(3),
  closed_by_user_id uuid,
  primary key (project_id, service_id, slot)
);
create index incident_slots_incident on incident_slots (incident_id) where incident_id is not null;

-- The slot that brought a key, which signals it holds for, and of the own key of a merged incident the incident that it
-- was merged into at first: what is left when one merge is undone follows from these.
alter table incident_aliases
  add column slot bytea,
  add column is_browser boolean not null default false,
  add column merged_into uuid;
update incident_aliases set merged_into = incident_id where origin = 'merge';

alter table projects
  add column stack_rules text[] not null default '{}',
  add column learns_slots boolean not null default true;
