-- What people and operators did (account.md 13). Never secrets, never event text.
create table audit_log (
  audit_id bigint generated always as identity primary key,
  at timestamptz(3) not null default culprit_now(),
  action text not null,
  -- Null where nobody is known, such as a failed sign-in.
  actor_user_id uuid,
  organization_id uuid,
  project_id uuid,
  -- The record it was done to, as `kind` or `kind:id`; ids only.
  subject text,
  -- Loopback, private or public network, and its version: enough to notice, not enough to follow a person.
  address_class text,
  data jsonb not null default '{}'
);
create index audit_log_organization on audit_log (organization_id, audit_id desc) where organization_id is not null;
create index audit_log_project on audit_log (project_id, audit_id desc) where project_id is not null;
create index audit_log_actor on audit_log (actor_user_id, audit_id desc) where actor_user_id is not null;
