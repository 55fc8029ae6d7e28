-- The schema of Culprit, by feature. Names of documents are those of docs/contract.
--
-- Times have milliseconds, `timestamptz(3)`, because times that are used for paging need one precision. Ids of people
-- without a foreign key stay when the account is deleted. A fill factor leaves space in each page of a table whose
-- rows change often, so that their new versions stay in the page and need no index entry.

-- The one clock of receive times, leases, windows and schedules (reliability.md A5). Tests replace this function, and
-- nothing else can move it. In conditions on large tables it is written `(select culprit_now())`, because a volatile
-- function is otherwise called for each row and uses no index.
create function culprit_now() returns timestamptz
  language sql volatile parallel safe
  as $$ select date_trunc('milliseconds', clock_timestamp()) $$;

-- People and sign-in (account.md 2, 3 and 5) -------------------------------------------------------------------------

create table users (
  user_id uuid primary key,
  email text not null,
  email_verified_at timestamptz(3),
  created_at timestamptz(3) not null default culprit_now(),
  terms_accepted_at timestamptz(3),
  -- The ways of signing in that the account has used.
  has_used_email boolean not null default false,
  has_used_github boolean not null default false,
  -- GitHub's number of the person: names and addresses change there, the number does not.
  github_id bigint,
  name text check (char_length(name) between 1 and 80),
  -- The name by which others mention the person (team-workflow.md 4).
  handle text not null check (handle ~ '^[a-z0-9][a-z0-9._-]{1,38}$'),
  has_used_oidc boolean not null default false
);
create unique index users_email on users (lower(email));
create unique index users_github on users (github_id) where github_id is not null;
create unique index users_handle on users (handle);

-- Returns the first free handle for an address: its local part, with -2, -3 and so on if that is taken.
create function free_handle(email text) returns text language plpgsql volatile as $$
declare
  base text := left(
    trim(leading '._-' from regexp_replace(lower(split_part(email, '@', 1)), '[^a-z0-9._-]+', '-', 'g')), 32);
  candidate text;
  tries integer := 1;
begin
  if char_length(base) < 2 then base := left('user-' || base, 32); end if;
  candidate := base;
  -- Two accounts with one local part that are created at the same time get two handles.
  perform pg_advisory_xact_lock(hashtextextended('culprit.handle.' || base, 0));
  while exists (select from users u where u.handle = candidate) loop
    tries := tries + 1;
    -- After 20 tries, a part of a random id: a local part such as `info` must not cause a long search.
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

-- Sessions of browsers.
create table sessions (
  session_id uuid primary key,
  user_id uuid not null references users (user_id) on delete cascade,
  -- SHA-256 of the cookie's value.
  secret_hash bytea not null unique,
  -- The person's organization at sign-in, shown while they belong to no other.
  organization_id uuid not null,
  created_at timestamptz(3) not null,
  -- The absolute end. The idle end is 24 hours after `last_used_at`.
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  -- The origin of the session, as its person sees it: the kind of network and the browser, never the address.
  address_class text,
  browser text,
  -- The OpenID Connect provider that the session began with, and the provider's id of the person's session there, if
  -- the provider names one (team-workflow.md 9.2).
  oidc_issuer text check (char_length(oidc_issuer) <= 2000),
  oidc_sid text check (char_length(oidc_sid) <= 255)
);
create index sessions_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);
create index sessions_oidc_sid on sessions (oidc_sid) where oidc_sid is not null;

-- Mailed codes. A code belongs to the browser that requested it (2.2, 2.3): attempts from other browsers are compared
-- with nothing and use up no attempt.
create table sign_in_codes (
  email text not null check (email = lower(email)),
  -- SHA-256 of the browser's cookie.
  browser_hash bytea not null,
  -- HMAC of purpose, address and code; null without a code that can still be used.
  code_hash bytea,
  expires_at timestamptz(3),
  -- Attempts, counted before each comparison.
  attempts integer not null default 0,
  requested_trial_plan text check (requested_trial_plan in ('solo', 'team')),
  -- Times of the failed attempts of the last hour, the oldest first.
  failed_at timestamptz(3)[] not null default '{}',
  -- The last sign-in of the address with this browser, which since then has its own limit of messages.
  signed_in_at timestamptz(3),
  kept_until timestamptz(3) not null,
  primary key (email, browser_hash)
);
create index sign_in_codes_kept on sign_in_codes (kept_until);

-- Messages with codes of the last day. Their loss in a crash does no harm.
create unlogged table sign_in_mails (
  email text not null check (email = lower(email)),
  sent_at timestamptz(3) not null,
  browser_hash bytea not null,
  -- HMAC of the client that requested the code.
  client_hash bytea not null,
  -- The address had signed in with the browser before.
  is_known boolean not null
);
create index sign_in_mails_address on sign_in_mails (email, sent_at);
create index sign_in_mails_sent on sign_in_mails (sent_at);

-- Requests of one client address in the minute that began with the first of them. Their loss in a crash does no harm.
create unlogged table sign_in_rates (
  bucket text not null,
  client text not null,
  started_at timestamptz(3) not null,
  requests integer not null,
  primary key (bucket, client)
) with (fillfactor = 70);
create index sign_in_rates_started on sign_in_rates (started_at);

-- Browser sign-ins in progress with GitHub or an OpenID Connect provider. Neither the state nor the PKCE verifier is
-- stored: the one is hashed, the other is derived from the state with the server's key.
create table provider_sign_ins (
  state_hash bytea primary key,
  method text not null check (method in ('github', 'oidc')),
  return_to text not null,
  expires_at timestamptz(3) not null
);
create index provider_sign_ins_expiry on provider_sign_ins (expires_at);

-- Device flows in progress. The request id is a secret of its client, so only its SHA-256 is stored.
create table device_requests (
  request_hash bytea primary key,
  status text not null default 'pending' check (status in ('pending', 'approved', 'claimed', 'denied', 'expired',
    'rejected')),
  -- Why it was rejected.
  reason text check (reason in ('github_email_missing', 'signup_closed', 'github_identity_conflict')),
  -- GitHub's code, encrypted; removed with the first response that ends the wait.
  sealed_device_code bytea,
  interval_seconds integer not null check (interval_seconds > 0),
  -- The earliest next request to GitHub. The poll that sends it moves this time first, so that only one is sent.
  next_ask_at timestamptz(3) not null default culprit_now(),
  user_id uuid references users (user_id) on delete cascade,
  expires_at timestamptz(3) not null,
  check ((user_id is not null) = (status in ('approved', 'claimed'))),
  check ((reason is not null) = (status = 'rejected')),
  check (sealed_device_code is null or status = 'pending')
);
create index device_requests_expiry on device_requests (expires_at);
create index device_requests_codes on device_requests (expires_at) where sealed_device_code is not null;
create index device_requests_user on device_requests (user_id) where user_id is not null;

-- The code that confirms the deletion of an account (5), for the session that requested it.
create table account_deletion_codes (
  user_id uuid primary key references users (user_id) on delete cascade,
  -- HMAC of purpose, address and code; null without a code that can still be used.
  code_hash bytea,
  expires_at timestamptz(3) not null,
  -- Attempts, counted before each comparison.
  attempts integer not null default 0,
  -- Times of the messages of the last hour, the oldest first.
  sent_at timestamptz(3)[] not null,
  session_id uuid not null
);
create index account_deletion_codes_expiry on account_deletion_codes (expires_at);

-- The code that confirms a new address of an account (server-additions.md S17), for the session that requested it.
create table email_change_codes (
  user_id uuid primary key references users on delete cascade,
  email text not null,
  -- Null once it was used.
  code_hash bytea,
  expires_at timestamptz(3) not null,
  attempts integer not null default 0,
  -- Times of the messages of the last hour, the oldest first.
  sent_at timestamptz(3)[] not null,
  session_id uuid not null
);
create index email_change_codes_expiry on email_change_codes (expires_at);

-- Organizations and plans (account.md 6) -----------------------------------------------------------------------------

create table organizations (
  organization_id uuid primary key,
  owner_user_id uuid not null references users (user_id),
  name text not null,
  plan text not null default 'team' check (plan in ('free', 'solo', 'team')),
  -- The anchor of the monthly usage window of a paid plan (6.4).
  plan_started_at timestamptz(3) not null default culprit_now(),
  created_at timestamptz(3) not null default culprit_now(),
  trial_plan text check (trial_plan in ('solo', 'team')),
  trial_started_at timestamptz(3),
  trial_ends_at timestamptz(3),
  trial_converted_at timestamptz(3),
  -- Set by an administrator's command instead of a purchase or a trial.
  is_plan_set_by_operator boolean not null default false,
  additional_units integer not null default 0 check (additional_units between 0 and 99),
  pending_units integer check (pending_units between 0 and 99),
  pending_units_at timestamptz(3),
  -- The last change of plan or units. The counters of the window at that time include everything used before, so that
  -- the rest of an earlier window follows from the terms of today.
  usage_settled_at timestamptz(3) not null default culprit_now(),
  constraint organizations_trial check ((trial_plan is null) = (trial_started_at is null)
    and (trial_plan is null) = (trial_ends_at is null)),
  constraint organizations_pending check ((pending_units is null) = (pending_units_at is null))
);
create index organizations_owner on organizations (owner_user_id);

-- Returns the plan of an organization at a moment: a trial that ended without conversion is Free, although no job ran.
-- A plan that an operator set after a trial outlasts it. `billing/plan-in-force.ts` has the same rule.
create function effective_plan(o organizations, moment timestamptz) returns text
  language sql immutable parallel safe
  as $$
    select case when o.trial_ends_at <= moment and o.trial_converted_at is null and not o.is_plan_set_by_operator
      then 'free' else o.plan end
  $$;

-- Below Team, only the owner can use an organization's projects (1.7). `plan_override` is the plan that the
-- configuration sets for all organizations; 'team' if plan limits are off.
create function shared_access_suspended(role text, o organizations, plan_override text) returns boolean
  language sql volatile parallel safe
  as $$ select role <> 'owner' and coalesce(plan_override, effective_plan(o, culprit_now())) <> 'team' $$;

-- Usage of an organization in one window of its plan.
create table usage_counters (
  organization_id uuid not null,
  window_started_at timestamptz(3) not null,
  meter text not null,
  used bigint not null,
  -- The rest of earlier windows, of the meter of events, once it was computed: the statement that counts then sees
  -- when the allowance is reached. `billing/events-used.ts` has the rule.
  carried bigint not null default 0,
  -- The highest percentage of which the owner was notified in this window: 0, 80 or 100 (notifications.md 6).
  noticed_percent smallint not null default 0,
  primary key (organization_id, window_started_at, meter)
) with (fillfactor = 70);

-- The person who first owned an organization here: the operator if the settings name no other (server-additions.md
-- S12). Written once. The right ends with the account and is never inherited.
create table first_owner (
  is_only boolean primary key default true check (is_only),
  -- Null: the account was deleted.
  user_id uuid references users (user_id) on delete set null,
  written_at timestamptz(3) not null default culprit_now()
);
create index first_owner_user on first_owner (user_id);

-- Teams (team-workflow.md 2.4) ---------------------------------------------------------------------------------------

-- Names for people who have access already. A team gives no access.
create table teams (
  team_id uuid primary key,
  organization_id uuid not null references organizations (organization_id) on delete cascade,
  -- The name by which notes mention it. Handles of people share its form.
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9._-]{1,38}$'),
  name text not null check (char_length(name) between 1 and 80),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  unique (organization_id, slug)
);

create table team_members (
  team_id uuid not null references teams (team_id) on delete cascade,
  user_id uuid not null references users (user_id) on delete cascade,
  added_at timestamptz(3) not null default culprit_now(),
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

-- Projects and their people (incidents.md 7, account.md 4) -----------------------------------------------------------

create table projects (
  project_id uuid primary key,
  -- A deleted project outlives its organization until a job has removed its data.
  organization_id uuid references organizations (organization_id) on delete set null,
  name text not null,
  slug text not null,
  environment_default text not null default 'production',
  capture_preset text not null check (capture_preset in ('minimal', 'balanced', 'investigative')),
  -- Saved values of the six controls; an absent key means the preset's value (ingestion.md 4.2).
  capture_overrides jsonb not null default '{}',
  -- Hashes raw user ids of this project's events (incidents.md 3.7).
  user_key bytea not null,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  deleted_at timestamptz(3),
  -- IANA name; the time zone of the weekly reports that begin with the project.
  weekly_report_timezone text not null default 'UTC',
  -- Increases with each change of policy or rules: processes cache them under this number (reliability.md A9).
  capture_version bigint not null default 0,
  -- The statement that adds a rule keeps it below the limit. At zero, no request of events reads rules.
  capture_rule_count integer not null default 0 check (capture_rule_count between 0 and 200),
  automated_improvement_bundles_enabled boolean not null default true,
  improvement_bundle_sensitivity text not null default 'high_confidence'
    check (improvement_bundle_sensitivity in ('high_confidence', 'balanced', 'verbose')),
  -- The next run of retention (incidents.md 8); a new project has no old data at first.
  retention_due_at timestamptz(3) not null default culprit_now() + interval '1 h',
  -- The first UTC day of receipt whose folder of raw objects can still have objects.
  raw_kept_from date not null default (culprit_now() at time zone 'UTC')::date,
  -- Event rows received before this moment were removed, and the next run continues there. Null: no run yet.
  events_kept_from timestamptz(3),
  -- Raw objects received before this moment were merged; null: no run yet.
  raw_merged_until timestamptz(3),
  -- Rules for the frames of the application, and a switch for learned placeholders (grouping.md 3, 8).
  stack_rules text[] not null default '{}',
  learns_slots boolean not null default true,
  -- Increases with each change of the project's source maps: processes cache them under this number.
  maps_version bigint not null default 0,
  shows_source boolean not null default true,
  -- The prefix of short incident numbers, such as CHECKOUT in CHECKOUT-42 (team-workflow.md 0.2).
  incident_key text not null check (incident_key ~ '^[A-Z][A-Z0-9]{1,9}$'),
  -- Earlier prefixes, the newest first; numbers with them still find the incident.
  former_incident_keys text[] not null default '{}',
  -- Incidents without a signal for so many days are resolved (team-workflow.md 3.5).
  resolves_after_days smallint check (resolves_after_days between 1 and 90),
  -- The last search for silent incidents, which limits how many are resolved in an hour.
  silence_checked_at timestamptz(3) not null default '-infinity',
  -- Increases with each deletion of a release: processes cache releases under this number.
  release_deletions integer not null default 0,
  -- The last search for incidents above the thresholds of alert rules.
  thresholds_checked_at timestamptz(3) not null default '2000-01-01 00:00:00+00',
  -- The places of its services' code, for links to lines and commits (incidents.md 7.7).
  repositories jsonb not null default '[]',
  constraint projects_organization_of_live check (organization_id is not null or deleted_at is not null)
);
create unique index projects_slug on projects (organization_id, slug) where deleted_at is null;
create unique index projects_incident_key on projects (incident_key) where deleted_at is null;
create index projects_organization on projects (organization_id);
create index projects_retention on projects (retention_due_at) where deleted_at is null;
create index projects_resolving on projects (silence_checked_at)
  where resolves_after_days is not null and deleted_at is null;

-- Returns the first free incident key for a slug: its letters and digits, or its first word, with 2, 3 and so on if
-- that is taken.
create function free_incident_key(slug text) returns text language plpgsql volatile as $$
declare
  whole text := ltrim(regexp_replace(upper(slug), '[^A-Z0-9]+', '', 'g'), '0123456789');
  first text := ltrim(regexp_replace(upper(split_part(slug, '-', 1)), '[^A-Z0-9]+', '', 'g'), '0123456789');
  base text := case when char_length(whole) <= 10 or char_length(first) < 2 then whole else first end;
  candidate text;
  tries integer := 1;
begin
  base := left(case char_length(base) when 0 then 'INC' when 1 then base || 'X' else base end, 10);
  candidate := base;
  -- One transaction at a time chooses a key.
  perform pg_advisory_xact_lock(hashtextextended('culprit.incident_keys', 0));
  while exists (select from projects p where p.incident_key = candidate and p.deleted_at is null) loop
    tries := tries + 1;
    -- After 20 tries, a part of a random id: a common name must not cause a long search.
    candidate := left(base, 6)
      || case when tries <= 20 then tries::text else upper(left(gen_random_uuid()::text, 4)) end;
  end loop;
  return candidate;
end $$;

create function give_incident_key() returns trigger language plpgsql as $$
begin
  new.incident_key := free_incident_key(new.slug);
  return new;
end $$;
create trigger projects_give_incident_key before insert on projects
  for each row when (new.incident_key is null) execute function give_incident_key();

-- The last incident number of each project.
create table incident_numbers (
  project_id uuid primary key,
  last_number integer not null
) with (fillfactor = 50);

create table project_members (
  project_id uuid not null references projects (project_id),
  user_id uuid not null references users (user_id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz(3) not null default culprit_now(),
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

-- Invites (incidents.md 7.5). An invite is open while it is neither accepted nor canceled and `expires_at` is in the
-- future; each query compares that with the clock.
create table project_invites (
  invite_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('admin', 'member')),
  -- SHA-256 of the plaintext, which only the mail has.
  token_hash bytea not null unique,
  invited_by_user_id uuid not null,
  created_at timestamptz(3) not null default culprit_now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  canceled_at timestamptz(3),
  check (accepted_at is null or canceled_at is null)
);
create index project_invites_list on project_invites (project_id, created_at desc, invite_id desc);
-- The time at which an invite became final, or will.
create index project_invites_final on project_invites (coalesce(accepted_at, canceled_at, expires_at));
create index project_invites_address on project_invites (email, project_id);

-- Usage of a project in a calendar month, UTC: shown in its record and without any limit, because limits apply to the
-- organization (`usage_counters`).
create table project_usage (
  project_id uuid not null,
  month_started_at timestamptz(3) not null,
  meter text not null check (meter in ('monthly_raw_ingested_events', 'monthly_bundle_requests',
    'monthly_alert_deliveries')),
  used bigint not null,
  primary key (project_id, month_started_at, meter)
) with (fillfactor = 70);

-- Sign-in by OpenID Connect and from programs (team-workflow.md 9) ---------------------------------------------------

-- The accounts of a provider's people. The subject is the provider's id of the person, which never changes.
create table oidc_identities (
  issuer text not null check (char_length(issuer) <= 2000),
  subject text not null check (char_length(subject) between 1 and 255),
  user_id uuid not null references users (user_id) on delete cascade,
  linked_at timestamptz(3) not null default culprit_now(),
  last_sign_in_at timestamptz(3) not null default culprit_now(),
  primary key (issuer, subject),
  -- A second subject with the address of an account is another person.
  unique (issuer, user_id)
);
create index oidc_identities_user on oidc_identities (user_id);

-- Logout tokens that were used, until they are too old to be accepted: SHA-256 of issuer and id.
create table oidc_logouts (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null
);
create index oidc_logouts_expiry on oidc_logouts (expires_at);

-- Sign-ins of programs that a person approves in the browser (9.5). The request id is a secret of its program, and so
-- is the code until it is approved: both are hashed.
create table cli_sign_ins (
  request_hash bytea primary key,
  user_code_hash bytea not null unique,
  label text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'claimed', 'denied')),
  access text check (access in ('full', 'read')),
  -- The kind of network of the program.
  address_class text not null,
  user_id uuid references users (user_id) on delete cascade,
  created_at timestamptz(3) not null default culprit_now(),
  expires_at timestamptz(3) not null,
  check ((access is not null) = (status in ('approved', 'claimed'))),
  check ((user_id is not null) = (status in ('approved', 'claimed')))
);
create index cli_sign_ins_expiry on cli_sign_ins (expires_at);
create index cli_sign_ins_user on cli_sign_ins (user_id) where user_id is not null;

-- The roles that people in a group of the provider get at each sign-in (9.4).
create table group_grants (
  grant_id uuid primary key,
  organization_id uuid not null references organizations (organization_id) on delete cascade,
  group_name text not null check (char_length(group_name) between 1 and 200),
  role text not null check (role in ('admin', 'member')),
  -- Null: every project of the organization.
  project_id uuid references projects (project_id) on delete cascade,
  created_at timestamptz(3) not null default culprit_now(),
  unique nulls not distinct (organization_id, group_name, project_id)
);
create index group_grants_group on group_grants (group_name);
create index group_grants_project on group_grants (project_id) where project_id is not null;

-- Memberships to which groups contribute. The row of `project_members` has the higher of both roles.
create table group_memberships (
  project_id uuid not null,
  user_id uuid not null,
  -- The role that the groups give.
  role text not null check (role in ('admin', 'member')),
  -- The role that people gave; null: the membership is there because of the groups alone.
  manual_role text check (manual_role in ('admin', 'member')),
  primary key (project_id, user_id),
  foreign key (project_id, user_id) references project_members (project_id, user_id) on delete cascade
);
create index group_memberships_user on group_memberships (user_id);

-- Tokens (account.md 1 and 4) ----------------------------------------------------------------------------------------
-- Tokens are found by the SHA-256 of their plaintext, which is never stored (1.3).

create table project_tokens (
  token_id uuid primary key,
  project_id uuid not null references projects (project_id),
  label text not null,
  token_hash bytea not null unique,
  token_preview text not null,
  -- Normalized `scheme://host[:port]`; empty means any origin.
  allowed_origins text[] not null default '{}',
  created_by_user_id uuid references users (user_id) on delete set null,
  created_at timestamptz(3) not null default culprit_now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- `dsn`: a key in the address of foreign clients (foreign-protocols.md 2), which is public and can be read again.
  kind text not null default 'token' check (kind in ('token', 'dsn')),
  public_key text,
  -- The service of events that name none; null: the project's slug.
  service_name text,
  -- A limit of this key in addition to that of the plan.
  events_per_minute integer check (events_per_minute between 1 and 1000000),
  check ((kind = 'dsn') = (public_key is not null))
);
create index project_tokens_project on project_tokens (project_id, created_at);
create index project_tokens_creator on project_tokens (created_by_user_id) where created_by_user_id is not null;
create index project_tokens_live on project_tokens (project_id, kind) where revoked_at is null;

create table member_tokens (
  token_id uuid primary key,
  user_id uuid not null references users (user_id) on delete cascade,
  -- The organization that its record showed at creation, possibly that of another project owner (1.7).
  organization_id uuid not null,
  label text not null,
  token_hash bytea not null unique,
  token_preview text not null,
  created_at timestamptz(3) not null default culprit_now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- All rights of its person, reading only, or what build tools need (command-line.md A4, source-maps.md).
  access text not null default 'full' check (access in ('full', 'read', 'build'))
);
create index member_tokens_user on member_tokens (user_id, created_at);
create index member_tokens_live on member_tokens (user_id) where revoked_at is null;

-- Audit (account.md 13) ----------------------------------------------------------------------------------------------

-- Actions of people and operators. Never has secrets or event text.
create table audit_log (
  audit_id bigint generated always as identity primary key,
  at timestamptz(3) not null default culprit_now(),
  action text not null,
  -- Null for an unknown person, such as after a failed sign-in.
  actor_user_id uuid,
  organization_id uuid,
  project_id uuid,
  -- The record that was changed, as `kind` or `kind:id`; ids only.
  subject text,
  -- Loopback, private or public network, and its version: enough to notice, not enough to track a person.
  address_class text,
  data jsonb not null default '{}'
);
create index audit_log_organization on audit_log (organization_id, audit_id desc) where organization_id is not null;
create index audit_log_project on audit_log (project_id, audit_id desc) where project_id is not null;
create index audit_log_actor on audit_log (actor_user_id, audit_id desc) where actor_user_id is not null;

-- Event filters and probes (ingestion.md 5 and 6) --------------------------------------------------------------------

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
  -- The origin of a rule as the client sent it, not a reference.
  created_from_incident_id text,
  created_from_event_id text,
  -- The suggestion for that incident that the rule follows (5.5).
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

-- Decisive matches that are not yet in the counts of their rules. API processes and workers only append rows, so that
-- the events of a busy project do not wait for the lock of one row; a worker adds the rows to the counts from time to
-- time.
create table capture_rule_hits (
  hit_id bigint generated always as identity primary key,
  rule_id uuid not null,
  hits bigint not null,
  matched_at timestamptz(3) not null
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create table probe_activations (
  activation_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  label_pattern text not null,
  -- `*` means any.
  service text not null,
  environment text not null,
  sample_rate double precision not null,
  activated_by_user_id uuid references users (user_id) on delete set null,
  created_at timestamptz(3) not null,
  -- Whole seconds, as clients receive them (3.9).
  expires_at timestamptz(0) not null,
  trigger_expires_at timestamptz(0) not null,
  deactivated_at timestamptz(3)
);
create index probe_activations_project on probe_activations (project_id, expires_at);
create index probe_activations_live on probe_activations (expires_at) where deactivated_at is null;
create index probe_activations_user on probe_activations (activated_by_user_id);

-- Returns the active probes of a project at a moment, the oldest first, in the form that clients receive; null for
-- none. PL/pgSQL keeps the plan, which matters because the admission of events calls this for each request.
create function active_probes(project uuid, moment timestamptz) returns jsonb
  language plpgsql stable parallel safe
  as $$
begin
  return (
    select jsonb_agg(jsonb_build_object(
        'activation_id', activation_id, 'label_pattern', label_pattern, 'service', service, 'environment', environment,
        'expires_at', to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'trigger_expires_at', to_char(trigger_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
      order by created_at, activation_id)
    from probe_activations where project_id = project and deactivated_at is null and expires_at > moment);
end $$;

-- Requests of events (ingestion.md 3, foreign-protocols.md) ----------------------------------------------------------

-- One fixed window of 60 s for each project token (3.7). Its loss in a crash does no harm.
create unlogged table rate_windows (
  token_id uuid primary key,
  started_at timestamptz(3) not null,
  requests integer not null,
  events integer not null
) with (fillfactor = 50);

-- Admits the requests that are judged together, in order (3.1 steps 1, 2 and 7): finds each token, compares the origin
-- and charges the rate window, exactly and for all processes. `countable` is false for a request that already failed a
-- later step; it gets a verdict and is charged nothing. Libraries discard a batch after any 2xx, so a batch that fits
-- into an empty window is refused as a whole until it fits, and only a larger one is admitted in part. Verdicts:
-- admitted, invalid_project_token, origin_not_allowed, rate_limited.
create function admit_requests(
  token_hashes bytea[], origins text[], beacons boolean[], countable boolean[], shape_valid integer[],
  plan_override text, rate_limits jsonb
) returns table (
  ordinal integer, verdict text, token_id uuid, project_id uuid, organization_id uuid, origin_bound boolean,
  events_taken integer, retry_after_seconds integer, plan text, capture_preset text, capture_overrides jsonb,
  user_key bytea, received_at timestamptz, active_probes jsonb, capture_version bigint
) language plpgsql volatile as $$
#variable_conflict use_column
declare
  moment timestamptz := culprit_now();
  i integer;
  found record;
  rate_limit integer;
  budget record;
  used_tokens uuid[] := '{}';
  -- Usually no project has a probe, and then no request needs a search for one.
  has_probes boolean := exists (
    select from probe_activations a where a.deactivated_at is null and a.expires_at > moment);
begin
  received_at := moment;
  for i in 1 .. coalesce(array_length(token_hashes, 1), 0) loop
    ordinal := i; verdict := 'invalid_project_token'; token_id := null; project_id := null; organization_id := null;
    origin_bound := false; events_taken := shape_valid[i]; retry_after_seconds := null; plan := null;
    capture_preset := null; capture_overrides := null; user_key := null; active_probes := null;
    capture_version := 0;
    select t.token_id, t.project_id, t.allowed_origins, t.last_used_at, t.events_per_minute, p.organization_id,
        p.capture_preset, p.capture_overrides, p.user_key, coalesce(plan_override, effective_plan(o, moment)) as plan,
        case when has_probes then active_probes(p.project_id, moment) end as active_probes,
        -- Zero if there is no rule to read.
        case when p.capture_rule_count > 0 then p.capture_version else 0 end as capture_version
      into found
      from project_tokens t
      join projects p on p.project_id = t.project_id and p.deleted_at is null
      join organizations o on o.organization_id = p.organization_id
      where t.token_hash = token_hashes[i] and t.revoked_at is null;
    if not found.token_id is null then
      token_id := found.token_id; project_id := found.project_id; organization_id := found.organization_id;
      origin_bound := cardinality(found.allowed_origins) > 0; plan := found.plan;
      capture_preset := found.capture_preset; capture_overrides := found.capture_overrides;
      user_key := found.user_key; active_probes := found.active_probes;
      capture_version := found.capture_version;
      if beacons[i] and not (origin_bound and coalesce(origins[i] = any (found.allowed_origins), false)) then
        verdict := 'invalid_project_token';
      elsif origin_bound and not coalesce(origins[i] = any (found.allowed_origins), false) then
        verdict := 'origin_not_allowed';
      else
        verdict := 'admitted';
        rate_limit := least((rate_limits ->> found.plan)::integer, found.events_per_minute);
        if countable[i] and rate_limit is not null then
          -- A lost window loses no event, so its commit need not wait for the disk.
          perform set_config('synchronous_commit', 'off', true);
          insert into rate_windows as w (token_id, started_at, requests, events)
            values (found.token_id, moment, 0, 0)
            on conflict (token_id) do update set
              started_at = case when w.started_at + interval '60 s' <= moment then moment else w.started_at end,
              requests = case when w.started_at + interval '60 s' <= moment then 0 else w.requests end,
              events = case when w.started_at + interval '60 s' <= moment then 0 else w.events end
            returning w.started_at, w.requests, w.events into budget;
          retry_after_seconds :=
            greatest(1, ceil(extract(epoch from budget.started_at + interval '60 s' - moment)))::integer;
          if budget.requests >= rate_limit or budget.events >= rate_limit
              or (shape_valid[i] <= rate_limit and shape_valid[i] > rate_limit - budget.events) then
            verdict := 'rate_limited'; events_taken := 0;
          else
            events_taken := least(shape_valid[i], rate_limit - budget.events);
            update rate_windows w set requests = w.requests + 1, events = w.events + events_taken
              where w.token_id = found.token_id;
          end if;
        end if;
        if verdict = 'admitted' and countable[i]
            and (found.last_used_at is null or found.last_used_at < moment - interval '60 s')
            and not found.token_id = any (used_tokens) then
          used_tokens := used_tokens || found.token_id;
          update project_tokens t set last_used_at = moment where t.token_id = found.token_id;
        end if;
      end if;
    end if;
    return next;
  end loop;
end $$;

-- One row for each stored batch of raw events. `processed_at` is the mark that makes each batch count once.
create table batches (
  batch_id uuid primary key,
  project_id uuid not null,
  object_key text not null,
  size_bytes integer not null,
  sha256 bytea not null,
  event_count integer not null,
  -- The tokens of its events, in the order of the events, and the number of events of each.
  token_ids uuid[] not null,
  token_events integer[] not null,
  received_at timestamptz(3) not null,
  processed_at timestamptz(3),
  split_at timestamptz(3),
  -- The position of the batch in an object that it shares with others; null: it has a separate object.
  object_offset integer
);
create index batches_project on batches (project_id, received_at);
-- Finds the batches of a shared object. Batches with an object of their own, which are most, take no space in it.
create index batches_merged on batches (object_key) where object_offset is not null;

-- Marks of the single events of a batch that was split after repeated failures.
create table batch_parts (
  batch_id uuid not null,
  position integer not null,
  processed_at timestamptz(3) not null,
  primary key (batch_id, position)
);

-- Events that could not be processed. `admin dead-letters` can queue them again.
create table dead_letters (
  dead_letter_id bigint generated always as identity primary key,
  project_id uuid not null,
  batch_id uuid not null,
  position integer not null,
  reason text not null,
  attempts integer not null,
  created_at timestamptz(3) not null default culprit_now(),
  unique (batch_id, position)
);

-- Numbers of events by outcome: `submitted` is the sum of the others once the queue is empty.
create table event_fates (
  token_id uuid not null,
  hour timestamptz(3) not null,
  fate text not null check (fate in ('submitted', 'processed', 'demoted', 'duplicate', 'dropped', 'sampled_out',
    'refused_by_policy', 'rate_limited', 'invalid', 'dead_letter')),
  rule_id uuid not null default '00000000-0000-0000-0000-000000000000',
  project_id uuid not null,
  events bigint not null,
  primary key (token_id, hour, fate, rule_id)
) with (fillfactor = 70);
create index event_fates_project on event_fates (project_id, hour);
-- The outcomes of all projects since an hour.
create index event_fates_hour on event_fates (hour);

-- Why events were rejected (3.6). A reason repeats words of the event, so senders could invent any number of them:
-- beyond a number for each project and hour they are counted together, with an empty reason.
create table rejections (
  project_id uuid not null references projects (project_id),
  hour timestamptz(3) not null,
  token_id uuid not null,
  reason text not null,
  events bigint not null,
  last_at timestamptz(3) not null,
  primary key (project_id, hour, token_id, reason)
) with (fillfactor = 70);

-- Items of foreign clients by kind (foreign-protocols.md 11.6), those included that are no events and are not taken.
create table foreign_kinds (
  project_id uuid not null references projects (project_id),
  hour timestamptz(3) not null,
  protocol text not null check (protocol in ('sentry', 'otlp', 'report')),
  kind text not null,
  taken bigint not null,
  not_taken bigint not null,
  over_limit bigint not null,
  last_at timestamptz(3) not null,
  primary key (project_id, hour, protocol, kind)
) with (fillfactor = 70);

-- Events that each version of a client library sent, and those that it reports as lost (incidents.md 7.1.1).
create table client_counts (
  project_id uuid not null,
  -- The UTC day of receipt.
  day date not null,
  service_id uuid not null,
  sdk_name text not null,
  sdk_version text not null,
  -- `received`, or the reason of a loss.
  outcome text not null,
  events bigint not null,
  primary key (project_id, day, service_id, sdk_name, sdk_version, outcome)
) with (fillfactor = 70);

-- Jobs and maintenance tasks (reliability.md A3) ---------------------------------------------------------------------

-- The job queue. A job is claimed under a lease with an attempt number, and its end needs both.
create table jobs (
  job_id bigint generated always as identity primary key,
  lane text not null,
  kind text not null,
  -- Lanes serve these in turn: the project, or what else must not delay others.
  fairness_key uuid not null,
  -- Two jobs of one kind and key are one job; a later trigger raises `revision` and can move `run_at` forward.
  key text,
  payload jsonb not null default '{}',
  run_at timestamptz(3) not null default culprit_now(),
  revision integer not null default 0,
  -- The number of claims: results of an earlier claim are refused by it.
  attempt integer not null default 0,
  -- The number of failed attempts, lost leases included, which selects the retry delay.
  failures integer not null default 0,
  leased_until timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default culprit_now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create unique index jobs_key on jobs (kind, key) where key is not null;
create index jobs_claim on jobs (lane, fairness_key, run_at);

-- Periodic work that one worker does for all. The worker that moves `due_at` forward has the task.
create table maintenance_tasks (
  task text primary key,
  due_at timestamptz(3) not null
);

-- Events (incidents.md 1 and 3) --------------------------------------------------------------------------------------

-- One narrow row for each accepted event, partitioned by the day of receipt. Payloads stay in objects and are read by
-- frame and offset.
create table events (
  project_id uuid not null,
  service_id uuid not null,
  incident_id uuid,
  batch_id uuid not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- Hashes of the ids that relate events; the ids themselves are in the payload.
  trace_hash bigint,
  request_hash bigint,
  session_hash bigint,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  -- A hash of the library's name, enough to distinguish two libraries of one service (5.10).
  library integer not null,
  event_type smallint not null,
  event_class smallint not null,
  -- -1 for none, else the rank of ingestion.md 2.4.
  level smallint not null,
  is_counted boolean not null,
  event_id text collate "C" not null,
  -- The one key under which a library may report repeats of the event (5.10).
  report_key bigint,
  -- The client's id of the event by hash, to find repetitions of it for 7 days. A table of all ids of seven days took
  -- a row and an entry on any page of a large index, and most of these pages were written to the log as a whole. Null:
  -- the client sent none.
  id_hash bigint,
  -- The first 64 bits of the fingerprint under which an incident counted the event, and 0 if none did: reports of
  -- suppressed repeats name an event that was sent (5.10). Null without an id.
  signal_key bigint
) partition by range (received_at);
-- Each event pays for every byte of these: they hold hashes alone, and no event id to order events of one moment.
create index events_incident on events (incident_id, occurred_at desc) where incident_id is not null;
create index events_trace on events (trace_hash) where trace_hash is not null;
create index events_request on events (request_hash) where request_hash is not null;
create index events_session on events (session_hash) where session_hash is not null;
-- Neighbors in time: logs (3) and probe events (7) of a service without a correlation id (3.3).
create index events_loose on events (service_id, occurred_at)
  where event_type in (3, 7) and trace_hash is null and request_hash is null;
create index events_report_key on events (report_key, received_at) where report_key is not null;
create index events_id on events (id_hash) where id_hash is not null;
-- The blocks of a day that have rows of a project, in some hundred bytes for each 256 KB: almost free for an insert,
-- and enough to find the few rows of one project among those of many others.
create index events_project on events using brin (project_id uuid_bloom_ops (n_distinct_per_range = 100))
  with (pages_per_range = 32);

-- Creates the partition of a UTC day unless it exists. Attaching takes a lock that blocks neither reads nor writes.
-- Rows of a day are inserted and go all together: a vacuum because of inserts alone would read each page again and
-- write all of it to the log a second time, for an index-only scan that no statement makes.
create function ensure_event_partition(day date) returns void language plpgsql as $$
declare
  partition_name text := 'events_' || to_char(day, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('culprit.events.partition'));
  if to_regclass(partition_name) is null then
    execute format('create table %I (like events including defaults including constraints)', partition_name);
    execute format('alter table %I set (autovacuum_vacuum_insert_threshold = -1)', partition_name);
    execute format('alter table events attach partition %I for values from (%L) to (%L)', partition_name,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end if;
end $$;

-- Returns the partitions whose days are in a span, the oldest first. `from_day` null: from the beginning.
create function event_partitions(from_day date, before_day date) returns table (partition regclass, day date)
  language sql stable as $$
    select c.oid::regclass, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass
      and to_date(right(c.relname, 8), 'YYYYMMDD') >= coalesce(from_day, '-infinity')
      and to_date(right(c.relname, 8), 'YYYYMMDD') < before_day
    order by day
  $$;

-- Ids of events of the last 7 days whose rows were deleted before or were never inserted. Rows expire by a daily scan
-- of the table, which an index on the time would not pay for.
create table event_ids (
  project_id uuid not null,
  id_hash bigint not null,
  received_at timestamptz(3) not null,
  -- The column of `events` with this name has the same values. Null: unknown.
  signal_key bigint,
  primary key (project_id, id_hash)
) with (autovacuum_vacuum_insert_threshold = -1);

-- A search for repetitions reads the two parts separately, because a limit of one row for each id spares the other
-- days.
create view known_event_ids as
  select project_id, id_hash, received_at, signal_key from event_ids
  union all
  select project_id, id_hash, received_at, signal_key from events where id_hash is not null;

-- Returns the receive time of the oldest event that can still be repeated, by one that was accepted long ago and waits
-- for its worker.
create function event_ids_known_from() returns timestamptz language sql stable as $$
  select coalesce(least(culprit_now(), min(created_at)) - interval '1 min', culprit_now()) - interval '7 days'
    from jobs where lane = 'events'
$$;

-- Removes up to `rows_max` rows of a day that meet a condition on `$1` and `$2`, and returns their number. Their ids
-- are kept while they can be repeated: retention may be shorter than seven days, and incidents are deleted.
create function delete_rows_of_day(day_rows regclass, condition text, ids uuid[], received_before timestamptz,
    rows_max integer) returns integer language plpgsql as $$
declare
  removed integer;
begin
  execute format('with gone as (
      delete from %1$s where ctid = any (array(select ctid from %1$s where %2$s limit $3))
      returning project_id, id_hash, received_at, signal_key
    ), kept as (
      insert into event_ids as o (project_id, id_hash, received_at, signal_key)
      select distinct on (project_id, id_hash) project_id, id_hash, received_at, signal_key from gone
      where id_hash is not null and received_at >= $4
        and project_id in (select project_id from projects where deleted_at is null)
      order by project_id, id_hash, received_at desc
      on conflict (project_id, id_hash) do update
        set received_at = excluded.received_at, signal_key = excluded.signal_key
        where o.received_at < excluded.received_at
    )
    select count(*) from gone', day_rows, condition)
    into removed using ids, received_before, rows_max, event_ids_known_from();
  return removed;
end $$;

-- Removes up to `rows_max` event rows of a project that were received in a span, and returns their number.
-- `received_from` null: from the beginning.
create function remove_event_rows(project uuid, received_from timestamptz, received_before timestamptz, rows_max integer)
  returns integer language plpgsql as $$
declare
  each record;
  total integer := 0;
begin
  for each in select * from event_partitions((received_from at time zone 'UTC')::date,
      (received_before at time zone 'UTC')::date + 1) loop
    total := total + delete_rows_of_day(each.partition, 'project_id = $1[1] and received_at < $2', array[project],
      received_before, rows_max - total);
    exit when total >= rows_max;
  end loop;
  return total;
end $$;

-- Removes up to `rows_max` event rows of incidents, and returns their number.
create function remove_incident_event_rows(incidents uuid[], rows_max integer) returns integer language plpgsql as $$
declare
  each record;
  total integer := 0;
begin
  for each in select * from event_partitions(null, 'infinity') loop
    total := total + delete_rows_of_day(each.partition, 'incident_id = any ($1)', incidents, null, rows_max - total);
    exit when total >= rows_max;
  end loop;
  return total;
end $$;

-- Removes the oldest partition before a day, and returns false if there is none. Waits a second for its lock at most.
create function drop_event_day(before_day date) returns boolean language plpgsql set lock_timeout = '1s' as $$
declare
  oldest record;
begin
  select * into oldest from event_partitions(null, before_day) limit 1;
  if oldest.partition is null then return false; end if;
  if (oldest.day + 1)::timestamp at time zone 'UTC' > event_ids_known_from() then
    perform delete_rows_of_day(oldest.partition, 'id_hash is not null', null, null, null);
  end if;
  execute format('drop table %s', oldest.partition);
  return true;
end $$;

-- Services, deployments and releases (incidents.md 5.8, source-maps.md 10) -------------------------------------------

create table services (
  service_id uuid primary key,
  project_id uuid not null,
  name text collate "C" not null,
  environment text collate "C" not null,
  runtime text,
  framework text,
  last_seen_at timestamptz(3) not null,
  unique (project_id, name, environment)
);

create table deployments (
  deployment_id uuid primary key,
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  version text,
  commit_sha text,
  branch text,
  deployed_at timestamptz(3) not null,
  event_id text collate "C" not null,
  received_at timestamptz(3) not null,
  -- Inferred from a new release; a deploy event of that version replaces it.
  is_inferred boolean not null default false,
  unique nulls not distinct (project_id, service_name, environment, version, commit_sha, deployed_at)
);
create index deployments_lookup on deployments (project_id, service_name, environment, deployed_at desc);
create index deployments_version on deployments (project_id, coalesce(version, commit_sha));

create table releases (
  project_id uuid not null,
  release_id uuid not null,
  version text not null,
  -- The first that named it.
  created_by text not null check (created_by in ('event', 'deploy', 'upload', 'api')),
  -- The event that named it first is of a kind that a browser can send.
  is_of_browsers boolean not null default false,
  created_at timestamptz(3) not null default culprit_now(),
  -- Creation or the earliest deploy.
  first_at timestamptz(3) not null,
  -- The receive time of its latest event.
  last_seen_at timestamptz(3),
  -- The latest event, deploy, upload or call that named it, from which retention counts.
  last_named_at timestamptz(3) not null default culprit_now(),
  commit_sha text,
  branch text,
  url text,
  primary key (project_id, release_id)
);
create unique index releases_version on releases (project_id, version);
create index releases_listed on releases (project_id, first_at desc, release_id desc);

-- Services in which a release was seen or deployed.
create table release_services (
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  release_id uuid not null,
  first_at timestamptz(3) not null,
  -- Null: deployed, and no event names it.
  last_seen_at timestamptz(3),
  -- A server named it: if the service had another one before, that is a deployment (incidents.md 5.8).
  is_run boolean not null default false,
  primary key (project_id, service_name, environment, release_id)
);
create index release_services_release on release_services (project_id, release_id);

-- Counts of a release for each UTC day of receipt.
create table release_days (
  project_id uuid not null,
  release_id uuid not null,
  day date not null,
  events bigint not null default 0,
  new_incidents integer not null default 0,
  regressed_incidents integer not null default 0,
  primary key (project_id, release_id, day)
);

create table release_commits (
  project_id uuid not null,
  release_id uuid not null,
  position integer not null,
  sha text not null,
  author_name text,
  message text not null,
  committed_at timestamptz(3),
  primary key (project_id, release_id, position)
);

-- Names beyond the daily limit of new releases, which did not become releases.
create table unnamed_releases (
  project_id uuid not null,
  day date not null,
  name_hash bigint not null,
  primary key (project_id, day, name_hash)
);
create index unnamed_releases_day on unnamed_releases (day);

-- Incidents (incidents.md 5) -----------------------------------------------------------------------------------------

-- Lists are ordered by columns that change with each event. Their indexes are on steps of these columns, so a row
-- changes in its page, without an index entry, until a step is crossed (docs/architecture.md, Data).

-- Returns the step of an amount: each has at least eight amounts; from 64 on there are eight steps to each doubling.
-- Null for nothing.
create function amount_step(amount bigint) returns integer
  language sql immutable parallel safe
  return case when amount >= 64 then floor(ln(amount::double precision / 64) * 11.541560327111707)::integer + 8
    when amount > 0 then (amount / 8)::integer end;

-- Returns the five minutes of a time.
create function seen_step(seen_at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return date_bin('5 min', seen_at, timestamptz '2000-01-01 00:00:00+00');

-- Returns the step of an amount by which nothing is put in order: eight amounts, and from 64 on one for each doubling.
-- Null for nothing.
create function wide_step(amount bigint) returns integer
  language sql immutable parallel safe
  return case when amount >= 64 then floor(ln(amount::double precision / 64) * 1.4426950408889634)::integer + 8
    when amount > 0 then (amount / 8)::integer end;

-- A process locks the row of the project `for key share` before it writes here, and the project's deletion locks it
-- `for update`. Columns that each event changes are the last, because the log takes everything between the first
-- and the last column that changed.
create table incidents (
  incident_id uuid primary key,
  project_id uuid not null,
  service_id uuid not null,
  service_name text not null,
  environment text not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  fingerprint_kind text not null,
  title text not null,
  -- 0 low, 1 medium, 2 high, 3 critical; never decreases.
  severity smallint not null,
  status text not null check (status in ('open', 'resolved', 'regressed')),
  first_seen_at timestamptz(3) not null,
  spike_detected_at timestamptz(3),
  resolved_at timestamptz(3),
  resolved_by_user_id uuid,
  regressed_at timestamptz(3),
  status_changed_at timestamptz(3) not null,
  matched_fields text[] not null,
  reason_kind text not null,
  reason_description text not null,
  reason_event_type text not null,
  reason_matched_policy text not null,
  is_verification boolean not null default false,
  -- The hour (since the epoch) from which `incident_hours` and `incident_minutes` have everything; occurrences before
  -- it are counted from the rows of events.
  hours_from integer not null default 0,
  -- Senders of its signals (command-line.md 6, A7): 1 browsers, 2 servers, 3 both; 0 until the first is counted.
  sources smallint not null default 0,
  -- The readers of the event that opened it, and the rule that decided its key (grouping.md 2).
  readers text[] not null,
  rule text not null,
  has_mapped_key boolean not null default false,
  -- Set during a snooze (team-workflow.md 3), with the conditions that end it early: a count of occurrences, of users,
  -- a deploy of its service and environment after this moment, a number of occurrences within 60 minutes.
  snoozed_until timestamptz(3),
  wake_at_count bigint,
  wake_at_users integer,
  wake_after_deploy_at timestamptz(3),
  wake_at_hourly integer,
  -- The last time its severity was raised, or a snooze ended because it occurred far more often.
  escalated_at timestamptz(3),
  -- Browsers report it without a fault of the application, by its first signal.
  is_browser_noise boolean not null default false,
  -- Occurrences when it was snoozed.
  snoozed_count bigint,
  -- By receive time of its signals; null until one of them names a release.
  first_release text,
  last_release text,
  regressed_in_release text,
  -- The number of CHECKOUT-42 (team-workflow.md 0.2).
  number integer not null,
  -- The environment is one for tests, which lowers its priority (team-workflow.md 5.1). Compares parts of the name
  -- between characters that are no letters. Stored, because lists compute the priority of each active incident.
  is_test_environment boolean not null generated always as (
    lower(environment) ~ '(^|[^a-z])(dev|development|local|localhost|ci|test|tests|testing|qa|uat|stage|staging|stg|preview|review|sandbox|demo)([^a-z]|$)'
  ) stored,
  last_seen_at timestamptz(3) not null,
  newest_received_at timestamptz(3) not null,
  -- Set during a spike: the time at which both rules were last true (5.7).
  spike_last_true_at timestamptz(3),
  occurrence_count bigint not null check (occurrence_count >= 1),
  occurrences_without_request_id bigint not null default 0,
  occurrences_with_request_block bigint not null default 0,
  suppressed_count bigint not null default 0,
  affected_users integer not null default 0,
  distinct_requests integer not null default 0,
  seen_step timestamptz(3) not null generated always as (seen_step(last_seen_at)) stored,
  count_step integer not null generated always as (amount_step(occurrence_count)) stored,
  users_step integer generated always as (wide_step(affected_users::bigint)) stored,
  -- The sample data to which it belongs. Its key is of these alone, so that no event of a client joins it.
  sample_id uuid,
  check ((status = 'resolved') = (resolved_at is not null)),
  check (status <> 'regressed' or regressed_at is not null),
  check (first_seen_at <= last_seen_at),
  unique (service_id, fingerprint_version, fingerprint)
) with (fillfactor = 50);
create unique index incidents_number on incidents (project_id, number);
create index incidents_list on incidents (project_id, seen_step desc);
create index incidents_active on incidents (project_id, seen_step desc) where status <> 'resolved';
create index incidents_first_seen on incidents (project_id, first_seen_at desc, incident_id desc);
create index incidents_occurrences on incidents (project_id, count_step desc);
create index incidents_users on incidents (project_id, users_step) where users_step is not null;
create index incidents_severity on incidents (project_id, severity desc, seen_step desc);
create index incidents_regressed on incidents (project_id, regressed_at) where regressed_at is not null;
create index incidents_spiking on incidents (project_id, spike_detected_at) where spike_detected_at is not null;
create index incidents_snoozed on incidents (project_id, snoozed_until) where snoozed_until is not null;
create index incidents_waking on incidents (snoozed_until) where snoozed_until is not null;
create index incidents_sources on incidents (project_id, sources) where sources <> 2;
create index incidents_first_release on incidents (project_id, first_release) where first_release is not null;
create index incidents_last_release on incidents (project_id, last_release) where last_release is not null;
create index incidents_regressed_in on incidents (project_id, regressed_in_release)
  where regressed_in_release is not null;
create index incidents_sample on incidents (project_id, sample_id) where sample_id is not null;
-- Lists by priority find the incidents that were escalated lately (team-workflow.md 5.1). An event writes to this
-- index only when it escalates its incident.
create index incidents_escalated on incidents (project_id, escalated_at) where escalated_at is not null;

-- Occurrences by minute (since the epoch) of the last 130 minutes, from which spikes are detected (5.7).
create table incident_minutes (
  incident_id uuid not null,
  minute integer not null,
  occurrences integer not null,
  -- Those of them that a client library counted instead of sending.
  suppressed integer not null default 0,
  primary key (incident_id, minute)
) with (fillfactor = 70);

-- Occurrences by hour (dashboard.md 9, A-3 and A-4). The statement that removes old minutes adds them here; until then
-- they are read from `incident_minutes`.
create table incident_hours (
  incident_id uuid not null,
  -- Whole UTC hours since the epoch.
  hour integer not null,
  occurrences integer not null,
  suppressed integer not null,
  primary key (incident_id, hour)
) with (fillfactor = 90);

-- The distinct users and requests of an incident in one row (3.6, 5.11): each set holds hashes of eight bytes up to a
-- thousand of them, then the registers of a sketch. Hashes and registers do not compress.
create table incident_members (
  project_id uuid not null,
  incident_id uuid not null,
  users bytea not null,
  requests bytea not null,
  -- The set is a sketch.
  users_are_estimated boolean not null,
  requests_are_estimated boolean not null,
  -- Each change replaces it, so that a worker recognizes a set that it remembers as outdated.
  stamp bigint not null,
  -- The members since the sets were written, the newest first: the log then holds only these, and the row stays in its
  -- page.
  changes bytea not null default '',
  primary key (project_id, incident_id)
) with (fillfactor = 50);
alter table incident_members alter column users set storage external;
alter table incident_members alter column requests set storage external;
alter table incident_members alter column changes set storage plain;

-- The at most seven occurrences whose full detail an incident keeps, with the position of their bytes (3.3). Each has
-- one of seven places, so that the next one in its role takes its row.
create table incident_samples (
  incident_id uuid not null,
  place smallint not null,
  event_id text collate "C" not null,
  effective_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  severity smallint not null,
  richness smallint not null,
  roles text[] not null,
  is_origin_bound boolean not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  primary key (incident_id, place)
) with (fillfactor = 50);

-- Context events that a bundle used or that joined an incident's timeline without being an occurrence of it.
create table incident_context (
  incident_id uuid not null,
  event_id text collate "C" not null,
  event_type smallint not null,
  level smallint not null,
  occurred_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  -- The text of a row of the incident's logs (2.6).
  summary text,
  primary key (incident_id, event_id)
);

-- Keys with which client libraries report suppressed repeats of an incident's signals (5.10), where the row of no
-- event has room for them: second keys of an event, and keys that reports keep alive. They expire after seven days
-- without use.
create table suppression_keys (
  service_id uuid not null,
  -- 64 bits of the library's fingerprint.
  client_key bigint not null,
  project_id uuid not null,
  incident_id uuid not null,
  seen_at timestamptz(3) not null,
  primary key (service_id, client_key)
) with (fillfactor = 90);

-- The releases in which incidents were resolved, while they are.
create table incident_resolutions (
  project_id uuid not null,
  incident_id uuid not null primary key,
  kind text not null check (kind in ('next_release', 'release')),
  -- The latest release of its service when it was resolved in the next one.
  after_version text,
  -- Null until a later one is seen.
  version text,
  set_at timestamptz(3) not null default culprit_now(),
  -- Earlier releases whose signals are in its history.
  old_releases text[] not null default '{}'
);
create index incident_resolutions_version on incident_resolutions (project_id, version) where version is not null;
create index incident_resolutions_open on incident_resolutions (project_id) where version is null;

-- Grouping by hand and by learned placeholders (grouping.md) ---------------------------------------------------------

-- Further keys under which an incident receives events. One incident for each key; removed with the incident.
create table incident_aliases (
  service_id uuid not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  project_id uuid not null,
  incident_id uuid not null,
  origin text not null check (origin in ('merge', 'slot', 'regrouping', 'mapped', 'unmapped')),
  created_at timestamptz(3) not null,
  -- The merged incident of a merge, its author, and whether it was active, so that the merge can be undone (6).
  from_incident_id uuid,
  user_id uuid,
  was_active boolean not null default false,
  -- The slot that added the key, and the signals for which it counts.
  slot bytea,
  is_browser boolean not null default false,
  -- In the row with the key of a merged incident, the incident that it was first merged into. When one of several
  -- merges is undone, the rest follows from it.
  merged_into uuid,
  regrouping_id uuid,
  primary key (service_id, fingerprint_version, fingerprint)
);
create index incident_aliases_incident on incident_aliases (incident_id);
create index incident_aliases_from on incident_aliases (from_incident_id) where from_incident_id is not null;
create index incident_aliases_regrouping on incident_aliases (regrouping_id) where regrouping_id is not null;

-- Positions in message templates where different words were seen (3). A slot opens after enough different words, and
-- then the keys of its templates lead to one incident. `words` and `fingerprints` are of the same templates in the
-- same order, and the empty word is a value. A slot that a person closed never opens again.
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

-- Changes of grouping that were applied to existing incidents (8). Their merges and keys are in `incident_aliases`, so
-- that each can be undone exactly.
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

-- Triage, notes and views (team-workflow.md) -------------------------------------------------------------------------

-- One row for each incident that a person changed; removed with the incident.
create table incident_triage (
  incident_id uuid primary key,
  project_id uuid not null,
  -- 0 low, 1 normal, 2 high, 3 urgent; null: the rules decide (5).
  priority smallint check (priority between 0 and 3),
  assignee_user_id uuid,
  assignee_team_id uuid,
  assigned_at timestamptz(3),
  -- The rest of a snooze, whose conditions are columns of the incident.
  snoozed_at timestamptz(3),
  snoozed_by_user_id uuid,
  snooze_reason text,
  check (assignee_user_id is null or assignee_team_id is null)
) with (fillfactor = 80);
create index incident_triage_assignee on incident_triage (assignee_user_id, project_id)
  where assignee_user_id is not null;
create index incident_triage_team on incident_triage (assignee_team_id, project_id)
  where assignee_team_id is not null;
create index incident_triage_priority on incident_triage (project_id, priority) where priority is not null;
create index incident_triage_project on incident_triage (project_id, incident_id);

-- Keys of snoozed incidents that retention removed: an incident that opens with one of them is snoozed from the start.
create table snooze_memories (
  project_id uuid not null,
  service_name text collate "C" not null,
  environment text collate "C" not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  snoozed_until timestamptz(3) not null,
  -- The rest of each condition.
  occurrences_left bigint,
  users_left integer,
  wake_after_deploy_at timestamptz(3),
  wake_at_hourly integer,
  snoozed_by_user_id uuid,
  snooze_reason text,
  primary key (project_id, service_name, environment, fingerprint_version, fingerprint)
);
create index snooze_memories_expiry on snooze_memories (snoozed_until);

-- Notes of people and agents (4).
create table incident_notes (
  note_id uuid primary key,
  project_id uuid not null,
  incident_id uuid not null,
  -- Null: a comment of a ticket, whose author has no account here.
  author_user_id uuid,
  via text not null,
  -- The label of the member token when the note was written.
  token_label text,
  -- Null: deleted.
  body text,
  -- Positions of people in the body: [{kind, id, offset, length}].
  mentions jsonb not null default '[]',
  created_at timestamptz(3) not null default culprit_now(),
  edited_at timestamptz(3),
  deleted_at timestamptz(3),
  check ((body is null) = (deleted_at is not null))
);
create index incident_notes_incident on incident_notes (incident_id, created_at, note_id);
create index incident_notes_author on incident_notes (author_user_id, created_at);
create index incident_notes_project on incident_notes (project_id, note_id);

-- Proposed fixes (5.2).
create table incident_fixes (
  fix_id uuid primary key,
  project_id uuid not null,
  incident_id uuid not null,
  author_user_id uuid not null,
  via text not null,
  token_label text,
  url text not null,
  commit_sha text,
  release text,
  summary text,
  verification jsonb,
  created_at timestamptz(3) not null default culprit_now(),
  -- It resolves the incident once it is deployed.
  resolves boolean not null default false,
  deployed_at timestamptz(3),
  deployed_in text
);
create index incident_fixes_incident on incident_fixes (incident_id, created_at, fix_id);
create index incident_fixes_project on incident_fixes (project_id, fix_id);
-- Each deployment looks for the fixes of its project that wait for one.
create index incident_fixes_waiting on incident_fixes (project_id, created_at) where resolves and deployed_at is null;

-- People who watch an incident (4.1).
create table incident_watchers (
  project_id uuid not null,
  incident_id uuid not null,
  user_id uuid not null references users (user_id) on delete cascade,
  created_at timestamptz(3) not null default culprit_now(),
  primary key (project_id, incident_id, user_id)
);
create index incident_watchers_incident on incident_watchers (incident_id);
create index incident_watchers_user on incident_watchers (user_id);

-- Ownership (2.3): the lines that assign new incidents of a project.
create table ownership (
  project_id uuid primary key,
  version integer not null,
  text text not null check (octet_length(text) <= 65536),
  -- Lines name tags, which are counted some seconds after an incident was opened.
  has_tags boolean not null,
  updated_at timestamptz(3) not null default culprit_now(),
  updated_by_user_id uuid references users (user_id) on delete set null
);
create index ownership_editor on ownership (updated_by_user_id) where updated_by_user_id is not null;

-- Named lists of incidents (1.4).
create table views (
  view_id uuid primary key,
  -- Null: all projects of its owner.
  project_id uuid,
  -- Null: shared with the members of its project.
  owner_user_id uuid references users on delete cascade,
  created_by_user_id uuid references users on delete set null,
  name text not null check (char_length(name) between 1 and 60),
  q text not null,
  status text not null,
  sort text not null,
  position integer not null,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  check (project_id is not null or owner_user_id is not null)
);
create index views_project on views (project_id) where project_id is not null;
create index views_owner on views (owner_user_id) where owner_user_id is not null;
create index views_maker on views (created_by_user_id);

-- Search and tags (team-workflow.md 1) -------------------------------------------------------------------------------

-- Titles in lower case. Search reads the titles of a project one by one, which is faster without the wide columns of
-- `incidents`.
create table incident_titles (
  incident_id uuid primary key,
  project_id uuid not null,
  title text not null
);
create index incident_titles_project on incident_titles (project_id);

-- A trigger, so that restored incidents are found too.
create function add_incident_titles() returns trigger language plpgsql as $$
begin
  insert into incident_titles (incident_id, project_id, title)
    select incident_id, project_id, lower(title) from added on conflict do nothing;
  return null;
end $$;
create trigger incidents_titles after insert on incidents referencing new table as added
  for each statement execute function add_incident_titles();

-- The words and facts by which incidents are found. Each lexeme begins with the end of its project's id, so that one
-- index separates those of projects.
create table incident_search (
  project_id uuid not null,
  incident_id uuid not null,
  document tsvector not null,
  -- The values as they were sent.
  types text[] not null,
  functions text[] not null,
  files text[] not null,
  routes text[] not null,
  statuses text[] not null,
  -- In the order in which they appeared.
  releases text[] not null,
  -- The first and the latest ones, in lower case.
  messages text[] not null,
  -- `files` are those of the application's frames.
  has_own_frames boolean,
  -- The last time the document was written: a new one waits before it takes messages of a known form (1.2).
  written_at timestamptz(3) not null default '2000-01-01 00:00:00+00',
  primary key (project_id, incident_id)
);
create index incident_search_incident on incident_search (incident_id);
create index incident_search_document on incident_search using gin (document) with (gin_pending_list_limit = 1024);

create table incident_tags (
  project_id uuid not null,
  incident_id uuid not null,
  key text collate "C" not null,
  value text collate "C" not null,
  count bigint not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, key, value, incident_id)
) with (fillfactor = 50);
create index incident_tags_incident on incident_tags (incident_id);

-- Tags of all counted signals of a project by day, with which those of an incident are compared.
create table project_tags (
  project_id uuid not null,
  day date not null,
  key text collate "C" not null,
  value text collate "C" not null,
  count bigint not null,
  primary key (project_id, day, key, value)
) with (fillfactor = 85);

-- Bundles (incidents.md 3) -------------------------------------------------------------------------------------------

create table bundles (
  incident_id uuid primary key,
  project_id uuid not null,
  status text not null check (status in ('pending', 'ready', 'failed')),
  failure_reason text,
  generation integer not null default 0,
  object_key text,
  size_bytes integer,
  content_sha256 bytea,
  first_generated_at timestamptz(3),
  generated_at timestamptz(3),
  -- The occurrence count of the last stored generation, and every block that any of them had. A refresh that adds
  -- something notable to them is brought forward (3.9).
  occurrence_count bigint not null default 0,
  blocks text[] not null default '{}',
  is_reproducible boolean,
  -- Bits of the evidence that was offered or shown before; each new one brings a refresh forward once (3.9).
  offers integer not null default 0,
  -- The frame of the failure, of the newest generation.
  top_frame jsonb,
  -- The grouping by the client of its first event: used only to find similar incidents (foreign-protocols.md 5.7).
  client_grouping text,
  symbolication text
) with (fillfactor = 80);
create index bundles_cap on bundles (project_id, generated_at) where status = 'ready';

-- The ledger (incidents.md 7.1, command-line.md A3) ------------------------------------------------------------------

-- Everything that happens to an incident, a bundle or an improvement, once. Webhooks, alerts and timelines read it.
create table lifecycle_events (
  lifecycle_id bigint generated always as identity primary key,
  project_id uuid not null,
  incident_id uuid,
  kind text not null check (kind in ('incident.opened', 'incident.regressed', 'incident.resolved',
    'incident.reopened', 'incident.spike_detected', 'incident.threshold_reached', 'incident.severity_raised',
    'incident.merged', 'incident.split', 'incident.assigned', 'incident.unassigned', 'incident.prioritized',
    'incident.snoozed', 'incident.woke', 'incident.noted', 'incident.fix_proposed', 'incident.linked',
    'incident.unlinked', 'incident.link_state_changed', 'incident.remapped', 'incident.seen_in_old_release',
    'bundle.created', 'bundle.updated', 'improvement_bundle.created')),
  occurred_at timestamptz(3) not null default culprit_now(),
  data jsonb not null default '{}',
  improvement_id uuid,
  -- The order of the feed: rows whose transaction is older than every open one get no more predecessors.
  transaction_id xid8 not null default pg_current_xact_id(),
  constraint lifecycle_events_subject check ((incident_id is null) = (kind = 'improvement_bundle.created')
    and (improvement_id is null) = (kind <> 'improvement_bundle.created'))
);
create index lifecycle_events_incident on lifecycle_events (incident_id, lifecycle_id);
create index lifecycle_events_improvement on lifecycle_events (improvement_id) where improvement_id is not null;
create index lifecycle_events_feed on lifecycle_events (project_id, transaction_id, lifecycle_id);
-- The rows that a weekly report counts. Partial, so that refreshed bundles, by far the most frequent rows, do not pay
-- for it; by project, because with a BRIN index on the time the report of one project would read the week of all.
create index lifecycle_events_weekly on lifecycle_events (project_id, kind, occurred_at)
  where kind in ('incident.opened', 'incident.resolved', 'incident.regressed', 'incident.spike_detected',
    'bundle.created', 'improvement_bundle.created');

-- Numbers of transactions are those of one database, so cursors name it. Its one row is not in backups.
create table lifecycle_feed (
  feed_id uuid primary key default gen_random_uuid()
);
insert into lifecycle_feed default values;

-- Improvements (incidents.md 6) --------------------------------------------------------------------------------------

-- One row for each detector and key of a service. A candidate, which never crossed its threshold, is internal.
create table improvements (
  improvement_id uuid primary key,
  project_id uuid not null,
  service_id uuid not null,
  service_name text not null,
  environment text not null,
  detector text not null,
  -- The thing that is counted, such as method and route; the fingerprint is made of detector and key.
  detector_key text not null,
  fingerprint bytea not null,
  status text not null check (status in ('candidate', 'open', 'resolved', 'snoozed')),
  -- 0 low, 1 medium, 2 high, 3 critical.
  severity smallint not null default 0,
  confidence_percent smallint not null default 0,
  title text not null default '',
  summary text not null default '',
  evidence jsonb not null default '{}',
  related_incident_ids uuid[] not null default '{}',
  occurrence_count bigint not null default 0,
  -- Effective times.
  first_detected_at timestamptz(3) not null,
  last_detected_at timestamptz(3) not null,
  -- The receive time of the newest observation: retention and state follow the server's clock (5.9, 8).
  last_received_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  snoozed_until timestamptz(3),
  -- The number of times that the threshold was crossed; a document belongs to the episode for which it was first made.
  episode integer not null default 0,
  bundle_episode integer not null default 0,
  bundle_generation integer not null default 0,
  bundle_object_key text,
  bundle_size_bytes integer,
  bundle_sha256 bytea,
  bundle_created_at timestamptz(3),
  bundle_updated_at timestamptz(3),
  -- The count in the stored document, and when it was last compared.
  bundle_occurrence_count bigint not null default 0,
  bundle_checked_at timestamptz(3),
  bundle_failure_reason text,
  check ((status = 'resolved') = (resolved_at is not null)),
  check ((status = 'snoozed') = (snoozed_until is not null)),
  unique (service_id, fingerprint)
) with (fillfactor = 70);
create index improvements_list on improvements (project_id, last_detected_at desc, improvement_id desc)
  where status <> 'candidate';
create index improvements_project on improvements (project_id);
create index improvements_idle on improvements (last_received_at) where status = 'candidate';

-- Rolling counters: the observations of one improvement in one span of time, at each sensitivity. Severe ones are at
-- twice the limit or above.
create table improvement_counters (
  improvement_id uuid not null references improvements (improvement_id) on delete cascade,
  bucket_at timestamptz(3) not null,
  project_id uuid not null,
  at_high_confidence integer not null,
  at_balanced integer not null,
  at_verbose integer not null,
  severe_high_confidence integer not null,
  severe_balanced integer not null,
  severe_verbose integer not null,
  -- Everything of this key, matching or not: the base of percentages.
  total integer not null,
  -- Effective times of the first and the last match.
  first_at timestamptz(3),
  last_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (improvement_id, bucket_at)
) with (fillfactor = 70);
create index improvement_counters_expired on improvement_counters (expires_at);

-- Failed requests of one correlation id: parts of a group of retries, which can arrive in several batches.
create table improvement_attempts (
  improvement_id uuid not null references improvements (improvement_id) on delete cascade,
  correlation_hash bigint not null,
  project_id uuid not null,
  -- The newest ones, in milliseconds.
  attempted_at_ms bigint[] not null,
  -- The most attempts within the time of a group.
  largest smallint not null,
  expires_at timestamptz(3) not null,
  primary key (improvement_id, correlation_hash)
) with (fillfactor = 70);
create index improvement_attempts_expired on improvement_attempts (expires_at);
create index improvement_attempts_project on improvement_attempts (project_id);

-- The observations that a document shows: the latest one and the heaviest one.
create table improvement_samples (
  improvement_id uuid not null references improvements (improvement_id) on delete cascade,
  role text not null check (role in ('latest', 'heaviest')),
  project_id uuid not null,
  event_id text collate "C" not null,
  effective_at timestamptz(3) not null,
  received_at timestamptz(3) not null,
  weight double precision not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  primary key (improvement_id, role)
) with (fillfactor = 70);

-- Source maps (source-maps.md) ---------------------------------------------------------------------------------------

create table source_maps (
  project_id uuid not null,
  source_map_id uuid not null,
  path text not null,
  debug_id uuid,
  releases text[] not null,
  removed_reason text check (removed_reason in ('unused', 'budget', 'replaced', 'deleted')),
  removed_at timestamptz(3),
  generated_sha256 bytea not null,
  map_sha256 bytea not null,
  generated_bytes bigint not null,
  map_bytes bigint not null,
  stored_bytes bigint not null,
  sources integer not null,
  segments integer not null,
  has_contents boolean not null,
  registers_id boolean not null,
  probe jsonb,
  -- Null once it is removed.
  object_key text,
  created_at timestamptz(3) not null default culprit_now(),
  last_needed_at timestamptz(3) not null default culprit_now(),
  uploaded_by uuid,
  -- The hash of the generated file without the comments that tools add, with which a deployed file is compared.
  code_sha256 bytea not null,
  primary key (project_id, source_map_id)
);
create unique index source_maps_bytes on source_maps (project_id, map_sha256, generated_sha256)
  where removed_at is null;
create index source_maps_listed on source_maps (project_id, created_at desc, source_map_id desc);
create index source_maps_needed on source_maps (project_id, last_needed_at) where removed_at is null;
create index source_maps_removed on source_maps (removed_at) where removed_at is not null;

-- Names by which events find a source map: the id of its build, or a release and the name of its file.
create table source_map_names (
  project_id uuid not null,
  found_by text not null check (found_by in ('id', 'file')),
  -- The debug id, or the version of the release.
  key text not null,
  -- A hash of the base name of the file; 0 with an id, which needs none.
  base_hash bigint not null,
  source_map_id uuid not null,
  path text not null,
  primary key (project_id, found_by, key, base_hash, source_map_id)
);
create unique index source_map_names_id on source_map_names (project_id, key) where found_by = 'id';
create index source_map_names_map on source_map_names (project_id, source_map_id);

create table map_uploads (
  project_id uuid not null,
  upload_id uuid not null,
  user_id uuid,
  release text,
  state text not null check (state in ('open', 'processing', 'done', 'expired')),
  via text not null check (via in ('api', 'sentry')),
  -- The hash of the announced files, so that the same command continues its upload.
  manifest_hash bytea not null,
  announced_bytes bigint not null,
  created_at timestamptz(3) not null default culprit_now(),
  finished_at timestamptz(3),
  -- The hashes of the chunks of an archive of other build tools that is not yet unpacked.
  archive_chunks bytea[],
  -- Why an archive could not be read.
  problem text,
  primary key (project_id, upload_id)
);
create index map_uploads_listed on map_uploads (project_id, created_at desc, upload_id desc);
create index map_uploads_open on map_uploads (created_at) where state = 'open';
create index map_uploads_packed on map_uploads (user_id) where archive_chunks is not null;

create table map_upload_files (
  project_id uuid not null,
  upload_id uuid not null,
  position integer not null,
  path text not null,
  base_hash bigint not null,
  debug_id uuid,
  generated_sha256 bytea not null,
  generated_bytes bigint not null,
  map_sha256 bytea not null,
  map_bytes bigint not null,
  verdict text check (verdict in ('ready', 'unchanged', 'replaced', 'refused', 'skipped')),
  problem text,
  words text,
  source_map_id uuid,
  probe jsonb,
  fit jsonb,
  attempts integer not null default 0,
  primary key (project_id, upload_id, position)
);
create index map_upload_files_id on map_upload_files (project_id, debug_id, upload_id desc)
  where debug_id is not null;
create index map_upload_files_base on map_upload_files (project_id, base_hash, upload_id desc);

create table map_upload_parts (
  project_id uuid not null,
  upload_id uuid not null,
  sha256 bytea not null,
  part integer not null,
  object_key text not null,
  primary key (project_id, upload_id, sha256, part)
);

-- Chunks of archives, which arrive before anything names their project. Build tools upload lost ones again.
create unlogged table map_chunks (
  user_id uuid not null,
  sha1 bytea not null,
  -- Uncompressed, because archives already are compressed.
  bytes bytea not null,
  size_bytes integer not null,
  created_at timestamptz(3) not null default culprit_now(),
  primary key (user_id, sha1)
);
alter table map_chunks alter column bytes set storage external;
create index map_chunks_created on map_chunks (created_at);

-- Incidents whose events named a map that was missing.
create table map_waits (
  project_id uuid not null,
  found_by text not null check (found_by in ('id', 'file')),
  key text not null,
  base_hash bigint not null,
  incident_id uuid not null,
  file text not null,
  reason text not null,
  service_name text,
  is_browser boolean not null,
  events bigint not null,
  first_seen_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  primary key (project_id, found_by, key, base_hash, incident_id)
);
create index map_waits_incident on map_waits (incident_id);
create index map_waits_seen on map_waits (project_id, last_seen_at);

-- Webhooks (notifications.md 3) --------------------------------------------------------------------------------------

create table webhooks (
  webhook_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  created_by_user_id uuid not null,
  url text not null,
  -- In the order of the contract, each once.
  events text[] not null,
  -- Only the keys that are set.
  filters jsonb not null default '{}',
  is_enabled boolean not null,
  -- The signing secret, encrypted for this row.
  sealed_secret bytea not null,
  -- Failed attempts in a row, without tests and manual retries, and when the first of them ended (3.11).
  failed_attempts integer not null default 0,
  first_failed_at timestamptz(3),
  -- By the duration of its latest attempt, answered or not: slow receivers get few of the parallel sends.
  latency_class text not null default 'unknown' check (latency_class in ('unknown', 'quick', 'slow')),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now()
);
create index webhooks_project on webhooks (project_id, created_at desc, webhook_id desc);

-- One event for one webhook. The row itself is claimed: the process that raised `claim_number` last has it, until
-- `leased_until` by the database clock.
create table webhook_deliveries (
  delivery_id uuid primary key,
  webhook_id uuid not null references webhooks (webhook_id) on delete cascade,
  project_id uuid not null,
  event_type text not null,
  -- Its row of the ledger; null for a test.
  lifecycle_id bigint,
  -- Frozen: every attempt sends these bytes.
  body text not null,
  status text not null check (status in ('pending', 'delivered', 'retrying', 'failed', 'disabled')),
  attempt_count integer not null default 0,
  -- Null in final states, else when the next attempt is due; during an attempt, the end of its claim.
  next_attempt_at timestamptz(3) default culprit_now(),
  -- Failures of explicit requests, tests and manual retries, do not count towards the automatic disable.
  is_explicit boolean not null default false,
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  -- A retry was requested during an attempt: the next attempt starts after it.
  is_retry_waiting boolean not null default false,
  last_response_code integer,
  last_attempted_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default culprit_now(),
  delivered_at timestamptz(3),
  -- The latest attempts, the oldest first: start, duration and result of each.
  attempts jsonb not null default '[]',
  check ((next_attempt_at is not null) = (status in ('pending', 'retrying')))
) with (fillfactor = 70);
-- A repeated row of the ledger makes no second delivery (3.9).
create unique index webhook_deliveries_source on webhook_deliveries (webhook_id, lifecycle_id, event_type)
  where lifecycle_id is not null;
create index webhook_deliveries_list on webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
-- Claims skip from webhook to webhook, however many deliveries wait for one of them.
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_old on webhook_deliveries using brin (created_at);

-- Slack (notifications.md 2) -----------------------------------------------------------------------------------------

-- A channel of a workspace to which messages of an organization can be sent. A transaction that refers to one locks it
-- `for key share`, and its deletion locks it `for update`.
create table slack_destinations (
  slack_destination_id uuid primary key,
  organization_id uuid not null references organizations (organization_id) on delete cascade,
  slack_team_id text not null,
  slack_team_name text,
  slack_channel_id text not null,
  slack_channel_name text,
  -- The person who connected it last.
  installed_by_member_id uuid references users (user_id) on delete set null,
  -- The address of its incoming webhook, encrypted for this row.
  sealed_url bytea not null,
  -- False after a permanent refusal of Slack.
  is_active boolean not null default true,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  -- A new connection of the channel changes the row that rules and reports refer to.
  unique (organization_id, slack_team_id, slack_channel_id)
);
create index slack_destinations_list on slack_destinations
  (organization_id, created_at desc, slack_destination_id desc);
create index slack_destinations_installer on slack_destinations (installed_by_member_id)
  where installed_by_member_id is not null;

-- Connections in progress. Of the state, only its SHA-256 is stored.
create table slack_installs (
  state_hash bytea primary key,
  user_id uuid not null references users (user_id) on delete cascade,
  project_id uuid not null references projects (project_id) on delete cascade,
  return_to text not null,
  -- Begun in a browser, which then has the state in a cookie.
  is_browser_bound boolean not null,
  expires_at timestamptz(3) not null
);
create index slack_installs_expiry on slack_installs (expires_at);
create index slack_installs_user on slack_installs (user_id);
create index slack_installs_project on slack_installs (project_id);

-- Alerts (notifications.md 1) ----------------------------------------------------------------------------------------
-- Addresses in configurations are sealed with the data key (1.4).

create table alert_rules (
  alert_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  created_by_user_id uuid not null,
  -- Null: every service.
  service_id uuid,
  channel text not null check (channel in
    ('email', 'slack', 'discord', 'teams', 'mattermost', 'ntfy', 'telegram', 'pagerduty', 'webhook', 'template',
    'tracker')),
  condition_type text not null check (condition_type in ('new_incident', 'incident_regressed', 'error_spike',
    'severity_threshold', 'regression_after_deploy', 'occurrence_threshold', 'snooze_ended')),
  -- 0 low to 3 critical; null: no filter.
  severity_min smallint check (severity_min between 0 and 3),
  severity_lifecycle_scope text check (severity_lifecycle_scope in ('new_incident', 'incident_regressed', 'both')),
  cooldown_seconds integer not null check (cooldown_seconds between 0 and 604800),
  -- The one key of the channel; empty: the rule sends nothing.
  config jsonb not null,
  is_enabled boolean not null,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  name text,
  -- Further conditions (1.2); null: no restriction.
  services text[],
  environments text[],
  -- A number of events within minutes, or of users (1.22).
  threshold_count integer check (threshold_count between 2 and 1000000),
  window_minutes integer check (window_minutes between 1 and 1440),
  threshold_users integer check (threshold_users between 1 and 100000),
  -- A query that the incident must match (1.23).
  query text check (char_length(query) between 1 and 300),
  -- The query asks for facts that are known some seconds later, when tags are counted.
  is_judged_late boolean not null default false,
  check ((condition_type = 'severity_threshold') = (severity_lifecycle_scope is not null)),
  check (service_id is null or services is null),
  constraint alert_rules_threshold check (
    (threshold_count is null) = (window_minutes is null)
    and (condition_type = 'occurrence_threshold') = ((threshold_count is null) <> (threshold_users is null))
    and (threshold_count is null or threshold_users is null)
  )
);
create index alert_rules_project on alert_rules (project_id, created_at desc, alert_id desc);
-- The rules that use a Slack destination.
create index alert_rules_slack on alert_rules ((config ->> 'slack_destination_id'))
  where config ->> 'slack_destination_id' is not null;
create index alert_rules_thresholds on alert_rules (project_id)
  where condition_type = 'occurrence_threshold' and is_enabled;

-- Incidents that are above the threshold of a rule, so that it fires once for each crossing. A row names the threshold
-- that was crossed: a rule with another one is judged anew.
create table alert_crossings (
  project_id uuid not null,
  alert_id uuid not null,
  incident_id uuid not null,
  threshold integer not null,
  -- Null for a threshold of users.
  window_minutes integer,
  reached_at timestamptz(3) not null,
  -- The last look that found at least half the threshold.
  held_at timestamptz(3) not null,
  primary key (project_id, alert_id, incident_id)
) with (fillfactor = 70);

-- The units that take turns in sending: one for each rule, and one for each mail address of a project.
create table alert_receivers (
  receiver_id uuid primary key,
  project_id uuid not null,
  -- By the duration of its latest attempt, answered or not: slow receivers get few of the parallel sends.
  latency_class text not null default 'unknown' check (latency_class in ('unknown', 'quick', 'slow'))
);
create index alert_receivers_project on alert_receivers (project_id);

-- The unit that is sent and charged once: one delivery to a chat or webhook, or all deliveries of a mail digest. The
-- row itself is claimed: the process that raised `claim_number` last has it, until `leased_until` by the database
-- clock.
create table alert_messages (
  message_id uuid primary key,
  project_id uuid not null,
  receiver_id uuid not null references alert_receivers (receiver_id),
  channel text not null,
  -- The address; of mail only.
  recipient text,
  status text not null check (status in ('pending', 'retrying', 'delivered', 'failed')),
  attempt_count integer not null default 0,
  -- Null in final states, else when the next attempt is due; of an open digest, when it closes; during an attempt, the
  -- end of its claim.
  next_attempt_at timestamptz(3),
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  -- An attempt ended without a response after the mail server had the whole message: it is repeated once.
  is_repeat boolean not null default false,
  last_response_code integer,
  last_attempted_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default culprit_now(),
  delivered_at timestamptz(3),
  check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  check ((channel = 'email') = (recipient is not null))
) with (fillfactor = 70);
create index alert_messages_project on alert_messages (project_id);
create index alert_messages_receiver on alert_messages (receiver_id);
-- Claims skip from receiver to receiver, separately for mail and the rest.
create index alert_messages_mail_waiting on alert_messages (receiver_id, next_attempt_at)
  where next_attempt_at is not null and channel = 'email';
create index alert_messages_chat_waiting on alert_messages (receiver_id, next_attempt_at)
  where next_attempt_at is not null and channel <> 'email';
create index alert_messages_old on alert_messages using brin (created_at);

-- One transition of one incident that matched a rule (1.11). Its status is that of its message, unless the rule was
-- disabled before the message was sent.
create table alert_deliveries (
  alert_delivery_id uuid primary key,
  -- Stays when the rule is deleted.
  alert_id uuid not null,
  project_id uuid not null,
  incident_id uuid not null,
  message_id uuid not null references alert_messages (message_id) on delete cascade,
  dedupe_key text not null,
  notification_key text not null,
  -- The facts of the message, frozen.
  facts jsonb not null,
  -- The time at which its rule was found disabled, changed or deleted before it was sent.
  dropped_at timestamptz(3),
  created_at timestamptz(3) not null default culprit_now()
);
-- A transition that is processed twice makes no second delivery (1.10).
create unique index alert_deliveries_once on alert_deliveries (alert_id, incident_id, dedupe_key);
-- Cooldowns (1.7).
create index alert_deliveries_cooldown on alert_deliveries (alert_id, notification_key, created_at desc);
create index alert_deliveries_message on alert_deliveries (message_id);
create index alert_deliveries_project on alert_deliveries (project_id, alert_delivery_id);

-- Personal messages (team-workflow.md 6.4) ---------------------------------------------------------------------------

-- The messages that a person wants, and the number mailed today. A person without a row has the defaults.
create table personal_settings (
  user_id uuid primary key references users (user_id) on delete cascade,
  assigned boolean not null default true,
  mentioned boolean not null default true,
  own_regressed boolean not null default true,
  own_woke boolean not null default true,
  watched boolean not null default true,
  digest_minutes integer not null default 1 check (digest_minutes between 0 and 1440),
  mailed_on date,
  mails integer not null default 0,
  -- A second way of telling the person: the topic at an ntfy server, sealed like the receivers of alerts.
  ntfy jsonb
);

-- Messages that wait to be mailed: one job for each person takes all of theirs.
create table personal_notices (
  notice_id bigint generated always as identity primary key,
  project_id uuid not null,
  user_id uuid not null references users (user_id) on delete cascade,
  incident_id uuid not null,
  reason text not null check (reason in ('assigned', 'mentioned', 'own_regressed', 'own_woke', 'watched')),
  -- Null: no person did it.
  actor_user_id uuid,
  note_id uuid,
  -- The reason for which a snooze ended.
  because text,
  created_at timestamptz(3) not null default culprit_now()
);
create index personal_notices_user on personal_notices (user_id, notice_id);
create index personal_notices_project on personal_notices (project_id, notice_id);

-- Issue trackers (team-workflow.md 7) --------------------------------------------------------------------------------

-- A connection of a project. The row itself is claimed, as checks are: everything to do with one tracker is done by
-- one process at a time, so no two create the same ticket.
create table trackers (
  tracker_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  created_by_user_id uuid,
  kind text not null check (kind in ('github', 'jira', 'gitlab', 'linear', 'generic')),
  name text not null,
  base_url text not null,
  target text not null,
  user_name text,
  issue_type text,
  -- Token and webhook secret, each encrypted for this row.
  sealed_token bytea not null,
  sealed_hook_secret bytea,
  -- SHA-256 of the last part of the webhook's address.
  hook_token_hash bytea unique,
  hook_received_at timestamptz(3),
  close_on_resolve boolean not null,
  reopen_on_regress boolean not null,
  resolve_on_close boolean not null,
  wont_fix text not null check (wont_fix in ('snooze', 'resolve', 'nothing')),
  account text,
  -- The token was refused: nothing is asked until a test succeeds.
  is_stopped boolean not null default false,
  last_error text,
  failures integer not null default 0,
  -- Changes of tickets are known up to here; the time at which the latest came.
  read_until timestamptz(3) not null default culprit_now(),
  changed_at timestamptz(3) not null default culprit_now(),
  -- Null: nothing is to do. No earlier than `not_before`, which the tracker asked for.
  due_at timestamptz(3),
  not_before timestamptz(3),
  -- Set when something is to do; while a claim works, it is done again.
  asked_at timestamptz(3),
  claimed_at timestamptz(3),
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  -- The address for reports of a generic tracker, which is sent with each new ticket; encrypted for this row.
  sealed_callback bytea,
  -- People and notes cross between incidents and tickets (7.4).
  sync_assignee text not null default 'none' check (sync_assignee in ('none', 'to_tracker', 'from_tracker')),
  -- Notes and comments cross that are newer; null: none do.
  notes_since timestamptz(3),
  -- Fields that Jira requires of new tickets: a list of `{ id, value }`.
  extra_fields jsonb not null default '[]',
  -- Names the answer without tickets to the latest reading from `read_until`.
  read_etag text
) with (fillfactor = 70);
create index trackers_project on trackers (project_id, created_at, tracker_id);
create index trackers_due on trackers (due_at) where due_at is not null;

-- A ticket of an incident, or a plain address, which has no tracker.
create table incident_links (
  link_id uuid primary key,
  project_id uuid not null,
  incident_id uuid not null,
  tracker_id uuid,
  -- The ticket is ours to create.
  is_created boolean not null default false,
  -- The tracker's id, which outlives moves; null until the ticket is there.
  remote_id text,
  key text,
  url text,
  title text,
  state text not null check (state in ('pending', 'open', 'closed', 'gone', 'failed')),
  state_name text,
  assignee_name text,
  -- Requests that may have created the ticket.
  attempts integer not null default 0,
  -- The states of both sides when they were compared last: a side that differs from it has changed since.
  seen_resolved boolean not null default false,
  seen_closed boolean not null default false,
  moves integer not null default 0,
  moves_since timestamptz(3),
  is_paused boolean not null default false,
  last_error text,
  synced_at timestamptz(3),
  created_by_user_id uuid,
  created_at timestamptz(3) not null default culprit_now(),
  -- The last report of the ticket's state by its tracker: an older report has no effect.
  reported_at timestamptz(3),
  -- The person of the incident that crossed last, and the tracker's id of the ticket's person at the last reading.
  seen_assignee_user_id uuid,
  seen_ticket_assignee text
);
create index incident_links_incident on incident_links (incident_id, created_at, link_id);
create index incident_links_tracker on incident_links (tracker_id, remote_id) where tracker_id is not null;
create index incident_links_project on incident_links (project_id, link_id);

-- Notes with the comment of a ticket that each became, or was.
create table note_comments (
  project_id uuid not null,
  incident_id uuid not null,
  link_id uuid not null references incident_links (link_id) on delete cascade,
  note_id uuid not null,
  -- The tracker's id of a comment that became a note; null: the note was written here.
  comment_id text,
  -- False: sent, but the answer is unknown.
  is_done boolean not null,
  primary key (project_id, incident_id, link_id, note_id)
);
create index note_comments_incident on note_comments (incident_id);
create unique index note_comments_comment on note_comments (link_id, comment_id);

-- Weekly reports (notifications.md 4) --------------------------------------------------------------------------------

create table weekly_report_channels (
  channel_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  channel text not null check (channel in ('email', 'slack')),
  -- {"to": [addresses in lower case]}, {"webhook_url"} or {"slack_destination_id": bare UUID}.
  config jsonb not null,
  day_of_week text not null check (day_of_week in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday',
    'sunday')),
  hour_of_day smallint not null check (hour_of_day between 0 and 23),
  -- IANA name.
  timezone text not null,
  is_enabled boolean not null default true,
  -- The next report, and when the scheduler planned it; both null before that. A plan of the future was made before the
  -- clock was set back.
  next_due_at timestamptz(3),
  planned_at timestamptz(3),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  -- The last request for a report outside the schedule.
  sent_now_at timestamptz(3),
  check ((next_due_at is null) = (planned_at is null))
);
create unique index weekly_report_channels_email on weekly_report_channels (project_id) where channel = 'email';
create index weekly_report_channels_list on weekly_report_channels (project_id, created_at desc, channel_id desc);
create index weekly_report_channels_due on weekly_report_channels (next_due_at) where is_enabled;
create index weekly_report_channels_planned on weekly_report_channels (planned_at) where is_enabled;
create index weekly_report_channels_destination on weekly_report_channels ((config->>'slack_destination_id'))
  where config ? 'slack_destination_id';
-- The channels of an address, for people who leave.
create index weekly_report_channels_recipients on weekly_report_channels using gin ((config->'to'))
  where channel = 'email';

-- Returns the recipients of a report, sorted: reports with the same ones become one e-mail. Null for another channel.
create function report_recipients(config jsonb) returns text[]
  language sql immutable parallel safe
  return (select array_agg(address order by address) from jsonb_array_elements_text(config->'to') as t (address));

-- The reports that were made: one for each channel and local week, by its Monday.
create table weekly_reports (
  channel_id uuid not null references weekly_report_channels (channel_id) on delete cascade,
  week date not null,
  made_at timestamptz(3) not null default culprit_now(),
  primary key (channel_id, week)
);
create index weekly_reports_old on weekly_reports using brin (made_at);

-- Availability checks (account.md 7) ---------------------------------------------------------------------------------

create table availability_checks (
  check_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  name text not null,
  url text not null,
  method text not null check (method in ('GET', 'HEAD')),
  expected_status_min integer not null,
  expected_status_max integer not null,
  timeout_ms integer not null,
  interval_seconds integer not null,
  failure_threshold integer not null,
  recovery_threshold integer not null,
  environment text not null,
  service_name text,
  is_enabled boolean not null,
  -- By its runs. A pause follows from `is_enabled` and the plan and is not stored.
  status text not null default 'unknown' check (status in ('unknown', 'passing', 'failing')),
  consecutive_failures integer not null default 0,
  consecutive_successes integer not null default 0,
  last_checked_at timestamptz(3),
  last_result_status text,
  last_result_http_status integer,
  last_result_error_kind text,
  last_result_duration_ms integer,
  -- The start of the latest run, if it failed, and the interval at that time: downtime lasts until the next run.
  failed_at timestamptz(3),
  failed_interval_seconds integer,
  -- The first time since which it was seen paused.
  paused_since timestamptz(3),
  -- The incident it reported last, which can be not yet or no longer stored. `is_reported`: no recovery since then.
  incident_id uuid,
  incident_environment text,
  incident_service text,
  is_reported boolean not null default false,
  -- The batch of its latest failure, and the one after which a recovery has to resolve the incident.
  reported_batch_id uuid,
  awaited_batch_id uuid,
  -- Slots are `grid_at` plus multiples of the interval. The row itself is claimed: the process that raised
  -- `claim_number` last has it, until `leased_until` by the database clock.
  grid_at timestamptz(3) not null,
  next_check_at timestamptz(3) not null,
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  check (expected_status_min <= expected_status_max)
) with (fillfactor = 70);
create index availability_checks_project on availability_checks (project_id, created_at desc, check_id desc);
create index availability_checks_due on availability_checks (next_check_at) where is_enabled;
create index availability_checks_awaiting on availability_checks (awaited_batch_id) where awaited_batch_id is not null;

-- Returns why a check does not run (7.4), or null. The plan's limit keeps the oldest checks of a project.
create function availability_pause(c availability_checks, max_checks integer, min_interval_seconds integer) returns text
  language sql stable parallel safe
  as $$
    select case
      when not c.is_enabled then 'disabled'
      when (select count(*) from availability_checks older where older.project_id = c.project_id
        and (older.created_at, older.check_id) < (c.created_at, c.check_id)) >= max_checks then 'plan_check_limit'
      when c.interval_seconds < min_interval_seconds then 'plan_interval_limit' end
  $$;

-- One row for each run. Its slot identifies it: a run that is claimed twice counts once.
create table availability_results (
  result_id uuid primary key,
  check_id uuid not null references availability_checks (check_id) on delete cascade,
  project_id uuid not null,
  slot_at timestamptz(3) not null,
  started_at timestamptz(3) not null,
  completed_at timestamptz(3) not null,
  duration_ms integer not null,
  status text not null,
  http_status integer,
  error_kind text,
  checked_host text not null,
  final_url text not null,
  redirect_count integer not null,
  unique (check_id, slot_at)
);

-- Sums of a day's runs. A day without a row had neither a run nor a pause that was seen.
create table availability_days (
  check_id uuid not null references availability_checks (check_id) on delete cascade,
  project_id uuid not null,
  day date not null,
  successful_checks integer not null default 0,
  failed_checks integer not null default 0,
  successful_ms bigint not null default 0,
  first_checked_at timestamptz(3),
  last_checked_at timestamptz(3),
  downtime_ms bigint not null default 0,
  -- An incident was opened or regressed; one was open at the first run; one was resolved by a recovery.
  has_opened boolean not null default false,
  began_open boolean not null default false,
  has_recovered boolean not null default false,
  was_paused boolean not null default false,
  -- In the order of opening.
  incident_ids uuid[] not null default '{}',
  primary key (check_id, day)
) with (fillfactor = 70);

-- Tests of a project in the current minute (7.6). Their loss in a crash does no harm.
create unlogged table availability_tests (
  project_id uuid primary key,
  started_at timestamptz(3) not null,
  tests integer not null
);

-- Heartbeats: scheduled jobs that report their runs (team-workflow.md 8) ---------------------------------------------

create table heartbeats (
  heartbeat_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  slug text not null,
  environment text not null,
  name text not null,
  service_name text,
  schedule_type text not null check (schedule_type in ('crontab', 'interval')),
  schedule_value text not null,
  schedule_unit text,
  timezone text not null,
  margin_minutes integer not null,
  max_runtime_minutes integer not null,
  failure_threshold integer not null,
  recovery_threshold integer not null,
  is_enabled boolean not null,
  managed_by text not null check (managed_by in ('check_in', 'member')),
  -- The key of `/v1/heartbeats/<key>`, which can report runs of this job and nothing else.
  ping_key text not null unique,
  status text not null default 'unknown' check (status in ('unknown', 'passing', 'failing')),
  consecutive_failures integer not null default 0,
  consecutive_successes integer not null default 0,
  last_check_in_at timestamptz(3),
  last_status text,
  last_duration_ms integer,
  -- The awaited slot: a check-in after `slot_opened_at` satisfies it, and it is missed at `expected_at` plus the
  -- margin. `judge_at` is that deadline or that of the oldest run without an end, whichever is earlier.
  slot_opened_at timestamptz(3) not null,
  expected_at timestamptz(3) not null,
  judge_at timestamptz(3) not null,
  -- Check-ins of the current minute.
  minute_began_at timestamptz(3) not null default culprit_now(),
  minute_check_ins integer not null default 0,
  -- The incident it reported last, as in `availability_checks`.
  incident_id uuid,
  incident_environment text,
  incident_service text,
  is_reported boolean not null default false,
  reported_batch_id uuid,
  awaited_batch_id uuid,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  unique (project_id, slug, environment)
) with (fillfactor = 70);
create index heartbeats_project on heartbeats (project_id, created_at desc, heartbeat_id desc);
create index heartbeats_due on heartbeats (judge_at) where is_enabled;
create index heartbeats_awaiting on heartbeats (awaited_batch_id) where awaited_batch_id is not null;

-- One row for each run, and for each that was missed.
create table heartbeat_runs (
  project_id uuid not null,
  heartbeat_id uuid not null references heartbeats (heartbeat_id) on delete cascade,
  check_in_id uuid not null,
  status text not null check (status in ('in_progress', 'ok', 'error', 'missed', 'timeout', 'unknown')),
  started_at timestamptz(3) not null,
  ended_at timestamptz(3),
  timeout_at timestamptz(3),
  duration_ms integer,
  environment text not null,
  release text,
  trace_id text,
  output text,
  primary key (project_id, heartbeat_id, check_in_id)
);
create index heartbeat_runs_newest on heartbeat_runs (heartbeat_id, started_at desc, check_in_id desc);
create index heartbeat_runs_open on heartbeat_runs (heartbeat_id, timeout_at) where status = 'in_progress';

-- Sums of runs by the UTC day of their begin, which are kept longer than the runs (8.5). The first run of a day that
-- ends makes its row.
create table heartbeat_days (
  project_id uuid not null,
  heartbeat_id uuid not null references heartbeats (heartbeat_id) on delete cascade,
  day date not null,
  ok integer not null default 0,
  failed integer not null default 0,
  missed integer not null default 0,
  timed_out integer not null default 0,
  -- Runs whose end is unknown, because the service was away itself.
  unknown integer not null default 0,
  -- Runs that were ok and said how long they took.
  timed_ok integer not null default 0,
  ok_ms bigint not null default 0,
  primary key (project_id, heartbeat_id, day)
) with (fillfactor = 70);
create index heartbeat_days_old on heartbeat_days (day);

-- The last time check-ins could be received and evaluated, and the latest time in which they could not: a slot that
-- overlaps it proves nothing. Its length is measured by the clock of the machine, its position by that of the service.
-- A crash can empty the table: all time before it is then unknown.
create unlogged table heartbeat_watch (
  role text primary key check (role in ('api', 'worker')),
  seen_at timestamptz(3) not null,
  gap_began_at timestamptz(3),
  gap_ended_at timestamptz(3)
);

-- Sample data of projects (server-additions.md S32) ------------------------------------------------------------------

-- One addition of sample data. Its events are those of one batch, which no client sent.
create table sample_data (
  project_id uuid not null,
  sample_id uuid not null,
  batch_id uuid not null,
  -- The receive time of the batch, by which its rows of events are found.
  received_at timestamptz(3) not null,
  added_by_user_id uuid,
  -- The time of the request to remove it; the row is removed with the data.
  removing_since timestamptz(3),
  primary key (project_id, sample_id)
);
-- A project has sample data once.
create unique index sample_data_live on sample_data (project_id) where removing_since is null;

-- Objects and retention (incidents.md 8) -----------------------------------------------------------------------------

-- The object store of this database. The store has its id too, as an object: a process with another disk or bucket
-- then notices that it does not see the objects of the others.
create table object_store (
  is_only boolean primary key default true check (is_only),
  store_id uuid not null
);

-- Objects that no row names. A job deletes the object, then its tombstone.
create table object_tombstones (
  object_key text primary key,
  project_id uuid not null,
  created_at timestamptz(3) not null default culprit_now()
);
create index object_tombstones_project on object_tombstones (project_id, created_at);

-- Deleted incidents of which something is left: dependent rows, rows that were being written at that moment, and the
-- folder of their bundles. Removed after a second search.
create table incident_tombstones (
  incident_id uuid primary key,
  project_id uuid not null,
  created_at timestamptz(3) not null default culprit_now()
);
create index incident_tombstones_project on incident_tombstones (project_id, incident_id);

-- The installation, as the operator page and the doctor show it (server-additions.md S12) ----------------------------

-- Running processes. Each writes its row every half minute and removes it when it stops; a crash can empty the table.
create unlogged table processes (
  process_id uuid primary key,
  role text not null check (role in ('api', 'worker')),
  pid integer not null,
  host text not null,
  version text not null,
  started_at timestamptz(3) not null,
  rss_bytes bigint not null,
  -- Operations of the object store that failed in this process within the last hour.
  object_failures integer not null,
  seen_at timestamptz(3) not null default culprit_now()
);
create index processes_seen on processes (seen_at);

-- Events of the canary: one a minute, for two days.
create table canary_runs (
  canary_run_id bigint generated always as identity primary key,
  ran_at timestamptz(3) not null default culprit_now(),
  -- Null: it arrived everywhere.
  missing text check (missing in ('intake', 'incident', 'webhook')),
  incident_ms integer,
  webhook_ms integer
);
create index canary_runs_ran on canary_runs (ran_at);

-- Backups of this database.
create table backups (
  backup_id uuid primary key,
  finished_at timestamptz(3) not null default culprit_now(),
  directory text not null,
  size_bytes bigint not null,
  missing_objects integer not null
);
create index backups_finished on backups (finished_at);
