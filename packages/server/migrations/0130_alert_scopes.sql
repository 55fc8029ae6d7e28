-- What narrows an alert rule beside its service, and its name (docs/contract/notifications.md 1.2). Null: no restriction.
alter table alert_rules
  add column name text,
  add column services text[],
  add column environments text[],
  add check (service_id is null or services is null);
