-- Incidents that a person merged (docs/contract/grouping.md 6): where an alias comes from, who made it, and whether
-- the merged incident was active, so that taking it out again brings everything back.
alter table incident_aliases
  add column from_incident_id uuid,
  add column user_id uuid,
  add column was_active boolean not null default false;
create index incident_aliases_from on incident_aliases (from_incident_id) where from_incident_id is not null;

alter table lifecycle_events
  drop constraint lifecycle_events_kind_check,
  add constraint lifecycle_events_kind_check check (kind in ('incident.opened', 'incident.regressed',
    'incident.resolved', 'incident.reopened', 'incident.spike_detected', 'incident.severity_raised',
    'incident.merged', 'incident.split', 'bundle.created', 'bundle.updated', 'improvement_bundle.created'));
