-- Changes of grouping that were applied to the incidents that were there (docs/contract/grouping.md 8). What they merged
-- and which keys they led is in `incident_aliases`, so that each is taken back exactly.
create table regroupings (
  regrouping_id uuid primary key,
  project_id uuid not null,
  created_at timestamptz(3) not null,
  created_by_user_id uuid,
  stack_rules_before text[] not null,
  stack_rules text[] not null,
  hours integer not null,
  merged_incidents integer not null,
  led_keys integer not null,
  split_incidents integer not null,
  events_seen integer not null,
  is_complete boolean not null,
  undone_at timestamptz(3),
  undone_by_user_id uuid
);
create index regroupings_project on regroupings (project_id, created_at);

alter table incident_aliases
  add column regrouping_id uuid,
  drop constraint incident_aliases_origin_check,
  add constraint incident_aliases_origin_check
    check (origin in ('upgrade', 'merge', 'slot', 'regrouping')) not valid;
create index incident_aliases_regrouping on incident_aliases (regrouping_id) where regrouping_id is not null;
