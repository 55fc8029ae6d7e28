-- Incidents without a signal for some days resolve themselves (docs/contract/team-workflow.md 3.5).

alter table projects
  add column resolves_after_days smallint check (resolves_after_days between 1 and 90),
  -- When silent incidents were last looked for: the moment bounds how many resolve in an hour.
  add column silence_checked_at timestamptz(3) not null default '-infinity';

create index projects_resolving on projects (silence_checked_at)
  where resolves_after_days is not null and deleted_at is null;
