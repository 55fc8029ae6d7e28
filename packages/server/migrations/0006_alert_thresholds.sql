-- Alert rules that wait for a number of events or users (docs/contract/notifications.md 1.22).
alter table alert_rules
  add column threshold_count integer check (threshold_count between 2 and 1000000),
  add column window_minutes integer check (window_minutes between 1 and 1440),
  add column threshold_users integer check (threshold_users between 1 and 100000),
  drop constraint alert_rules_condition_type_check,
  add constraint alert_rules_condition_type_check check (condition_type in ('new_incident', 'incident_regressed',
    'error_spike', 'severity_threshold', 'regression_after_deploy', 'occurrence_threshold')),
  add constraint alert_rules_threshold check (
    (threshold_count is null) = (window_minutes is null)
    and (condition_type = 'occurrence_threshold') = ((threshold_count is null) <> (threshold_users is null))
    and (threshold_count is null or threshold_users is null)
  );
create index alert_rules_thresholds on alert_rules (project_id)
  where condition_type = 'occurrence_threshold' and is_enabled;

alter table projects
  add column thresholds_checked_at timestamptz(3) not null default '2000-01-01 00:00:00+00';

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

alter table lifecycle_events
  drop constraint lifecycle_events_kind_check,
  add constraint lifecycle_events_kind_check check (kind in ('incident.opened', 'incident.regressed',
    'incident.resolved', 'incident.reopened', 'incident.spike_detected', 'incident.threshold_reached',
    'incident.severity_raised', 'incident.merged', 'incident.split', 'incident.assigned', 'incident.unassigned',
    'incident.prioritized', 'incident.snoozed', 'incident.woke', 'incident.noted', 'incident.fix_proposed',
    'incident.linked', 'incident.unlinked', 'incident.link_state_changed',
    'incident.remapped', 'incident.seen_in_old_release', 'bundle.created', 'bundle.updated',
    'improvement_bundle.created')) not valid;
