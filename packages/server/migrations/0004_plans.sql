-- Trials, capacity and the plan in force (account.md 6).
alter table organizations
  add column trial_plan text check (trial_plan in ('solo', 'team')),
  add column trial_started_at timestamptz(3),
  add column trial_ends_at timestamptz(3),
  add column trial_converted_at timestamptz(3),
  -- Set by an administrator's command rather than bought or tried.
  add column is_plan_set_by_operator boolean not null default false,
  add column additional_units integer not null default 0 check (additional_units between 0 and 99),
  add column pending_units integer check (pending_units between 0 and 99),
  add column pending_units_at timestamptz(3),
  -- When plan or units changed last. The counters of the window that was current then hold everything used before, so
  -- that what an earlier window left over is found by the terms of today.
  add column usage_settled_at timestamptz(3) not null default culprit_now(),
  add constraint organizations_trial check ((trial_plan is null) = (trial_started_at is null)
    and (trial_plan is null) = (trial_ends_at is null)),
  add constraint organizations_pending check ((pending_units is null) = (pending_units_at is null));

-- The plan an organization has at a moment: a trial that ended without conversion is Free, without any job having run.
-- A plan that an operator set after a trial outlasts it. `billing/plan-in-force.ts` says the same.
create function effective_plan(o organizations, moment timestamptz) returns text
  language sql immutable parallel safe
  as $$
    select case when o.trial_ends_at <= moment and o.trial_converted_at is null and not o.is_plan_set_by_operator
      then 'free' else o.plan end
  $$;
