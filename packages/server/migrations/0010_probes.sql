-- Remote probes (ingestion.md 6).

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
  -- Whole seconds, as they are told (ingestion.md 3.9).
  expires_at timestamptz(0) not null,
  trigger_expires_at timestamptz(0) not null,
  deactivated_at timestamptz(3)
);
create index probe_activations_project on probe_activations (project_id, expires_at);
create index probe_activations_live on probe_activations (expires_at) where deactivated_at is null;
create index probe_activations_user on probe_activations (activated_by_user_id);

-- The probes of a project that are active at a moment, oldest first, as clients are told of them; null for none.
-- PL/pgSQL, because it keeps the plan: the admission of events calls this for each request.
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
