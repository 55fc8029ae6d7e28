-- A fix can resolve its incident when it is deployed (docs/contract/team-workflow.md 5.2). Each deployment looks for the
-- fixes of its project that wait for one.
alter table incident_fixes
  add column resolves boolean not null default false,
  add column deployed_at timestamptz(3),
  add column deployed_in text;
create index incident_fixes_waiting on incident_fixes (project_id, created_at) where resolves and deployed_at is null;
