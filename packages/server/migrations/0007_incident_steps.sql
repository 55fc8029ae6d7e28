-- When the document of an incident was written: one that is new waits before it takes messages of a known form
-- (docs/contract/team-workflow.md 1.2).
alter table incident_search
  add column written_at timestamptz(3) not null default '2000-01-01 00:00:00+00';
