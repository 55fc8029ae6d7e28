-- People who watch an incident (docs/contract/team-workflow.md 4.1).
create table incident_watchers (
  project_id uuid not null,
  incident_id uuid not null,
  user_id uuid not null references users (user_id) on delete cascade,
  created_at timestamptz(3) not null default culprit_now(),
  primary key (project_id, incident_id, user_id)
);
create index incident_watchers_incident on incident_watchers (incident_id);
create index incident_watchers_user on incident_watchers (user_id);

-- Where a person is told besides mail (6.4): the topic at an ntfy server, sealed like the receivers of alerts.
alter table personal_settings add column ntfy jsonb;
