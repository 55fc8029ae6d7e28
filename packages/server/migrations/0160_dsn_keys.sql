-- Keys that stand in the addresses of foreign clients (docs/contract/foreign-protocols.md 2): tokens of a kind of their
-- own, which are public and shown again at any time.
alter table project_tokens
  add column kind text not null default 'token' check (kind in ('token', 'dsn')),
  add column public_key text,
  -- The service of events that name none; null is the project's slug.
  add column service_name text,
  -- A limit of the key's own beside the plan's.
  add column events_per_minute integer check (events_per_minute between 1 and 1000000),
  add check ((kind = 'dsn') = (public_key is not null));

drop index project_tokens_live;
create index project_tokens_live on project_tokens (project_id, kind) where revoked_at is null;

insert into project_tokens (token_id, project_id, label, kind, public_key, token_hash, token_preview)
select gen_random_uuid(), project_id, 'Default', 'dsn', key, sha256(convert_to(key, 'UTF8')),
  left(key, 4) || '...' || right(key, 4)
from (
  select project_id,
    substr(encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'), 1, 32) as key
  from projects where deleted_at is null
) as made;

-- As in 0021, with the limit of a key's own.
create or replace function admit_requests(
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
    select t.token_id, t.project_id, t.allowed_origins, t.last_used_at, t.events_per_minute, p.organization_id, p.capture_preset,
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
        rate_limit := least((rate_limits ->> found.plan)::integer, found.events_per_minute);
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
