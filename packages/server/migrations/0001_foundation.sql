-- People, organizations, projects, tokens (account.md 1 to 6, incidents.md 7), the intake tables and the job queue.

-- The one clock of receive times, leases, windows and schedules (reliability rule A5). Milliseconds, because every
-- time that is used for paging has that precision. Tests replace this function; nothing else can move it.
create function culprit_now() returns timestamptz
  language sql volatile parallel safe
  as $$ select date_trunc('milliseconds', clock_timestamp()) $$;

create table users (
  user_id uuid primary key,
  email text not null,
  email_verified_at timestamptz(3),
  created_at timestamptz(3) not null default culprit_now()
);
create unique index users_email on users (lower(email));

create table organizations (
  organization_id uuid primary key,
  owner_user_id uuid not null references users (user_id),
  name text not null,
  plan text not null default 'team' check (plan in ('free', 'solo', 'team')),
  -- The anchor of the monthly usage window of a paid plan (account.md 6.4).
  plan_started_at timestamptz(3) not null default culprit_now(),
  created_at timestamptz(3) not null default culprit_now()
);
create index organizations_owner on organizations (owner_user_id);

create table projects (
  project_id uuid primary key,
  organization_id uuid not null references organizations (organization_id),
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
  deleted_at timestamptz(3)
);
create unique index projects_slug on projects (organization_id, slug) where deleted_at is null;

create table project_members (
  project_id uuid not null references projects (project_id),
  user_id uuid not null references users (user_id),
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz(3) not null default culprit_now(),
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

-- Tokens are found by the SHA-256 of their plaintext; the plaintext is never stored (account.md 1.3).
create table project_tokens (
  token_id uuid primary key,
  project_id uuid not null references projects (project_id),
  label text not null,
  token_hash bytea not null unique,
  token_preview text not null,
  -- Normalized `scheme://host[:port]`; empty means any origin.
  allowed_origins text[] not null default '{}',
  created_by_user_id uuid references users (user_id),
  created_at timestamptz(3) not null default culprit_now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index project_tokens_project on project_tokens (project_id, created_at);

create table member_tokens (
  token_id uuid primary key,
  user_id uuid not null references users (user_id),
  organization_id uuid references organizations (organization_id),
  label text not null,
  token_hash bytea not null unique,
  token_preview text not null,
  created_at timestamptz(3) not null default culprit_now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3)
);
create index member_tokens_user on member_tokens (user_id, created_at);

-- One fixed 60 s window per project token (ingestion.md 3.7). Lost with a crash without harm.
create unlogged table rate_windows (
  token_id uuid primary key,
  started_at timestamptz(3) not null,
  requests integer not null,
  events integer not null
) with (fillfactor = 50);

-- One row per stored raw object. `processed_at` is the marker that makes processing count once.
create table batches (
  batch_id uuid primary key,
  project_id uuid not null,
  object_key text not null,
  size_bytes integer not null,
  sha256 bytea not null,
  event_count integer not null,
  -- The tokens whose events it holds, in the order of the events, and how many of each.
  token_ids uuid[] not null,
  token_events integer[] not null,
  received_at timestamptz(3) not null,
  processed_at timestamptz(3),
  split_at timestamptz(3)
);
create index batches_received on batches using brin (received_at);

-- Markers of the single events of a batch that was split after repeated failures.
create table batch_parts (
  batch_id uuid not null,
  position integer not null,
  processed_at timestamptz(3) not null,
  primary key (batch_id, position)
);

-- Events that could not be processed; `admin` puts them back.
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

-- Every submitted event ends in one fate; submitted = sum of the others once the queue is empty.
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

create table usage_counters (
  organization_id uuid not null,
  window_started_at timestamptz(3) not null,
  meter text not null,
  used bigint not null,
  primary key (organization_id, window_started_at, meter)
) with (fillfactor = 70);

-- The job queue. A job is claimed under a lease by attempt number; finishing needs both (reliability rule A3).
create table jobs (
  job_id bigint generated always as identity primary key,
  lane text not null,
  kind text not null,
  project_id uuid not null,
  -- Two jobs of one kind and key are one job; a later trigger raises `revision` and may move `run_at` forward.
  key text,
  payload jsonb not null default '{}',
  run_at timestamptz(3) not null default culprit_now(),
  revision integer not null default 0,
  -- Counts claims; the number that fences a stale holder of the lease.
  attempt integer not null default 0,
  -- Counts failed attempts, lost leases included; the step on the retry ladder.
  failures integer not null default 0,
  leased_until timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default culprit_now()
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create unique index jobs_key on jobs (kind, key) where key is not null;
create index jobs_claim on jobs (lane, project_id, run_at);

-- Admits the requests of one intake window, in order (ingestion.md 3.1 steps 1, 2 and 7): finds each token, judges
-- the origin and takes the rate budget, for all processes exactly. `countable` is false for a request that already
-- failed a later step; it is judged but takes nothing. Verdicts: admitted, invalid_project_token,
-- origin_not_allowed, rate_limited.
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
  -- Mostly no project has a probe, and then none is looked for request by request.
  has_probes boolean := exists (
    select from probe_activations a where a.deactivated_at is null and a.expires_at > moment);
begin
  received_at := moment;
  for i in 1 .. coalesce(array_length(token_hashes, 1), 0) loop
    ordinal := i; verdict := 'invalid_project_token'; token_id := null; project_id := null; organization_id := null;
    origin_bound := false; events_taken := shape_valid[i]; retry_after_seconds := null; plan := null;
    capture_preset := null; capture_overrides := null; user_key := null; active_probes := null;
    capture_version := 0;
    select t.token_id, t.project_id, t.allowed_origins, t.last_used_at, p.organization_id, p.capture_preset,
        p.capture_overrides, p.user_key, coalesce(plan_override, effective_plan(o, moment)) as plan,
        case when has_probes then active_probes(p.project_id, moment) end as active_probes,
        -- Zero where there is no rule to be read.
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
        rate_limit := (rate_limits ->> found.plan)::integer;
        if countable[i] and rate_limit is not null then
          -- A lost window costs nobody an event, so its commit need not wait for the disk.
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
          if budget.requests >= rate_limit or budget.events >= rate_limit then
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
