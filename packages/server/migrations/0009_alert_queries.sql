-- Queries of alert rules (docs/contract/notifications.md 1.23), and rules about snoozes that end early (1.24).
alter table alert_rules
  add column query text check (char_length(query) between 1 and 300),
  -- Whether it asks for what is only known some seconds later, when tags are counted.
  add column is_judged_late boolean not null default false,
  drop constraint alert_rules_condition_type_check,
  add constraint alert_rules_condition_type_check check (condition_type in ('new_incident', 'incident_regressed',
    'error_spike', 'severity_threshold', 'regression_after_deploy', 'occurrence_threshold', 'snooze_ended'));
