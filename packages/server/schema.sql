-- The schema as the migrations make it. Written by `npm run generate`; only the migrations are run.

CREATE OR REPLACE FUNCTION public.active_probes(project uuid, moment timestamp with time zone)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE PARALLEL SAFE
AS $function$
begin
  return (
    select jsonb_agg(jsonb_build_object(
        'activation_id', activation_id, 'label_pattern', label_pattern, 'service', service, 'environment', environment,
        'expires_at', to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'trigger_expires_at', to_char(trigger_expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
      order by created_at, activation_id)
    from probe_activations where project_id = project and deactivated_at is null and expires_at > moment);
end $function$
;

CREATE OR REPLACE FUNCTION public.add_incident_titles()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into incident_titles (incident_id, project_id, title)
    select incident_id, project_id, lower(title) from added on conflict do nothing;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.admit_requests(token_hashes bytea[], origins text[], beacons boolean[], countable boolean[], shape_valid integer[], plan_override text, rate_limits jsonb)
 RETURNS TABLE(ordinal integer, verdict text, token_id uuid, project_id uuid, organization_id uuid, origin_bound boolean, events_taken integer, retry_after_seconds integer, plan text, capture_preset text, capture_overrides jsonb, user_key bytea, received_at timestamp with time zone, active_probes jsonb, capture_version bigint)
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.amount_step(amount bigint)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (amount >= 64) THEN ((floor((ln(((amount)::double precision / (64)::double precision)) * (11.541560327111707)::double precision)))::integer + 8) WHEN (amount > 0) THEN ((amount / 8))::integer ELSE NULL::integer END
;

CREATE OR REPLACE FUNCTION public.availability_pause(c availability_checks, max_checks integer, min_interval_seconds integer)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
    select case
      when not c.is_enabled then 'disabled'
      when (select count(*) from availability_checks older where older.project_id = c.project_id
        and (older.created_at, older.check_id) < (c.created_at, c.check_id)) >= max_checks then 'plan_check_limit'
      when c.interval_seconds < min_interval_seconds then 'plan_interval_limit' end
  $function$
;

CREATE OR REPLACE FUNCTION public.culprit_now()
 RETURNS timestamp with time zone
 LANGUAGE sql
 PARALLEL SAFE
AS $function$ select date_trunc('milliseconds', clock_timestamp()) $function$
;

CREATE OR REPLACE FUNCTION public.drop_event_day(before_day date)
 RETURNS boolean
 LANGUAGE plpgsql
 SET lock_timeout TO '1s'
AS $function$
declare
  oldest regclass;
begin
  select partition into oldest from event_partitions(null, before_day) limit 1;
  if oldest is null then return false; end if;
  execute format('drop table %s', oldest);
  return true;
end $function$
;

CREATE OR REPLACE FUNCTION public.effective_plan(o organizations, moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
    select case when o.trial_ends_at <= moment and o.trial_converted_at is null and not o.is_plan_set_by_operator
      then 'free' else o.plan end
  $function$
;

CREATE OR REPLACE FUNCTION public.ensure_event_partition(day date)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  partition_name text := 'events_' || to_char(day, 'YYYYMMDD');
begin
  perform pg_advisory_xact_lock(hashtext('culprit.events.partition'));
  if to_regclass(partition_name) is null then
    execute format('create table %I (like events including defaults including constraints)', partition_name);
    execute format('alter table %I set (autovacuum_vacuum_insert_scale_factor = 0.5)', partition_name);
    execute format('alter table events attach partition %I for values from (%L) to (%L)', partition_name,
      day::timestamp at time zone 'UTC', (day + 1)::timestamp at time zone 'UTC');
  end if;
end $function$
;

CREATE OR REPLACE FUNCTION public.event_partitions(from_day date, before_day date)
 RETURNS TABLE(partition regclass, day date)
 LANGUAGE sql
 STABLE
AS $function$
    select c.oid::regclass, to_date(right(c.relname, 8), 'YYYYMMDD') as day
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass
      and to_date(right(c.relname, 8), 'YYYYMMDD') >= coalesce(from_day, '-infinity')
      and to_date(right(c.relname, 8), 'YYYYMMDD') < before_day
    order by day
  $function$
;

CREATE OR REPLACE FUNCTION public.free_handle(email text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.free_incident_key(slug text)
 RETURNS text
 LANGUAGE plpgsql
AS $function$
declare
  whole text := ltrim(regexp_replace(upper(slug), '[^A-Z0-9]+', '', 'g'), '0123456789');
  first text := ltrim(regexp_replace(upper(split_part(slug, '-', 1)), '[^A-Z0-9]+', '', 'g'), '0123456789');
  base text := case when char_length(whole) <= 10 or char_length(first) < 2 then whole else first end;
  candidate text;
  tries integer := 1;
begin
  base := left(case char_length(base) when 0 then 'INC' when 1 then base || 'X' else base end, 10);
  candidate := base;
  -- Keys are chosen by one transaction at a time.
  perform pg_advisory_xact_lock(hashtextextended('culprit.incident_keys', 0));
  while exists (select from projects p where p.incident_key = candidate and p.deleted_at is null) loop
    tries := tries + 1;
    -- After a few, a part of a random id: a usual name must not make a long walk.
    candidate := left(base, 6)
      || case when tries <= 20 then tries::text else upper(left(gen_random_uuid()::text, 4)) end;
  end loop;
  return candidate;
end $function$
;

CREATE OR REPLACE FUNCTION public.give_handle()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.handle := free_handle(new.email);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.give_incident_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.incident_key := free_incident_key(new.slug);
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.remove_event_rows(project uuid, received_from timestamp with time zone, received_before timestamp with time zone, rows_max integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  each record;
  removed integer;
  total integer := 0;
begin
  for each in select * from event_partitions((received_from at time zone 'UTC')::date,
      (received_before at time zone 'UTC')::date + 1) loop
    execute format('delete from %1$s where ctid = any (array(
        select ctid from %1$s where project_id = $1 and received_at < $2 limit $3))', each.partition)
      using project, received_before, rows_max - total;
    get diagnostics removed = row_count;
    total := total + removed;
    exit when total >= rows_max;
  end loop;
  return total;
end $function$
;

CREATE OR REPLACE FUNCTION public.remove_incident_event_rows(incidents uuid[], rows_max integer)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
declare
  each record;
  removed integer;
  total integer := 0;
begin
  for each in select * from event_partitions(null, 'infinity') loop
    execute format('delete from %1$s where ctid = any (array(
        select ctid from %1$s where incident_id = any ($1) limit $2))', each.partition)
      using incidents, rows_max - total;
    get diagnostics removed = row_count;
    total := total + removed;
    exit when total >= rows_max;
  end loop;
  return total;
end $function$
;

CREATE OR REPLACE FUNCTION public.report_recipients(config jsonb)
 RETURNS text[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT array_agg(t.address ORDER BY t.address) AS array_agg FROM jsonb_array_elements_text((report_recipients.config -> 'to'::text)) t(address))
;

CREATE OR REPLACE FUNCTION public.seen_step(seen_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN date_bin('00:01:00'::interval, seen_at, '2000-01-01 00:00:00+00'::timestamp with time zone)
;

CREATE OR REPLACE FUNCTION public.shared_access_suspended(role text, o organizations, plan_override text)
 RETURNS boolean
 LANGUAGE sql
 PARALLEL SAFE
AS $function$ select role <> 'owner' and coalesce(plan_override, effective_plan(o, culprit_now())) <> 'team' $function$
;

create table account_deletion_codes (
  user_id uuid not null,
  code_hash bytea,
  expires_at timestamp(3) with time zone not null,
  attempts integer default 0 not null,
  sent_at timestamp(3) with time zone[] not null,
  session_id uuid not null,
  constraint account_deletion_codes_pkey PRIMARY KEY (user_id),
  constraint account_deletion_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX account_deletion_codes_expiry ON public.account_deletion_codes USING btree (expires_at);

create table alert_deliveries (
  alert_delivery_id uuid not null,
  alert_id uuid not null,
  project_id uuid not null,
  incident_id uuid not null,
  message_id uuid not null,
  dedupe_key text not null,
  notification_key text not null,
  facts jsonb not null,
  dropped_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint alert_deliveries_pkey PRIMARY KEY (alert_delivery_id),
  constraint alert_deliveries_message_id_fkey FOREIGN KEY (message_id) REFERENCES alert_messages(message_id) ON DELETE CASCADE
);
CREATE INDEX alert_deliveries_cooldown ON public.alert_deliveries USING btree (alert_id, notification_key, created_at DESC);
CREATE INDEX alert_deliveries_message ON public.alert_deliveries USING btree (message_id);
CREATE UNIQUE INDEX alert_deliveries_once ON public.alert_deliveries USING btree (alert_id, incident_id, dedupe_key);
CREATE INDEX alert_deliveries_project ON public.alert_deliveries USING btree (project_id, alert_delivery_id);

create table alert_messages (
  message_id uuid not null,
  project_id uuid not null,
  receiver_id uuid not null,
  channel text not null,
  recipient text,
  status text not null,
  attempt_count integer default 0 not null,
  next_attempt_at timestamp(3) with time zone,
  claim_number integer default 0 not null,
  leased_until timestamp(3) with time zone,
  is_repeat boolean default false not null,
  last_response_code integer,
  last_attempted_at timestamp(3) with time zone,
  last_error text,
  created_at timestamp(3) with time zone default culprit_now() not null,
  delivered_at timestamp(3) with time zone,
  constraint alert_messages_pkey PRIMARY KEY (message_id),
  constraint alert_messages_check CHECK (((next_attempt_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint alert_messages_check1 CHECK (((channel = 'email'::text) = (recipient IS NOT NULL))),
  constraint alert_messages_receiver_id_fkey FOREIGN KEY (receiver_id) REFERENCES alert_receivers(receiver_id),
  constraint alert_messages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'retrying'::text, 'delivered'::text, 'failed'::text])))
) with (fillfactor=70);
CREATE INDEX alert_messages_chat_waiting ON public.alert_messages USING btree (receiver_id, next_attempt_at) WHERE ((next_attempt_at IS NOT NULL) AND (channel <> 'email'::text));
CREATE INDEX alert_messages_mail_waiting ON public.alert_messages USING btree (receiver_id, next_attempt_at) WHERE ((next_attempt_at IS NOT NULL) AND (channel = 'email'::text));
CREATE INDEX alert_messages_old ON public.alert_messages USING brin (created_at);
CREATE INDEX alert_messages_project ON public.alert_messages USING btree (project_id);
CREATE INDEX alert_messages_receiver ON public.alert_messages USING btree (receiver_id);

create table alert_receivers (
  receiver_id uuid not null,
  project_id uuid not null,
  pace text default 'unknown'::text not null,
  constraint alert_receivers_pkey PRIMARY KEY (receiver_id),
  constraint alert_receivers_pace_check CHECK ((pace = ANY (ARRAY['unknown'::text, 'quick'::text, 'slow'::text])))
);
CREATE INDEX alert_receivers_project ON public.alert_receivers USING btree (project_id);

create table alert_rules (
  alert_id uuid not null,
  project_id uuid not null,
  created_by_user_id uuid not null,
  service_id uuid,
  channel text not null,
  condition_type text not null,
  severity_min smallint,
  severity_lifecycle_scope text,
  cooldown_seconds integer not null,
  config jsonb not null,
  is_enabled boolean not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  name text,
  services text[],
  environments text[],
  constraint alert_rules_pkey PRIMARY KEY (alert_id),
  constraint alert_rules_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'slack'::text, 'discord'::text, 'teams'::text, 'mattermost'::text, 'ntfy'::text, 'telegram'::text, 'webhook'::text, 'template'::text]))),
  constraint alert_rules_check CHECK (((condition_type = 'severity_threshold'::text) = (severity_lifecycle_scope IS NOT NULL))),
  constraint alert_rules_check1 CHECK (((service_id IS NULL) OR (services IS NULL))),
  constraint alert_rules_condition_type_check CHECK ((condition_type = ANY (ARRAY['new_incident'::text, 'incident_regressed'::text, 'error_spike'::text, 'severity_threshold'::text, 'regression_after_deploy'::text]))),
  constraint alert_rules_cooldown_seconds_check CHECK (((cooldown_seconds >= 0) AND (cooldown_seconds <= 604800))),
  constraint alert_rules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  constraint alert_rules_severity_lifecycle_scope_check CHECK ((severity_lifecycle_scope = ANY (ARRAY['new_incident'::text, 'incident_regressed'::text, 'both'::text]))),
  constraint alert_rules_severity_min_check CHECK (((severity_min >= 0) AND (severity_min <= 3)))
);
CREATE INDEX alert_rules_project ON public.alert_rules USING btree (project_id, created_at DESC, alert_id DESC);
CREATE INDEX alert_rules_slack ON public.alert_rules USING btree (((config ->> 'slack_destination_id'::text))) WHERE ((config ->> 'slack_destination_id'::text) IS NOT NULL);
CREATE INDEX alert_rules_unsealed ON public.alert_rules USING btree (alert_id) WHERE (COALESCE((config ->> 'webhook_url'::text), (config ->> 'target_url'::text)) !~~ 'sealed:%'::text);

create table audit_log (
  audit_id bigint generated always as identity not null,
  at timestamp(3) with time zone default culprit_now() not null,
  action text not null,
  actor_user_id uuid,
  organization_id uuid,
  project_id uuid,
  subject text,
  address_class text,
  data jsonb default '{}'::jsonb not null,
  constraint audit_log_pkey PRIMARY KEY (audit_id)
);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor_user_id, audit_id DESC) WHERE (actor_user_id IS NOT NULL);
CREATE INDEX audit_log_organization ON public.audit_log USING btree (organization_id, audit_id DESC) WHERE (organization_id IS NOT NULL);
CREATE INDEX audit_log_project ON public.audit_log USING btree (project_id, audit_id DESC) WHERE (project_id IS NOT NULL);

create table availability_checks (
  check_id uuid not null,
  project_id uuid not null,
  name text not null,
  url text not null,
  method text not null,
  expected_status_min integer not null,
  expected_status_max integer not null,
  timeout_ms integer not null,
  interval_seconds integer not null,
  failure_threshold integer not null,
  recovery_threshold integer not null,
  environment text not null,
  service_name text,
  is_enabled boolean not null,
  status text default 'unknown'::text not null,
  consecutive_failures integer default 0 not null,
  consecutive_successes integer default 0 not null,
  last_checked_at timestamp(3) with time zone,
  last_result_status text,
  last_result_http_status integer,
  last_result_error_kind text,
  last_result_duration_ms integer,
  failed_at timestamp(3) with time zone,
  failed_interval_seconds integer,
  paused_since timestamp(3) with time zone,
  incident_id uuid,
  incident_environment text,
  incident_service text,
  is_reported boolean default false not null,
  reported_batch_id uuid,
  awaited_batch_id uuid,
  grid_at timestamp(3) with time zone not null,
  next_check_at timestamp(3) with time zone not null,
  claim_number integer default 0 not null,
  leased_until timestamp(3) with time zone,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  constraint availability_checks_pkey PRIMARY KEY (check_id),
  constraint availability_checks_check CHECK ((expected_status_min <= expected_status_max)),
  constraint availability_checks_method_check CHECK ((method = ANY (ARRAY['GET'::text, 'HEAD'::text]))),
  constraint availability_checks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  constraint availability_checks_status_check CHECK ((status = ANY (ARRAY['unknown'::text, 'passing'::text, 'failing'::text])))
) with (fillfactor=70);
CREATE INDEX availability_checks_awaiting ON public.availability_checks USING btree (awaited_batch_id) WHERE (awaited_batch_id IS NOT NULL);
CREATE INDEX availability_checks_due ON public.availability_checks USING btree (next_check_at) WHERE is_enabled;
CREATE INDEX availability_checks_project ON public.availability_checks USING btree (project_id, created_at DESC, check_id DESC);

create table availability_days (
  check_id uuid not null,
  project_id uuid not null,
  day date not null,
  successful_checks integer default 0 not null,
  failed_checks integer default 0 not null,
  successful_ms bigint default 0 not null,
  first_checked_at timestamp(3) with time zone,
  last_checked_at timestamp(3) with time zone,
  downtime_ms bigint default 0 not null,
  has_opened boolean default false not null,
  began_open boolean default false not null,
  has_recovered boolean default false not null,
  was_paused boolean default false not null,
  incident_ids uuid[] default '{}'::uuid[] not null,
  constraint availability_days_pkey PRIMARY KEY (check_id, day),
  constraint availability_days_check_id_fkey FOREIGN KEY (check_id) REFERENCES availability_checks(check_id) ON DELETE CASCADE
) with (fillfactor=70);

create table availability_results (
  result_id uuid not null,
  check_id uuid not null,
  project_id uuid not null,
  slot_at timestamp(3) with time zone not null,
  started_at timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone not null,
  duration_ms integer not null,
  status text not null,
  http_status integer,
  error_kind text,
  checked_host text not null,
  final_url text not null,
  redirect_count integer not null,
  constraint availability_results_pkey PRIMARY KEY (result_id),
  constraint availability_results_check_id_fkey FOREIGN KEY (check_id) REFERENCES availability_checks(check_id) ON DELETE CASCADE,
  constraint availability_results_check_id_slot_at_key UNIQUE (check_id, slot_at)
);

create table availability_tests (
  project_id uuid not null,
  started_at timestamp(3) with time zone not null,
  tests integer not null,
  constraint availability_tests_pkey PRIMARY KEY (project_id)
);

create table backups (
  backup_id uuid not null,
  finished_at timestamp(3) with time zone default culprit_now() not null,
  directory text not null,
  size_bytes bigint not null,
  missing_objects integer not null,
  constraint backups_pkey PRIMARY KEY (backup_id)
);
CREATE INDEX backups_finished ON public.backups USING btree (finished_at);

create table batch_parts (
  batch_id uuid not null,
  position integer not null,
  processed_at timestamp(3) with time zone not null,
  constraint batch_parts_pkey PRIMARY KEY (batch_id, "position")
);

create table batches (
  batch_id uuid not null,
  project_id uuid not null,
  object_key text not null,
  size_bytes integer not null,
  sha256 bytea not null,
  event_count integer not null,
  token_ids uuid[] not null,
  token_events integer[] not null,
  received_at timestamp(3) with time zone not null,
  processed_at timestamp(3) with time zone,
  split_at timestamp(3) with time zone,
  object_offset integer,
  constraint batches_pkey PRIMARY KEY (batch_id)
);
CREATE INDEX batches_merged ON public.batches USING btree (object_key) WHERE (object_offset IS NOT NULL);
CREATE INDEX batches_project ON public.batches USING btree (project_id, received_at);

create table bundles (
  incident_id uuid not null,
  project_id uuid not null,
  status text not null,
  failure_reason text,
  generation integer default 0 not null,
  object_key text,
  size_bytes integer,
  content_sha256 bytea,
  first_generated_at timestamp(3) with time zone,
  generated_at timestamp(3) with time zone,
  occurrence_count bigint default 0 not null,
  blocks text[] default '{}'::text[] not null,
  is_reproducible boolean,
  offers integer default 0 not null,
  top_frame jsonb,
  client_grouping text,
  symbolication text,
  constraint bundles_pkey PRIMARY KEY (incident_id),
  constraint bundles_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'ready'::text, 'failed'::text])))
) with (fillfactor=80);
CREATE INDEX bundles_cap ON public.bundles USING btree (project_id, generated_at) WHERE (status = 'ready'::text);

create table canary_runs (
  canary_run_id bigint generated always as identity not null,
  ran_at timestamp(3) with time zone default culprit_now() not null,
  missing text,
  incident_ms integer,
  webhook_ms integer,
  constraint canary_runs_pkey PRIMARY KEY (canary_run_id),
  constraint canary_runs_missing_check CHECK ((missing = ANY (ARRAY['intake'::text, 'incident'::text, 'webhook'::text])))
);
CREATE INDEX canary_runs_ran ON public.canary_runs USING btree (ran_at);

create table capture_rule_hits (
  hit_id bigint generated always as identity not null,
  rule_id uuid not null,
  hits bigint not null,
  matched_at timestamp(3) with time zone not null,
  constraint capture_rule_hits_pkey PRIMARY KEY (hit_id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500);

create table capture_rules (
  rule_id uuid not null,
  project_id uuid not null,
  name text not null,
  description text,
  is_enabled boolean not null,
  action text not null,
  matcher jsonb not null,
  sample_rate double precision,
  sample_event_class text,
  created_by_user_id uuid,
  created_from_incident_id text,
  created_from_event_id text,
  suggestion_id text,
  expires_at timestamp(3) with time zone,
  hit_count bigint default 0 not null,
  last_matched_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  constraint capture_rules_pkey PRIMARY KEY (rule_id),
  constraint capture_rules_action_check CHECK ((action = ANY (ARRAY['demote'::text, 'sample'::text, 'drop'::text]))),
  constraint capture_rules_check CHECK (((action = 'sample'::text) = (sample_rate IS NOT NULL))),
  constraint capture_rules_check1 CHECK (((action = 'sample'::text) = (sample_event_class IS NOT NULL))),
  constraint capture_rules_check2 CHECK (((suggestion_id IS NULL) OR (created_from_incident_id IS NOT NULL))),
  constraint capture_rules_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  constraint capture_rules_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  constraint capture_rules_sample_event_class_check CHECK ((sample_event_class = ANY (ARRAY['preserve'::text, 'context'::text]))),
  constraint capture_rules_sample_rate_check CHECK (((sample_rate >= (0)::double precision) AND (sample_rate <= (1)::double precision)))
) with (fillfactor=80);
CREATE INDEX capture_rules_author ON public.capture_rules USING btree (created_by_user_id);
CREATE INDEX capture_rules_list ON public.capture_rules USING btree (project_id, created_at DESC, rule_id DESC);
CREATE UNIQUE INDEX capture_rules_suggestion ON public.capture_rules USING btree (project_id, created_from_incident_id, suggestion_id) WHERE (suggestion_id IS NOT NULL);

create table chores (
  chore text not null,
  due_at timestamp(3) with time zone not null,
  constraint chores_pkey PRIMARY KEY (chore)
);

create table client_counts (
  project_id uuid not null,
  day date not null,
  service_id uuid not null,
  sdk_name text not null,
  sdk_version text not null,
  outcome text not null,
  events bigint not null,
  constraint client_counts_pkey PRIMARY KEY (project_id, day, service_id, sdk_name, sdk_version, outcome)
) with (fillfactor=70);

create table dead_letters (
  dead_letter_id bigint generated always as identity not null,
  project_id uuid not null,
  batch_id uuid not null,
  position integer not null,
  reason text not null,
  attempts integer not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint dead_letters_pkey PRIMARY KEY (dead_letter_id),
  constraint dead_letters_batch_id_position_key UNIQUE (batch_id, "position")
);

create table deployments (
  deployment_id uuid not null,
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  version text,
  commit_sha text,
  branch text,
  deployed_at timestamp(3) with time zone not null,
  event_id text not null,
  received_at timestamp(3) with time zone not null,
  is_inferred boolean default false not null,
  constraint deployments_pkey PRIMARY KEY (deployment_id),
  constraint deployments_project_id_service_name_environment_version_com_key UNIQUE NULLS NOT DISTINCT (project_id, service_name, environment, version, commit_sha, deployed_at)
);
CREATE INDEX deployments_lookup ON public.deployments USING btree (project_id, service_name, environment, deployed_at DESC);
CREATE INDEX deployments_version ON public.deployments USING btree (project_id, COALESCE(version, commit_sha));

create table device_requests (
  request_hash bytea not null,
  status text default 'pending'::text not null,
  reason text,
  sealed_device_code bytea,
  interval_seconds integer not null,
  next_ask_at timestamp(3) with time zone default culprit_now() not null,
  user_id uuid,
  expires_at timestamp(3) with time zone not null,
  constraint device_requests_pkey PRIMARY KEY (request_hash),
  constraint device_requests_check CHECK (((user_id IS NOT NULL) = (status = ANY (ARRAY['approved'::text, 'claimed'::text])))),
  constraint device_requests_check1 CHECK (((reason IS NOT NULL) = (status = 'rejected'::text))),
  constraint device_requests_check2 CHECK (((sealed_device_code IS NULL) OR (status = 'pending'::text))),
  constraint device_requests_interval_seconds_check CHECK ((interval_seconds > 0)),
  constraint device_requests_reason_check CHECK ((reason = ANY (ARRAY['github_email_missing'::text, 'signup_closed'::text, 'github_identity_conflict'::text]))),
  constraint device_requests_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'claimed'::text, 'denied'::text, 'expired'::text, 'rejected'::text]))),
  constraint device_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX device_requests_codes ON public.device_requests USING btree (expires_at) WHERE (sealed_device_code IS NOT NULL);
CREATE INDEX device_requests_expiry ON public.device_requests USING btree (expires_at);
CREATE INDEX device_requests_user ON public.device_requests USING btree (user_id) WHERE (user_id IS NOT NULL);

create table email_change_codes (
  user_id uuid not null,
  email text not null,
  code_hash bytea,
  expires_at timestamp(3) with time zone not null,
  attempts integer default 0 not null,
  sent_at timestamp(3) with time zone[] not null,
  session_id uuid not null,
  constraint email_change_codes_pkey PRIMARY KEY (user_id),
  constraint email_change_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX email_change_codes_expiry ON public.email_change_codes USING btree (expires_at);

create table event_fates (
  token_id uuid not null,
  hour timestamp(3) with time zone not null,
  fate text not null,
  rule_id uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  project_id uuid not null,
  events bigint not null,
  constraint event_fates_pkey PRIMARY KEY (token_id, hour, fate, rule_id),
  constraint event_fates_fate_check CHECK ((fate = ANY (ARRAY['submitted'::text, 'processed'::text, 'demoted'::text, 'duplicate'::text, 'dropped'::text, 'sampled_out'::text, 'refused_by_policy'::text, 'rate_limited'::text, 'invalid'::text, 'dead_letter'::text])))
) with (fillfactor=70);
CREATE INDEX event_fates_hour ON public.event_fates USING btree (hour);
CREATE INDEX event_fates_project ON public.event_fates USING btree (project_id, hour);

create table event_ids (
  project_id uuid not null,
  id_hash bigint not null,
  received_at timestamp(3) with time zone not null,
  signal_key bigint,
  constraint event_ids_pkey PRIMARY KEY (project_id, id_hash)
);

create table events (
  project_id uuid not null,
  service_id uuid not null,
  incident_id uuid,
  batch_id uuid not null,
  occurred_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null,
  trace_hash bigint,
  request_hash bigint,
  session_hash bigint,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  library integer not null,
  event_type smallint not null,
  event_class smallint not null,
  level smallint not null,
  is_counted boolean not null,
  event_id text not null
) partition by RANGE (received_at);
CREATE INDEX events_incident ON ONLY public.events USING btree (incident_id, occurred_at DESC) WHERE (incident_id IS NOT NULL);
CREATE INDEX events_loose ON ONLY public.events USING btree (service_id, occurred_at) WHERE ((event_type = ANY (ARRAY[3, 7])) AND (trace_hash IS NULL) AND (request_hash IS NULL));
CREATE INDEX events_project ON ONLY public.events USING brin (project_id uuid_bloom_ops (n_distinct_per_range='100')) WITH (pages_per_range='32');
CREATE INDEX events_request ON ONLY public.events USING btree (request_hash) WHERE (request_hash IS NOT NULL);
CREATE INDEX events_session ON ONLY public.events USING btree (session_hash) WHERE (session_hash IS NOT NULL);
CREATE INDEX events_trace ON ONLY public.events USING btree (trace_hash) WHERE (trace_hash IS NOT NULL);

create table first_owner (
  is_only boolean default true not null,
  user_id uuid,
  written_at timestamp(3) with time zone default culprit_now() not null,
  constraint first_owner_pkey PRIMARY KEY (is_only),
  constraint first_owner_is_only_check CHECK (is_only),
  constraint first_owner_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE SET NULL
);
CREATE INDEX first_owner_user ON public.first_owner USING btree (user_id);

create table foreign_kinds (
  project_id uuid not null,
  hour timestamp(3) with time zone not null,
  protocol text not null,
  kind text not null,
  taken bigint not null,
  not_taken bigint not null,
  over_limit bigint not null,
  last_at timestamp(3) with time zone not null,
  constraint foreign_kinds_pkey PRIMARY KEY (project_id, hour, protocol, kind),
  constraint foreign_kinds_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id),
  constraint foreign_kinds_protocol_check CHECK ((protocol = ANY (ARRAY['sentry'::text, 'otlp'::text, 'report'::text])))
) with (fillfactor=70);

create table github_sign_ins (
  state_hash bytea not null,
  return_to text not null,
  expires_at timestamp(3) with time zone not null,
  constraint github_sign_ins_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX github_sign_ins_expiry ON public.github_sign_ins USING btree (expires_at);

create table heartbeat_runs (
  project_id uuid not null,
  heartbeat_id uuid not null,
  check_in_id uuid not null,
  status text not null,
  started_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  timeout_at timestamp(3) with time zone,
  duration_ms integer,
  environment text not null,
  release text,
  trace_id text,
  output text,
  constraint heartbeat_runs_pkey PRIMARY KEY (project_id, heartbeat_id, check_in_id),
  constraint heartbeat_runs_heartbeat_id_fkey FOREIGN KEY (heartbeat_id) REFERENCES heartbeats(heartbeat_id) ON DELETE CASCADE,
  constraint heartbeat_runs_status_check CHECK ((status = ANY (ARRAY['in_progress'::text, 'ok'::text, 'error'::text, 'missed'::text, 'timeout'::text, 'unknown'::text])))
);
CREATE INDEX heartbeat_runs_newest ON public.heartbeat_runs USING btree (heartbeat_id, started_at DESC, check_in_id DESC);
CREATE INDEX heartbeat_runs_open ON public.heartbeat_runs USING btree (heartbeat_id, timeout_at) WHERE (status = 'in_progress'::text);

create table heartbeat_watch (
  role text not null,
  seen_at timestamp(3) with time zone not null,
  gap_began_at timestamp(3) with time zone,
  gap_ended_at timestamp(3) with time zone,
  constraint heartbeat_watch_pkey PRIMARY KEY (role),
  constraint heartbeat_watch_role_check CHECK ((role = ANY (ARRAY['api'::text, 'worker'::text])))
);

create table heartbeats (
  heartbeat_id uuid not null,
  project_id uuid not null,
  slug text not null,
  environment text not null,
  name text not null,
  service_name text,
  schedule_type text not null,
  schedule_value text not null,
  schedule_unit text,
  timezone text not null,
  margin_minutes integer not null,
  max_runtime_minutes integer not null,
  failure_threshold integer not null,
  recovery_threshold integer not null,
  is_enabled boolean not null,
  managed_by text not null,
  ping_key text not null,
  status text default 'unknown'::text not null,
  consecutive_failures integer default 0 not null,
  consecutive_successes integer default 0 not null,
  last_check_in_at timestamp(3) with time zone,
  last_status text,
  last_duration_ms integer,
  slot_opened_at timestamp(3) with time zone not null,
  expected_at timestamp(3) with time zone not null,
  judge_at timestamp(3) with time zone not null,
  minute_began_at timestamp(3) with time zone default culprit_now() not null,
  minute_check_ins integer default 0 not null,
  incident_id uuid,
  incident_environment text,
  incident_service text,
  is_reported boolean default false not null,
  reported_batch_id uuid,
  awaited_batch_id uuid,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  constraint heartbeats_pkey PRIMARY KEY (heartbeat_id),
  constraint heartbeats_managed_by_check CHECK ((managed_by = ANY (ARRAY['check_in'::text, 'member'::text]))),
  constraint heartbeats_ping_key_key UNIQUE (ping_key),
  constraint heartbeats_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  constraint heartbeats_project_id_slug_environment_key UNIQUE (project_id, slug, environment),
  constraint heartbeats_schedule_type_check CHECK ((schedule_type = ANY (ARRAY['crontab'::text, 'interval'::text]))),
  constraint heartbeats_status_check CHECK ((status = ANY (ARRAY['unknown'::text, 'passing'::text, 'failing'::text])))
) with (fillfactor=70);
CREATE INDEX heartbeats_awaiting ON public.heartbeats USING btree (awaited_batch_id) WHERE (awaited_batch_id IS NOT NULL);
CREATE INDEX heartbeats_due ON public.heartbeats USING btree (judge_at) WHERE is_enabled;
CREATE INDEX heartbeats_project ON public.heartbeats USING btree (project_id, created_at DESC, heartbeat_id DESC);

create table improvement_attempts (
  improvement_id uuid not null,
  correlation_hash bigint not null,
  project_id uuid not null,
  attempted_at_ms bigint[] not null,
  largest smallint not null,
  expires_at timestamp(3) with time zone not null,
  constraint improvement_attempts_pkey PRIMARY KEY (improvement_id, correlation_hash),
  constraint improvement_attempts_improvement_id_fkey FOREIGN KEY (improvement_id) REFERENCES improvements(improvement_id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX improvement_attempts_expired ON public.improvement_attempts USING btree (expires_at);
CREATE INDEX improvement_attempts_project ON public.improvement_attempts USING btree (project_id);

create table improvement_counters (
  improvement_id uuid not null,
  bucket_at timestamp(3) with time zone not null,
  project_id uuid not null,
  at_high_confidence integer not null,
  at_balanced integer not null,
  at_verbose integer not null,
  severe_high_confidence integer not null,
  severe_balanced integer not null,
  severe_verbose integer not null,
  total integer not null,
  first_at timestamp(3) with time zone,
  last_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone not null,
  constraint improvement_counters_pkey PRIMARY KEY (improvement_id, bucket_at),
  constraint improvement_counters_improvement_id_fkey FOREIGN KEY (improvement_id) REFERENCES improvements(improvement_id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX improvement_counters_expired ON public.improvement_counters USING btree (expires_at);

create table improvement_samples (
  improvement_id uuid not null,
  role text not null,
  project_id uuid not null,
  event_id text not null,
  effective_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null,
  weight double precision not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  constraint improvement_samples_pkey PRIMARY KEY (improvement_id, role),
  constraint improvement_samples_improvement_id_fkey FOREIGN KEY (improvement_id) REFERENCES improvements(improvement_id) ON DELETE CASCADE,
  constraint improvement_samples_role_check CHECK ((role = ANY (ARRAY['latest'::text, 'heaviest'::text])))
) with (fillfactor=70);

create table improvements (
  improvement_id uuid not null,
  project_id uuid not null,
  service_id uuid not null,
  service_name text not null,
  environment text not null,
  detector text not null,
  detector_key text not null,
  fingerprint bytea not null,
  status text not null,
  severity smallint default 0 not null,
  confidence_percent smallint default 0 not null,
  title text default ''::text not null,
  summary text default ''::text not null,
  evidence jsonb default '{}'::jsonb not null,
  related_incident_ids uuid[] default '{}'::uuid[] not null,
  occurrence_count bigint default 0 not null,
  first_detected_at timestamp(3) with time zone not null,
  last_detected_at timestamp(3) with time zone not null,
  last_received_at timestamp(3) with time zone not null,
  resolved_at timestamp(3) with time zone,
  snoozed_until timestamp(3) with time zone,
  episode integer default 0 not null,
  bundle_episode integer default 0 not null,
  bundle_generation integer default 0 not null,
  bundle_object_key text,
  bundle_size_bytes integer,
  bundle_sha256 bytea,
  bundle_created_at timestamp(3) with time zone,
  bundle_updated_at timestamp(3) with time zone,
  bundle_occurrence_count bigint default 0 not null,
  bundle_checked_at timestamp(3) with time zone,
  bundle_failure_reason text,
  constraint improvements_pkey PRIMARY KEY (improvement_id),
  constraint improvements_check CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL))),
  constraint improvements_check1 CHECK (((status = 'snoozed'::text) = (snoozed_until IS NOT NULL))),
  constraint improvements_service_id_fingerprint_key UNIQUE (service_id, fingerprint),
  constraint improvements_status_check CHECK ((status = ANY (ARRAY['candidate'::text, 'open'::text, 'resolved'::text, 'snoozed'::text])))
) with (fillfactor=70);
CREATE INDEX improvements_idle ON public.improvements USING btree (last_received_at) WHERE (status = 'candidate'::text);
CREATE INDEX improvements_list ON public.improvements USING btree (project_id, last_detected_at DESC, improvement_id DESC) WHERE (status <> 'candidate'::text);
CREATE INDEX improvements_project ON public.improvements USING btree (project_id);

create table incident_aliases (
  service_id uuid not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  project_id uuid not null,
  incident_id uuid not null,
  origin text not null,
  created_at timestamp(3) with time zone not null,
  from_incident_id uuid,
  user_id uuid,
  was_active boolean default false not null,
  slot bytea,
  is_browser boolean default false not null,
  merged_into uuid,
  regrouping_id uuid,
  constraint incident_aliases_pkey PRIMARY KEY (service_id, fingerprint_version, fingerprint),
  constraint incident_aliases_origin_check CHECK ((origin = ANY (ARRAY['merge'::text, 'slot'::text, 'regrouping'::text, 'mapped'::text, 'unmapped'::text]))) NOT VALID
);
CREATE INDEX incident_aliases_from ON public.incident_aliases USING btree (from_incident_id) WHERE (from_incident_id IS NOT NULL);
CREATE INDEX incident_aliases_incident ON public.incident_aliases USING btree (incident_id);
CREATE INDEX incident_aliases_regrouping ON public.incident_aliases USING btree (regrouping_id) WHERE (regrouping_id IS NOT NULL);

create table incident_context (
  incident_id uuid not null,
  event_id text not null,
  event_type smallint not null,
  level smallint not null,
  occurred_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null,
  summary text,
  constraint incident_context_pkey PRIMARY KEY (incident_id, event_id)
);

create table incident_fixes (
  fix_id uuid not null,
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
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint incident_fixes_pkey PRIMARY KEY (fix_id)
);
CREATE INDEX incident_fixes_incident ON public.incident_fixes USING btree (incident_id, created_at, fix_id);
CREATE INDEX incident_fixes_project ON public.incident_fixes USING btree (project_id, fix_id);

create table incident_hours (
  incident_id uuid not null,
  hour integer not null,
  occurrences integer not null,
  suppressed integer not null,
  constraint incident_hours_pkey PRIMARY KEY (incident_id, hour)
) with (fillfactor=90);

create table incident_members (
  incident_id uuid not null,
  member bigint not null,
  constraint incident_members_pkey PRIMARY KEY (incident_id, member)
);
CREATE INDEX incident_members_member ON public.incident_members USING btree (member);

create table incident_minutes (
  incident_id uuid not null,
  minute integer not null,
  occurrences integer not null,
  suppressed integer default 0 not null,
  constraint incident_minutes_pkey PRIMARY KEY (incident_id, minute)
) with (fillfactor=70);

create table incident_notes (
  note_id uuid not null,
  project_id uuid not null,
  incident_id uuid not null,
  author_user_id uuid not null,
  via text not null,
  token_label text,
  body text,
  mentions jsonb default '[]'::jsonb not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  edited_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  constraint incident_notes_pkey PRIMARY KEY (note_id),
  constraint incident_notes_check CHECK (((body IS NULL) = (deleted_at IS NOT NULL)))
);
CREATE INDEX incident_notes_author ON public.incident_notes USING btree (author_user_id, created_at);
CREATE INDEX incident_notes_incident ON public.incident_notes USING btree (incident_id, created_at, note_id);
CREATE INDEX incident_notes_project ON public.incident_notes USING btree (project_id, note_id);

create table incident_numbers (
  project_id uuid not null,
  last_number integer not null,
  constraint incident_numbers_pkey PRIMARY KEY (project_id)
) with (fillfactor=50);

create table incident_resolutions (
  project_id uuid not null,
  incident_id uuid not null,
  kind text not null,
  after_version text,
  version text,
  set_at timestamp(3) with time zone default culprit_now() not null,
  old_releases text[] default '{}'::text[] not null,
  constraint incident_resolutions_pkey PRIMARY KEY (incident_id),
  constraint incident_resolutions_kind_check CHECK ((kind = ANY (ARRAY['next_release'::text, 'release'::text])))
);
CREATE INDEX incident_resolutions_open ON public.incident_resolutions USING btree (project_id) WHERE (version IS NULL);
CREATE INDEX incident_resolutions_version ON public.incident_resolutions USING btree (project_id, version) WHERE (version IS NOT NULL);

create table incident_samples (
  incident_id uuid not null,
  event_id text not null,
  effective_at timestamp(3) with time zone not null,
  received_at timestamp(3) with time zone not null,
  severity smallint not null,
  richness smallint not null,
  roles text[] not null,
  is_origin_bound boolean not null,
  batch_id uuid not null,
  frame_offset integer not null,
  frame_length integer not null,
  record_offset integer not null,
  constraint incident_samples_pkey PRIMARY KEY (incident_id, event_id)
);

create table incident_search (
  project_id uuid not null,
  incident_id uuid not null,
  document tsvector not null,
  types text[] not null,
  functions text[] not null,
  files text[] not null,
  routes text[] not null,
  statuses text[] not null,
  releases text[] not null,
  messages text[] not null,
  constraint incident_search_pkey PRIMARY KEY (project_id, incident_id)
);
CREATE INDEX incident_search_document ON public.incident_search USING gin (document) WITH (gin_pending_list_limit='1024');
CREATE INDEX incident_search_incident ON public.incident_search USING btree (incident_id);

create table incident_sketches (
  incident_id uuid not null,
  registers bytea storage external not null,
  changes bytea default '\x'::bytea not null,
  constraint incident_sketches_pkey PRIMARY KEY (incident_id)
);

create table incident_slots (
  project_id uuid not null,
  service_id uuid not null,
  slot bytea not null,
  is_browser boolean not null,
  words text[] not null,
  fingerprints bytea[] not null,
  noted_at timestamp(3) with time zone not null,
  pattern text not null,
  opened_at timestamp(3) with time zone,
  opened_by_event_id text,
  incident_id uuid,
  closed_at timestamp(3) with time zone,
  closed_by_user_id uuid,
  constraint incident_slots_pkey PRIMARY KEY (project_id, service_id, slot)
);
CREATE INDEX incident_slots_incident ON public.incident_slots USING btree (incident_id) WHERE (incident_id IS NOT NULL);

create table incident_tags (
  project_id uuid not null,
  incident_id uuid not null,
  key text not null,
  value text not null,
  count bigint not null,
  first_seen_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  constraint incident_tags_pkey PRIMARY KEY (project_id, key, value, incident_id)
) with (fillfactor=50);
CREATE INDEX incident_tags_incident ON public.incident_tags USING btree (incident_id);

create table incident_titles (
  incident_id uuid not null,
  project_id uuid not null,
  title text not null,
  constraint incident_titles_pkey PRIMARY KEY (incident_id)
);
CREATE INDEX incident_titles_project ON public.incident_titles USING btree (project_id);

create table incident_tombstones (
  incident_id uuid not null,
  project_id uuid not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint incident_tombstones_pkey PRIMARY KEY (incident_id)
);
CREATE INDEX incident_tombstones_project ON public.incident_tombstones USING btree (project_id, incident_id);

create table incident_triage (
  incident_id uuid not null,
  project_id uuid not null,
  priority smallint,
  assignee_user_id uuid,
  assignee_team_id uuid,
  assigned_at timestamp(3) with time zone,
  snoozed_at timestamp(3) with time zone,
  snoozed_by_user_id uuid,
  snooze_reason text,
  constraint incident_triage_pkey PRIMARY KEY (incident_id),
  constraint incident_triage_check CHECK (((assignee_user_id IS NULL) OR (assignee_team_id IS NULL))),
  constraint incident_triage_priority_check CHECK (((priority >= 0) AND (priority <= 3)))
) with (fillfactor=80);
CREATE INDEX incident_triage_assignee ON public.incident_triage USING btree (assignee_user_id, project_id) WHERE (assignee_user_id IS NOT NULL);
CREATE INDEX incident_triage_priority ON public.incident_triage USING btree (project_id, priority) WHERE (priority IS NOT NULL);
CREATE INDEX incident_triage_project ON public.incident_triage USING btree (project_id, incident_id);
CREATE INDEX incident_triage_team ON public.incident_triage USING btree (assignee_team_id, project_id) WHERE (assignee_team_id IS NOT NULL);

create table incidents (
  incident_id uuid not null,
  project_id uuid not null,
  service_id uuid not null,
  service_name text not null,
  environment text not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  fingerprint_kind text not null,
  title text not null,
  severity smallint not null,
  status text not null,
  first_seen_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  occurrence_count bigint not null,
  spike_detected_at timestamp(3) with time zone,
  spike_last_true_at timestamp(3) with time zone,
  resolved_at timestamp(3) with time zone,
  resolved_by_user_id uuid,
  regressed_at timestamp(3) with time zone,
  status_changed_at timestamp(3) with time zone not null,
  matched_fields text[] not null,
  reason_kind text not null,
  reason_description text not null,
  reason_event_type text not null,
  reason_matched_policy text not null,
  is_verification boolean default false not null,
  newest_received_at timestamp(3) with time zone not null,
  affected_users integer default 0 not null,
  distinct_requests integer default 0 not null,
  occurrences_without_request_id bigint default 0 not null,
  occurrences_with_request_block bigint default 0 not null,
  suppressed_count bigint default 0 not null,
  hours_from integer default 0 not null,
  sources smallint default 0 not null,
  readers text[] not null,
  rule text not null,
  has_mapped_key boolean default false not null,
  snoozed_until timestamp(3) with time zone,
  wake_at_count bigint,
  wake_at_users integer,
  wake_after_deploy_at timestamp(3) with time zone,
  wake_at_hourly integer,
  escalated_at timestamp(3) with time zone,
  is_browser_noise boolean default false not null,
  snoozed_count bigint,
  first_release text,
  last_release text,
  regressed_in_release text,
  number integer not null,
  seen_step timestamp(3) with time zone generated always as (seen_step(last_seen_at)) stored not null,
  count_step integer generated always as (amount_step(occurrence_count)) stored not null,
  users_step integer generated always as (amount_step((affected_users)::bigint)) stored,
  is_test_environment boolean generated always as ((lower(environment) ~ '(^|[^a-z])(dev|development|local|localhost|ci|test|tests|testing|qa|uat|stage|staging|stg|preview|review|sandbox|demo)([^a-z]|$)'::text)) stored not null,
  constraint incidents_pkey PRIMARY KEY (incident_id),
  constraint incidents_check CHECK (((status = 'resolved'::text) = (resolved_at IS NOT NULL))),
  constraint incidents_check1 CHECK (((status <> 'regressed'::text) OR (regressed_at IS NOT NULL))),
  constraint incidents_check2 CHECK ((first_seen_at <= last_seen_at)),
  constraint incidents_occurrence_count_check CHECK ((occurrence_count >= 1)),
  constraint incidents_service_id_fingerprint_version_fingerprint_key UNIQUE (service_id, fingerprint_version, fingerprint),
  constraint incidents_status_check CHECK ((status = ANY (ARRAY['open'::text, 'resolved'::text, 'regressed'::text])))
) with (fillfactor=50);
CREATE INDEX incidents_active ON public.incidents USING btree (project_id, seen_step DESC) WHERE (status <> 'resolved'::text);
CREATE INDEX incidents_first_release ON public.incidents USING btree (project_id, first_release) WHERE (first_release IS NOT NULL);
CREATE INDEX incidents_first_seen ON public.incidents USING btree (project_id, first_seen_at DESC, incident_id DESC);
CREATE INDEX incidents_last_release ON public.incidents USING btree (project_id, last_release) WHERE (last_release IS NOT NULL);
CREATE INDEX incidents_list ON public.incidents USING btree (project_id, seen_step DESC);
CREATE UNIQUE INDEX incidents_number ON public.incidents USING btree (project_id, number);
CREATE INDEX incidents_occurrences ON public.incidents USING btree (project_id, count_step DESC);
CREATE INDEX incidents_regressed ON public.incidents USING btree (project_id, regressed_at) WHERE (regressed_at IS NOT NULL);
CREATE INDEX incidents_regressed_in ON public.incidents USING btree (project_id, regressed_in_release) WHERE (regressed_in_release IS NOT NULL);
CREATE INDEX incidents_severity ON public.incidents USING btree (project_id, severity DESC, seen_step DESC);
CREATE INDEX incidents_snoozed ON public.incidents USING btree (project_id, snoozed_until) WHERE (snoozed_until IS NOT NULL);
CREATE INDEX incidents_sources ON public.incidents USING btree (project_id, sources) WHERE (sources <> 2);
CREATE INDEX incidents_spiking ON public.incidents USING btree (project_id, spike_detected_at) WHERE (spike_detected_at IS NOT NULL);
CREATE INDEX incidents_users ON public.incidents USING btree (project_id, users_step) WHERE (users_step IS NOT NULL);
CREATE INDEX incidents_waking ON public.incidents USING btree (snoozed_until) WHERE (snoozed_until IS NOT NULL);

create table jobs (
  job_id bigint generated always as identity not null,
  lane text not null,
  kind text not null,
  project_id uuid not null,
  key text,
  payload jsonb default '{}'::jsonb not null,
  run_at timestamp(3) with time zone default culprit_now() not null,
  revision integer default 0 not null,
  attempt integer default 0 not null,
  failures integer default 0 not null,
  leased_until timestamp(3) with time zone,
  last_error text,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint jobs_pkey PRIMARY KEY (job_id)
) with (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500);
CREATE INDEX jobs_claim ON public.jobs USING btree (lane, project_id, run_at);
CREATE UNIQUE INDEX jobs_key ON public.jobs USING btree (kind, key) WHERE (key IS NOT NULL);

create table lifecycle_events (
  lifecycle_id bigint generated always as identity not null,
  project_id uuid not null,
  incident_id uuid,
  kind text not null,
  occurred_at timestamp(3) with time zone default culprit_now() not null,
  data jsonb default '{}'::jsonb not null,
  improvement_id uuid,
  transaction_id xid8 default pg_current_xact_id() not null,
  constraint lifecycle_events_pkey PRIMARY KEY (lifecycle_id),
  constraint lifecycle_events_kind_check CHECK ((kind = ANY (ARRAY['incident.opened'::text, 'incident.regressed'::text, 'incident.resolved'::text, 'incident.reopened'::text, 'incident.spike_detected'::text, 'incident.severity_raised'::text, 'incident.merged'::text, 'incident.split'::text, 'incident.assigned'::text, 'incident.unassigned'::text, 'incident.prioritized'::text, 'incident.snoozed'::text, 'incident.woke'::text, 'incident.noted'::text, 'incident.fix_proposed'::text, 'incident.remapped'::text, 'incident.seen_in_old_release'::text, 'bundle.created'::text, 'bundle.updated'::text, 'improvement_bundle.created'::text]))) NOT VALID,
  constraint lifecycle_events_subject CHECK ((((incident_id IS NULL) = (kind = 'improvement_bundle.created'::text)) AND ((improvement_id IS NULL) = (kind <> 'improvement_bundle.created'::text))))
);
CREATE INDEX lifecycle_events_feed ON public.lifecycle_events USING btree (project_id, transaction_id, lifecycle_id);
CREATE INDEX lifecycle_events_improvement ON public.lifecycle_events USING btree (improvement_id) WHERE (improvement_id IS NOT NULL);
CREATE INDEX lifecycle_events_incident ON public.lifecycle_events USING btree (incident_id, lifecycle_id);
CREATE INDEX lifecycle_events_weekly ON public.lifecycle_events USING btree (project_id, kind, occurred_at) WHERE (kind = ANY (ARRAY['incident.opened'::text, 'incident.resolved'::text, 'incident.regressed'::text, 'incident.spike_detected'::text, 'bundle.created'::text, 'improvement_bundle.created'::text]));

create table lifecycle_feed (
  feed_id uuid default gen_random_uuid() not null,
  constraint lifecycle_feed_pkey PRIMARY KEY (feed_id)
);

create table map_chunks (
  user_id uuid not null,
  sha1 bytea not null,
  bytes bytea storage external not null,
  size_bytes integer not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint map_chunks_pkey PRIMARY KEY (user_id, sha1)
);
CREATE INDEX map_chunks_created ON public.map_chunks USING btree (created_at);

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
  verdict text,
  problem text,
  words text,
  source_map_id uuid,
  probe jsonb,
  fit jsonb,
  attempts integer default 0 not null,
  constraint map_upload_files_pkey PRIMARY KEY (project_id, upload_id, "position"),
  constraint map_upload_files_verdict_check CHECK ((verdict = ANY (ARRAY['ready'::text, 'unchanged'::text, 'replaced'::text, 'refused'::text, 'skipped'::text])))
);
CREATE INDEX map_upload_files_base ON public.map_upload_files USING btree (project_id, base_hash, upload_id DESC);
CREATE INDEX map_upload_files_id ON public.map_upload_files USING btree (project_id, debug_id, upload_id DESC) WHERE (debug_id IS NOT NULL);

create table map_upload_parts (
  project_id uuid not null,
  upload_id uuid not null,
  sha256 bytea not null,
  part integer not null,
  object_key text not null,
  constraint map_upload_parts_pkey PRIMARY KEY (project_id, upload_id, sha256, part)
);

create table map_uploads (
  project_id uuid not null,
  upload_id uuid not null,
  user_id uuid,
  release text,
  state text not null,
  via text not null,
  manifest_hash bytea not null,
  announced_bytes bigint not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  finished_at timestamp(3) with time zone,
  archive_chunks bytea[],
  problem text,
  constraint map_uploads_pkey PRIMARY KEY (project_id, upload_id),
  constraint map_uploads_state_check CHECK ((state = ANY (ARRAY['open'::text, 'processing'::text, 'done'::text, 'expired'::text]))),
  constraint map_uploads_via_check CHECK ((via = ANY (ARRAY['api'::text, 'sentry'::text])))
);
CREATE INDEX map_uploads_listed ON public.map_uploads USING btree (project_id, created_at DESC, upload_id DESC);
CREATE INDEX map_uploads_open ON public.map_uploads USING btree (created_at) WHERE (state = 'open'::text);
CREATE INDEX map_uploads_packed ON public.map_uploads USING btree (user_id) WHERE (archive_chunks IS NOT NULL);

create table map_waits (
  project_id uuid not null,
  found_by text not null,
  key text not null,
  base_hash bigint not null,
  incident_id uuid not null,
  file text not null,
  reason text not null,
  service_name text,
  is_browser boolean not null,
  events bigint not null,
  first_seen_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone not null,
  constraint map_waits_pkey PRIMARY KEY (project_id, found_by, key, base_hash, incident_id),
  constraint map_waits_found_by_check CHECK ((found_by = ANY (ARRAY['id'::text, 'file'::text])))
);
CREATE INDEX map_waits_incident ON public.map_waits USING btree (incident_id);
CREATE INDEX map_waits_seen ON public.map_waits USING btree (project_id, last_seen_at);

create table member_tokens (
  token_id uuid not null,
  user_id uuid not null,
  organization_id uuid not null,
  label text not null,
  token_hash bytea not null,
  token_preview text not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  access text default 'full'::text not null,
  constraint member_tokens_pkey PRIMARY KEY (token_id),
  constraint member_tokens_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text, 'build'::text]))) NOT VALID,
  constraint member_tokens_token_hash_key UNIQUE (token_hash),
  constraint member_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX member_tokens_live ON public.member_tokens USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE INDEX member_tokens_user ON public.member_tokens USING btree (user_id, created_at);

create table object_store (
  is_only boolean default true not null,
  store_id uuid not null,
  constraint object_store_pkey PRIMARY KEY (is_only),
  constraint object_store_is_only_check CHECK (is_only)
);

create table object_tombstones (
  object_key text not null,
  project_id uuid not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint object_tombstones_pkey PRIMARY KEY (object_key)
);
CREATE INDEX object_tombstones_project ON public.object_tombstones USING btree (project_id, created_at);

create table organizations (
  organization_id uuid not null,
  owner_user_id uuid not null,
  name text not null,
  plan text default 'team'::text not null,
  plan_started_at timestamp(3) with time zone default culprit_now() not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  trial_plan text,
  trial_started_at timestamp(3) with time zone,
  trial_ends_at timestamp(3) with time zone,
  trial_converted_at timestamp(3) with time zone,
  is_plan_set_by_operator boolean default false not null,
  additional_units integer default 0 not null,
  pending_units integer,
  pending_units_at timestamp(3) with time zone,
  usage_settled_at timestamp(3) with time zone default culprit_now() not null,
  constraint organizations_pkey PRIMARY KEY (organization_id),
  constraint organizations_additional_units_check CHECK (((additional_units >= 0) AND (additional_units <= 99))),
  constraint organizations_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(user_id),
  constraint organizations_pending CHECK (((pending_units IS NULL) = (pending_units_at IS NULL))),
  constraint organizations_pending_units_check CHECK (((pending_units >= 0) AND (pending_units <= 99))),
  constraint organizations_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'solo'::text, 'team'::text]))),
  constraint organizations_trial CHECK ((((trial_plan IS NULL) = (trial_started_at IS NULL)) AND ((trial_plan IS NULL) = (trial_ends_at IS NULL)))),
  constraint organizations_trial_plan_check CHECK ((trial_plan = ANY (ARRAY['solo'::text, 'team'::text])))
);
CREATE INDEX organizations_owner ON public.organizations USING btree (owner_user_id);

create table probe_activations (
  activation_id uuid not null,
  project_id uuid not null,
  label_pattern text not null,
  service text not null,
  environment text not null,
  sample_rate double precision not null,
  activated_by_user_id uuid,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(0) with time zone not null,
  trigger_expires_at timestamp(0) with time zone not null,
  deactivated_at timestamp(3) with time zone,
  constraint probe_activations_pkey PRIMARY KEY (activation_id),
  constraint probe_activations_activated_by_user_id_fkey FOREIGN KEY (activated_by_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  constraint probe_activations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX probe_activations_live ON public.probe_activations USING btree (expires_at) WHERE (deactivated_at IS NULL);
CREATE INDEX probe_activations_project ON public.probe_activations USING btree (project_id, expires_at);
CREATE INDEX probe_activations_user ON public.probe_activations USING btree (activated_by_user_id);

create table processes (
  process_id uuid not null,
  role text not null,
  pid integer not null,
  host text not null,
  version text not null,
  started_at timestamp(3) with time zone not null,
  rss_bytes bigint not null,
  object_failures integer not null,
  seen_at timestamp(3) with time zone default culprit_now() not null,
  constraint processes_pkey PRIMARY KEY (process_id),
  constraint processes_role_check CHECK ((role = ANY (ARRAY['api'::text, 'worker'::text])))
);
CREATE INDEX processes_seen ON public.processes USING btree (seen_at);

create table project_invites (
  invite_id uuid not null,
  project_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  invited_by_user_id uuid not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  expires_at timestamp(3) with time zone not null,
  accepted_at timestamp(3) with time zone,
  canceled_at timestamp(3) with time zone,
  constraint project_invites_pkey PRIMARY KEY (invite_id),
  constraint project_invites_check CHECK (((accepted_at IS NULL) OR (canceled_at IS NULL))),
  constraint project_invites_email_check CHECK ((email = lower(email))),
  constraint project_invites_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  constraint project_invites_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
  constraint project_invites_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX project_invites_address ON public.project_invites USING btree (email, project_id);
CREATE INDEX project_invites_final ON public.project_invites USING btree (COALESCE(accepted_at, canceled_at, expires_at));
CREATE INDEX project_invites_list ON public.project_invites USING btree (project_id, created_at DESC, invite_id DESC);

create table project_members (
  project_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  constraint project_members_pkey PRIMARY KEY (project_id, user_id),
  constraint project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id),
  constraint project_members_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text]))),
  constraint project_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX project_members_user ON public.project_members USING btree (user_id);

create table project_tags (
  project_id uuid not null,
  day date not null,
  key text not null,
  value text not null,
  count bigint not null,
  constraint project_tags_pkey PRIMARY KEY (project_id, day, key, value)
) with (fillfactor=85);

create table project_tokens (
  token_id uuid not null,
  project_id uuid not null,
  label text not null,
  token_hash bytea not null,
  token_preview text not null,
  allowed_origins text[] default '{}'::text[] not null,
  created_by_user_id uuid,
  created_at timestamp(3) with time zone default culprit_now() not null,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  kind text default 'token'::text not null,
  public_key text,
  service_name text,
  events_per_minute integer,
  constraint project_tokens_pkey PRIMARY KEY (token_id),
  constraint project_tokens_check CHECK (((kind = 'dsn'::text) = (public_key IS NOT NULL))),
  constraint project_tokens_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  constraint project_tokens_events_per_minute_check CHECK (((events_per_minute >= 1) AND (events_per_minute <= 1000000))),
  constraint project_tokens_kind_check CHECK ((kind = ANY (ARRAY['token'::text, 'dsn'::text]))),
  constraint project_tokens_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id),
  constraint project_tokens_token_hash_key UNIQUE (token_hash)
);
CREATE INDEX project_tokens_creator ON public.project_tokens USING btree (created_by_user_id) WHERE (created_by_user_id IS NOT NULL);
CREATE INDEX project_tokens_live ON public.project_tokens USING btree (project_id, kind) WHERE (revoked_at IS NULL);
CREATE INDEX project_tokens_project ON public.project_tokens USING btree (project_id, created_at);

create table project_usage (
  project_id uuid not null,
  month_started_at timestamp(3) with time zone not null,
  meter text not null,
  used bigint not null,
  constraint project_usage_pkey PRIMARY KEY (project_id, month_started_at, meter),
  constraint project_usage_meter_check CHECK ((meter = ANY (ARRAY['monthly_raw_ingested_events'::text, 'monthly_bundle_requests'::text, 'monthly_alert_deliveries'::text])))
) with (fillfactor=70);

create table projects (
  project_id uuid not null,
  organization_id uuid,
  name text not null,
  slug text not null,
  environment_default text default 'production'::text not null,
  capture_preset text not null,
  capture_overrides jsonb default '{}'::jsonb not null,
  user_key bytea not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  deleted_at timestamp(3) with time zone,
  weekly_report_timezone text default 'UTC'::text not null,
  capture_version bigint default 0 not null,
  capture_rule_count integer default 0 not null,
  automated_improvement_bundles_enabled boolean default true not null,
  improvement_bundle_sensitivity text default 'high_confidence'::text not null,
  retention_due_at timestamp(3) with time zone default (culprit_now() + '01:00:00'::interval) not null,
  raw_kept_from date default ((culprit_now() AT TIME ZONE 'UTC'::text))::date not null,
  events_kept_from timestamp(3) with time zone,
  raw_merged_until timestamp(3) with time zone,
  stack_rules text[] default '{}'::text[] not null,
  learns_slots boolean default true not null,
  maps_version bigint default 0 not null,
  shows_source boolean default true not null,
  incident_key text not null,
  former_incident_keys text[] default '{}'::text[] not null,
  resolves_after_days smallint,
  silence_checked_at timestamp(3) with time zone default '-infinity'::timestamp with time zone not null,
  release_deletions integer default 0 not null,
  constraint projects_pkey PRIMARY KEY (project_id),
  constraint projects_capture_preset_check CHECK ((capture_preset = ANY (ARRAY['minimal'::text, 'balanced'::text, 'investigative'::text]))),
  constraint projects_capture_rule_count_check CHECK (((capture_rule_count >= 0) AND (capture_rule_count <= 200))),
  constraint projects_improvement_bundle_sensitivity_check CHECK ((improvement_bundle_sensitivity = ANY (ARRAY['high_confidence'::text, 'balanced'::text, 'verbose'::text]))),
  constraint projects_incident_key_check CHECK ((incident_key ~ '^[A-Z][A-Z0-9]{1,9}$'::text)),
  constraint projects_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id) ON DELETE SET NULL,
  constraint projects_organization_of_live CHECK (((organization_id IS NOT NULL) OR (deleted_at IS NOT NULL))),
  constraint projects_resolves_after_days_check CHECK (((resolves_after_days >= 1) AND (resolves_after_days <= 90)))
);
CREATE UNIQUE INDEX projects_incident_key ON public.projects USING btree (incident_key) WHERE (deleted_at IS NULL);
CREATE INDEX projects_organization ON public.projects USING btree (organization_id);
CREATE INDEX projects_resolving ON public.projects USING btree (silence_checked_at) WHERE ((resolves_after_days IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX projects_retention ON public.projects USING btree (retention_due_at) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX projects_slug ON public.projects USING btree (organization_id, slug) WHERE (deleted_at IS NULL);

create table rate_windows (
  token_id uuid not null,
  started_at timestamp(3) with time zone not null,
  requests integer not null,
  events integer not null,
  constraint rate_windows_pkey PRIMARY KEY (token_id)
) with (fillfactor=50);

create table regroupings (
  regrouping_id uuid not null,
  project_id uuid not null,
  created_at timestamp(3) with time zone not null,
  created_by_user_id uuid,
  stack_rules_before text[] not null,
  stack_rules text[] not null,
  hours integer not null,
  merged_incidents integer not null,
  led_keys integer not null,
  split_incidents integer not null,
  events_seen integer not null,
  is_complete boolean not null,
  undone_at timestamp(3) with time zone,
  undone_by_user_id uuid,
  constraint regroupings_pkey PRIMARY KEY (regrouping_id)
);
CREATE INDEX regroupings_project ON public.regroupings USING btree (project_id, created_at);

create table rejections (
  project_id uuid not null,
  hour timestamp(3) with time zone not null,
  token_id uuid not null,
  reason text not null,
  events bigint not null,
  last_at timestamp(3) with time zone not null,
  constraint rejections_pkey PRIMARY KEY (project_id, hour, token_id, reason),
  constraint rejections_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id)
) with (fillfactor=70);

create table release_commits (
  project_id uuid not null,
  release_id uuid not null,
  position integer not null,
  sha text not null,
  author_name text,
  message text not null,
  committed_at timestamp(3) with time zone,
  constraint release_commits_pkey PRIMARY KEY (project_id, release_id, "position")
);

create table release_days (
  project_id uuid not null,
  release_id uuid not null,
  day date not null,
  events bigint default 0 not null,
  new_incidents integer default 0 not null,
  regressed_incidents integer default 0 not null,
  constraint release_days_pkey PRIMARY KEY (project_id, release_id, day)
);

create table release_services (
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  release_id uuid not null,
  first_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone,
  is_run boolean default false not null,
  constraint release_services_pkey PRIMARY KEY (project_id, service_name, environment, release_id)
);
CREATE INDEX release_services_release ON public.release_services USING btree (project_id, release_id);

create table releases (
  project_id uuid not null,
  release_id uuid not null,
  version text not null,
  created_by text not null,
  is_of_browsers boolean default false not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  first_at timestamp(3) with time zone not null,
  last_seen_at timestamp(3) with time zone,
  last_named_at timestamp(3) with time zone default culprit_now() not null,
  commit_sha text,
  branch text,
  url text,
  constraint releases_pkey PRIMARY KEY (project_id, release_id),
  constraint releases_created_by_check CHECK ((created_by = ANY (ARRAY['event'::text, 'deploy'::text, 'upload'::text, 'api'::text])))
);
CREATE INDEX releases_listed ON public.releases USING btree (project_id, first_at DESC, release_id DESC);
CREATE UNIQUE INDEX releases_version ON public.releases USING btree (project_id, version);

create table schema_migrations (
  name text not null,
  checksum text not null,
  needs text,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table services (
  service_id uuid not null,
  project_id uuid not null,
  name text not null,
  environment text not null,
  runtime text,
  framework text,
  last_seen_at timestamp(3) with time zone not null,
  constraint services_pkey PRIMARY KEY (service_id),
  constraint services_project_id_name_environment_key UNIQUE (project_id, name, environment)
);

create table sessions (
  session_id uuid not null,
  user_id uuid not null,
  secret_hash bytea not null,
  organization_id uuid not null,
  created_at timestamp(3) with time zone not null,
  expires_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone not null,
  revoked_at timestamp(3) with time zone,
  address_class text,
  browser text,
  constraint sessions_pkey PRIMARY KEY (session_id),
  constraint sessions_secret_hash_key UNIQUE (secret_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id, created_at);

create table sign_in_codes (
  email text not null,
  browser_hash bytea not null,
  code_hash bytea,
  expires_at timestamp(3) with time zone,
  attempts integer default 0 not null,
  requested_trial_plan text,
  failed_at timestamp(3) with time zone[] default '{}'::timestamp with time zone[] not null,
  signed_in_at timestamp(3) with time zone,
  kept_until timestamp(3) with time zone not null,
  constraint sign_in_codes_pkey PRIMARY KEY (email, browser_hash),
  constraint sign_in_codes_email_check CHECK ((email = lower(email))),
  constraint sign_in_codes_requested_trial_plan_check CHECK ((requested_trial_plan = ANY (ARRAY['solo'::text, 'team'::text])))
);
CREATE INDEX sign_in_codes_kept ON public.sign_in_codes USING btree (kept_until);

create table sign_in_mails (
  email text not null,
  sent_at timestamp(3) with time zone not null,
  browser_hash bytea not null,
  client_hash bytea not null,
  is_known boolean not null,
  constraint sign_in_mails_email_check CHECK ((email = lower(email)))
);
CREATE INDEX sign_in_mails_address ON public.sign_in_mails USING btree (email, sent_at);
CREATE INDEX sign_in_mails_sent ON public.sign_in_mails USING btree (sent_at);

create table sign_in_rates (
  bucket text not null,
  client text not null,
  started_at timestamp(3) with time zone not null,
  requests integer not null,
  constraint sign_in_rates_pkey PRIMARY KEY (bucket, client)
) with (fillfactor=70);
CREATE INDEX sign_in_rates_started ON public.sign_in_rates USING btree (started_at);

create table slack_destinations (
  slack_destination_id uuid not null,
  organization_id uuid not null,
  slack_team_id text not null,
  slack_team_name text,
  slack_channel_id text not null,
  slack_channel_name text,
  installed_by_member_id uuid,
  sealed_url bytea not null,
  is_active boolean default true not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  constraint slack_destinations_pkey PRIMARY KEY (slack_destination_id),
  constraint slack_destinations_installed_by_member_id_fkey FOREIGN KEY (installed_by_member_id) REFERENCES users(user_id) ON DELETE SET NULL,
  constraint slack_destinations_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(organization_id) ON DELETE CASCADE,
  constraint slack_destinations_organization_id_slack_team_id_slack_chan_key UNIQUE (organization_id, slack_team_id, slack_channel_id)
);
CREATE INDEX slack_destinations_installer ON public.slack_destinations USING btree (installed_by_member_id) WHERE (installed_by_member_id IS NOT NULL);
CREATE INDEX slack_destinations_list ON public.slack_destinations USING btree (organization_id, created_at DESC, slack_destination_id DESC);

create table slack_installs (
  state_hash bytea not null,
  user_id uuid not null,
  project_id uuid not null,
  return_to text not null,
  is_browser_bound boolean not null,
  expires_at timestamp(3) with time zone not null,
  constraint slack_installs_pkey PRIMARY KEY (state_hash),
  constraint slack_installs_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE,
  constraint slack_installs_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX slack_installs_expiry ON public.slack_installs USING btree (expires_at);
CREATE INDEX slack_installs_project ON public.slack_installs USING btree (project_id);
CREATE INDEX slack_installs_user ON public.slack_installs USING btree (user_id);

create table snooze_memories (
  project_id uuid not null,
  service_name text not null,
  environment text not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  snoozed_until timestamp(3) with time zone not null,
  occurrences_left bigint,
  users_left integer,
  wake_after_deploy_at timestamp(3) with time zone,
  wake_at_hourly integer,
  snoozed_by_user_id uuid,
  snooze_reason text,
  constraint snooze_memories_pkey PRIMARY KEY (project_id, service_name, environment, fingerprint_version, fingerprint)
);
CREATE INDEX snooze_memories_expiry ON public.snooze_memories USING btree (snoozed_until);

create table source_map_names (
  project_id uuid not null,
  found_by text not null,
  key text not null,
  base_hash bigint not null,
  source_map_id uuid not null,
  path text not null,
  constraint source_map_names_pkey PRIMARY KEY (project_id, found_by, key, base_hash, source_map_id),
  constraint source_map_names_found_by_check CHECK ((found_by = ANY (ARRAY['id'::text, 'file'::text])))
);
CREATE UNIQUE INDEX source_map_names_id ON public.source_map_names USING btree (project_id, key) WHERE (found_by = 'id'::text);
CREATE INDEX source_map_names_map ON public.source_map_names USING btree (project_id, source_map_id);

create table source_maps (
  project_id uuid not null,
  source_map_id uuid not null,
  path text not null,
  debug_id uuid,
  releases text[] not null,
  removed_reason text,
  removed_at timestamp(3) with time zone,
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
  object_key text,
  created_at timestamp(3) with time zone default culprit_now() not null,
  last_needed_at timestamp(3) with time zone default culprit_now() not null,
  uploaded_by uuid,
  code_sha256 bytea not null,
  constraint source_maps_pkey PRIMARY KEY (project_id, source_map_id),
  constraint source_maps_removed_reason_check CHECK ((removed_reason = ANY (ARRAY['unused'::text, 'budget'::text, 'replaced'::text, 'deleted'::text])))
);
CREATE UNIQUE INDEX source_maps_bytes ON public.source_maps USING btree (project_id, map_sha256, generated_sha256) WHERE (removed_at IS NULL);
CREATE INDEX source_maps_listed ON public.source_maps USING btree (project_id, created_at DESC, source_map_id DESC);
CREATE INDEX source_maps_needed ON public.source_maps USING btree (project_id, last_needed_at) WHERE (removed_at IS NULL);
CREATE INDEX source_maps_removed ON public.source_maps USING btree (removed_at) WHERE (removed_at IS NOT NULL);

create table suppression_keys (
  service_id uuid not null,
  client_key bigint not null,
  project_id uuid not null,
  incident_id uuid not null,
  seen_at timestamp(3) with time zone not null,
  constraint suppression_keys_pkey PRIMARY KEY (service_id, client_key)
) with (fillfactor=90);

create table unnamed_releases (
  project_id uuid not null,
  day date not null,
  name_hash bigint not null,
  constraint unnamed_releases_pkey PRIMARY KEY (project_id, day, name_hash)
);
CREATE INDEX unnamed_releases_day ON public.unnamed_releases USING btree (day);

create table usage_counters (
  organization_id uuid not null,
  window_started_at timestamp(3) with time zone not null,
  meter text not null,
  used bigint not null,
  carried bigint default 0 not null,
  noticed_percent smallint default 0 not null,
  constraint usage_counters_pkey PRIMARY KEY (organization_id, window_started_at, meter)
) with (fillfactor=70);

create table users (
  user_id uuid not null,
  email text not null,
  email_verified_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone default culprit_now() not null,
  terms_accepted_at timestamp(3) with time zone,
  has_used_email boolean default false not null,
  has_used_github boolean default false not null,
  github_id bigint,
  name text,
  handle text not null,
  constraint users_pkey PRIMARY KEY (user_id),
  constraint users_handle_check CHECK ((handle ~ '^[a-z0-9][a-z0-9._-]{1,38}$'::text)),
  constraint users_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 80)))
);
CREATE UNIQUE INDEX users_email ON public.users USING btree (lower(email));
CREATE UNIQUE INDEX users_github ON public.users USING btree (github_id) WHERE (github_id IS NOT NULL);
CREATE UNIQUE INDEX users_handle ON public.users USING btree (handle);

create table views (
  view_id uuid not null,
  project_id uuid,
  owner_user_id uuid,
  created_by_user_id uuid,
  name text not null,
  q text not null,
  status text not null,
  sort text not null,
  position integer not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  constraint views_pkey PRIMARY KEY (view_id),
  constraint views_check CHECK (((project_id IS NOT NULL) OR (owner_user_id IS NOT NULL))),
  constraint views_created_by_user_id_fkey FOREIGN KEY (created_by_user_id) REFERENCES users(user_id) ON DELETE SET NULL,
  constraint views_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60))),
  constraint views_owner_user_id_fkey FOREIGN KEY (owner_user_id) REFERENCES users(user_id) ON DELETE CASCADE
);
CREATE INDEX views_maker ON public.views USING btree (created_by_user_id);
CREATE INDEX views_owner ON public.views USING btree (owner_user_id) WHERE (owner_user_id IS NOT NULL);
CREATE INDEX views_project ON public.views USING btree (project_id) WHERE (project_id IS NOT NULL);

create table webhook_deliveries (
  delivery_id uuid not null,
  webhook_id uuid not null,
  project_id uuid not null,
  event_type text not null,
  lifecycle_id bigint,
  body text not null,
  status text not null,
  attempt_count integer default 0 not null,
  next_attempt_at timestamp(3) with time zone default culprit_now(),
  is_explicit boolean default false not null,
  claim_number integer default 0 not null,
  leased_until timestamp(3) with time zone,
  is_retry_waiting boolean default false not null,
  last_response_code integer,
  last_attempted_at timestamp(3) with time zone,
  last_error text,
  created_at timestamp(3) with time zone default culprit_now() not null,
  delivered_at timestamp(3) with time zone,
  attempts jsonb default '[]'::jsonb not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (delivery_id),
  constraint webhook_deliveries_check CHECK (((next_attempt_at IS NOT NULL) = (status = ANY (ARRAY['pending'::text, 'retrying'::text])))),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'retrying'::text, 'failed'::text, 'disabled'::text]))),
  constraint webhook_deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(webhook_id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX webhook_deliveries_list ON public.webhook_deliveries USING btree (webhook_id, created_at DESC, delivery_id DESC);
CREATE INDEX webhook_deliveries_old ON public.webhook_deliveries USING brin (created_at);
CREATE UNIQUE INDEX webhook_deliveries_source ON public.webhook_deliveries USING btree (webhook_id, lifecycle_id, event_type) WHERE (lifecycle_id IS NOT NULL);
CREATE INDEX webhook_deliveries_waiting ON public.webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE (next_attempt_at IS NOT NULL);

create table webhooks (
  webhook_id uuid not null,
  project_id uuid not null,
  created_by_user_id uuid not null,
  url text not null,
  events text[] not null,
  filters jsonb default '{}'::jsonb not null,
  is_enabled boolean not null,
  sealed_secret bytea not null,
  failed_attempts integer default 0 not null,
  first_failed_at timestamp(3) with time zone,
  pace text default 'unknown'::text not null,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  constraint webhooks_pkey PRIMARY KEY (webhook_id),
  constraint webhooks_pace_check CHECK ((pace = ANY (ARRAY['unknown'::text, 'quick'::text, 'slow'::text]))),
  constraint webhooks_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX webhooks_project ON public.webhooks USING btree (project_id, created_at DESC, webhook_id DESC);

create table weekly_report_channels (
  channel_id uuid not null,
  project_id uuid not null,
  channel text not null,
  config jsonb not null,
  day_of_week text not null,
  hour_of_day smallint not null,
  timezone text not null,
  is_enabled boolean default true not null,
  next_due_at timestamp(3) with time zone,
  planned_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone default culprit_now() not null,
  updated_at timestamp(3) with time zone default culprit_now() not null,
  sent_now_at timestamp(3) with time zone,
  constraint weekly_report_channels_pkey PRIMARY KEY (channel_id),
  constraint weekly_report_channels_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'slack'::text]))),
  constraint weekly_report_channels_check CHECK (((next_due_at IS NULL) = (planned_at IS NULL))),
  constraint weekly_report_channels_day_of_week_check CHECK ((day_of_week = ANY (ARRAY['monday'::text, 'tuesday'::text, 'wednesday'::text, 'thursday'::text, 'friday'::text, 'saturday'::text, 'sunday'::text]))),
  constraint weekly_report_channels_hour_of_day_check CHECK (((hour_of_day >= 0) AND (hour_of_day <= 23))),
  constraint weekly_report_channels_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(project_id) ON DELETE CASCADE
);
CREATE INDEX weekly_report_channels_destination ON public.weekly_report_channels USING btree (((config ->> 'slack_destination_id'::text))) WHERE (config ? 'slack_destination_id'::text);
CREATE INDEX weekly_report_channels_due ON public.weekly_report_channels USING btree (next_due_at) WHERE is_enabled;
CREATE UNIQUE INDEX weekly_report_channels_email ON public.weekly_report_channels USING btree (project_id) WHERE (channel = 'email'::text);
CREATE INDEX weekly_report_channels_list ON public.weekly_report_channels USING btree (project_id, created_at DESC, channel_id DESC);
CREATE INDEX weekly_report_channels_planned ON public.weekly_report_channels USING btree (planned_at) WHERE is_enabled;
CREATE INDEX weekly_report_channels_recipients ON public.weekly_report_channels USING gin (((config -> 'to'::text))) WHERE (channel = 'email'::text);
CREATE INDEX weekly_report_channels_unsealed ON public.weekly_report_channels USING btree (channel_id) WHERE (COALESCE((config ->> 'webhook_url'::text), (config ->> 'target_url'::text)) !~~ 'sealed:%'::text);

create table weekly_reports (
  channel_id uuid not null,
  week date not null,
  made_at timestamp(3) with time zone default culprit_now() not null,
  constraint weekly_reports_pkey PRIMARY KEY (channel_id, week),
  constraint weekly_reports_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES weekly_report_channels(channel_id) ON DELETE CASCADE
);
CREATE INDEX weekly_reports_old ON public.weekly_reports USING brin (made_at);

CREATE TRIGGER incidents_titles AFTER INSERT ON public.incidents REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_incident_titles();

CREATE TRIGGER projects_give_incident_key BEFORE INSERT ON public.projects FOR EACH ROW WHEN ((new.incident_key IS NULL)) EXECUTE FUNCTION give_incident_key();

CREATE TRIGGER users_give_handle BEFORE INSERT ON public.users FOR EACH ROW WHEN ((new.handle IS NULL)) EXECUTE FUNCTION give_handle();
