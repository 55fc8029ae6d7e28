-- Capture rules (ingestion.md 5).

alter table projects
  -- Grows with each change of policy or rules, so that what processes remember of them carries its number
  -- (reliability rule A9).
  add column capture_version bigint not null default 0,
  -- Held to the limit by the statement that adds a rule, and at zero intake need not look for any.
  add column capture_rule_count integer not null default 0 check (capture_rule_count between 0 and 200);

create table capture_rules (
  rule_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  name text not null,
  description text,
  is_enabled boolean not null,
  action text not null check (action in ('demote', 'sample', 'drop')),
  matcher jsonb not null,
  sample_rate double precision check (sample_rate between 0 and 1),
  sample_event_class text check (sample_event_class in ('preserve', 'context')),
  created_by_user_id uuid references users (user_id) on delete set null,
  -- As the client wrote them: where a rule came from, not a reference.
  created_from_incident_id text,
  created_from_event_id text,
  -- Of a rule made from a suggestion for that incident (ingestion.md 5.5).
  suggestion_id text,
  expires_at timestamptz(3),
  hit_count bigint not null default 0,
  last_matched_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  check ((action = 'sample') = (sample_rate is not null)),
  check ((action = 'sample') = (sample_event_class is not null)),
  check (suggestion_id is null or created_from_incident_id is not null)
) with (fillfactor = 80);
create index capture_rules_list on capture_rules (project_id, created_at desc, rule_id desc);
create index capture_rules_author on capture_rules (created_by_user_id);
create unique index capture_rules_suggestion on capture_rules (project_id, created_from_incident_id, suggestion_id)
  where suggestion_id is not null;

-- Decisive matches that are not yet in their rules. Intake and workers only append, so that nobody waits for a row that
-- all events of a noisy project would want; a worker adds them up every now and then.
create table capture_rule_hits (
  hit_id bigint generated always as identity primary key,
  rule_id uuid not null,
  hits bigint not null,
  matched_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
