-- What a snooze needs where signals are counted, and what is kept of one whose incident is removed
-- (docs/contract/team-workflow.md 3).

-- Occurrences when it was snoozed.
alter table incidents add column snoozed_count bigint;
alter table incident_triage drop column snoozed_count;
create index incidents_waking on incidents (snoozed_until) where snoozed_until is not null;

-- Keys of snoozed incidents that retention removed: an incident that opens with one is born snoozed.
create table snooze_memories (
  project_id uuid not null,
  service_name text collate "C" not null,
  environment text collate "C" not null,
  fingerprint_version text not null,
  fingerprint bytea not null,
  snoozed_until timestamptz(3) not null,
  -- What was left of each condition.
  occurrences_left bigint,
  users_left integer,
  wake_after_deploy_at timestamptz(3),
  wake_at_hourly integer,
  snoozed_by_user_id uuid,
  snooze_reason text,
  primary key (project_id, service_name, environment, fingerprint_version, fingerprint)
);
create index snooze_memories_expiry on snooze_memories (snoozed_until);
