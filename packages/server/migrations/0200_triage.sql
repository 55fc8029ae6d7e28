-- What people decide about incidents: who has one, how urgent it is, and until when it is silent
-- (docs/contract/team-workflow.md 2, 3 and 5). A person has a name and a handle.

alter table users
  add column name text check (char_length(name) between 1 and 80),
  add column handle text check (handle ~ '^[a-z0-9][a-z0-9._-]{1,38}$');
create unique index users_handle on users (handle);

-- The first free handle for an address: its local part, with -2, -3 and so on where others have it.
create function free_handle(email text) returns text language plpgsql volatile as $$
declare
  base text := left(trim(leading '._-' from regexp_replace(lower(split_part(email, '@', 1)), '[^a-z0-9._-]+', '-', 'g')), 32);
  candidate text;
  tries integer := 1;
begin
  if char_length(base) < 2 then base := left('user-' || base, 32); end if;
  candidate := base;
  -- Two people who come with one local part at once get two handles.
  perform pg_advisory_xact_lock(hashtextextended('culprit.handle.' || base, 0));
  while exists (select from users u where u.handle = candidate) loop
    tries := tries + 1;
    -- After a few, a part of a random id: a local part such as `info` must not make a long walk.
    candidate := base || '-' || case when tries <= 20 then tries::text else left(gen_random_uuid()::text, 5) end;
  end loop;
  return candidate;
end $$;

create function give_handle() returns trigger language plpgsql as $$
begin
  new.handle := free_handle(new.email);
  return new;
end $$;
create trigger users_give_handle before insert on users
  for each row when (new.handle is null) execute function give_handle();

do $$
declare
  person record;
begin
  for person in select user_id, email from users order by created_at, user_id loop
    update users set handle = free_handle(person.email) where user_id = person.user_id;
  end loop;
end $$;
alter table users alter column handle set not null;

-- One row for each incident that a person touched; it goes with the incident.
create table incident_triage (
  incident_id uuid primary key,
  project_id uuid not null,
  -- 0 low, 1 normal, 2 high, 3 urgent; null: the rules decide.
  priority smallint check (priority between 0 and 3),
  assignee_user_id uuid,
  assignee_team_id uuid,
  assigned_at timestamptz(3),
  -- The rest of a snooze, whose conditions are marks of the incident.
  snoozed_at timestamptz(3),
  snoozed_by_user_id uuid,
  snooze_reason text,
  -- Occurrences when it was snoozed.
  snoozed_count bigint,
  check (assignee_user_id is null or assignee_team_id is null)
) with (fillfactor = 80);
create index incident_triage_assignee on incident_triage (assignee_user_id, project_id)
  where assignee_user_id is not null;
create index incident_triage_team on incident_triage (assignee_team_id, project_id)
  where assignee_team_id is not null;
create index incident_triage_priority on incident_triage (project_id, priority) where priority is not null;

alter table incidents
  -- Set while it is snoozed, with what wakes it before: a count of occurrences, of users, a deploy of its service and
  -- environment after this moment, and so many occurrences within 60 minutes.
  add column snoozed_until timestamptz(3),
  add column wake_at_count bigint,
  add column wake_at_users integer,
  add column wake_after_deploy_at timestamptz(3),
  add column wake_at_hourly integer,
  -- When its severity was last raised, or it woke because it occurred far more often.
  add column escalated_at timestamptz(3),
  -- What browsers report without a fault of the application: known by its first signal.
  add column is_browser_noise boolean not null default false;
create index incidents_snoozed on incidents (project_id, snoozed_until) where snoozed_until is not null;

alter table lifecycle_events
  drop constraint lifecycle_events_kind_check,
  add constraint lifecycle_events_kind_check check (kind in ('incident.opened', 'incident.regressed',
    'incident.resolved', 'incident.reopened', 'incident.spike_detected', 'incident.severity_raised',
    'incident.merged', 'incident.split', 'incident.assigned', 'incident.unassigned', 'incident.prioritized',
    'incident.snoozed', 'incident.woke', 'incident.noted', 'incident.fix_proposed', 'bundle.created',
    'bundle.updated', 'improvement_bundle.created'));
