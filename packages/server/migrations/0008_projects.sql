-- Management of projects and tokens (incidents.md 7.2 and 7.3, account.md 4).

alter table projects
  -- IANA name; the time zone of the weekly reports that begin with the project.
  add column weekly_report_timezone text not null default 'UTC';

-- A token's record names an organization (account.md 4.2).
alter table member_tokens alter column organization_id set not null;
create index member_tokens_live on member_tokens (user_id) where revoked_at is null;
create index project_tokens_live on project_tokens (project_id) where revoked_at is null;

-- What a project used in a calendar month, UTC: shown in its record, limiting nothing. Limits belong to the
-- organization and its own window (`usage_counters`).
create table project_usage (
  project_id uuid not null,
  month_started_at timestamptz(3) not null,
  meter text not null check (meter in ('monthly_raw_ingested_events', 'monthly_bundle_requests',
    'monthly_alert_deliveries')),
  used bigint not null,
  primary key (project_id, month_started_at, meter)
) with (fillfactor = 70);

create index incidents_regressed on incidents (project_id, regressed_at) where regressed_at is not null;

-- Below Team, everybody but the owner is kept out of an organization's projects (account.md 1.7). `plan_override` is
-- the plan that holds for all, from the configuration; 'team' where plan limits are off.
create function shared_access_suspended(role text, o organizations, plan_override text) returns boolean
  language sql volatile parallel safe
  as $$ select role <> 'owner' and coalesce(plan_override, effective_plan(o, culprit_now())) <> 'team' $$;
