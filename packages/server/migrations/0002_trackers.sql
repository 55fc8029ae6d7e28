-- Issue trackers (team-workflow.md 7) --------------------------------------------------------------------------------

-- A connection of a project. The row itself is claimed, as checks are: everything to do with one tracker is done by
-- one process at a time, so no two create the same ticket.
create table trackers (
  tracker_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  created_by_user_id uuid,
  kind text not null check (kind in ('github', 'jira', 'gitlab', 'linear')),
  name text not null,
  base_url text not null,
  target text not null,
  user_name text,
  issue_type text,
  -- Token and webhook secret, each encrypted for this row.
  sealed_token bytea not null,
  sealed_hook_secret bytea,
  -- SHA-256 of the last part of the webhook's address.
  hook_token_hash bytea unique,
  hook_received_at timestamptz(3),
  close_on_resolve boolean not null,
  reopen_on_regress boolean not null,
  resolve_on_close boolean not null,
  wont_fix text not null check (wont_fix in ('snooze', 'resolve', 'nothing')),
  account text,
  -- The token was refused: nothing is asked until a test succeeds.
  is_stopped boolean not null default false,
  last_error text,
  failures integer not null default 0,
  -- Changes of tickets are known up to here, and when the latest came.
  read_until timestamptz(3) not null default culprit_now(),
  changed_at timestamptz(3) not null default culprit_now(),
  -- Null: nothing is to do. No earlier than `not_before`, which the tracker asked for.
  due_at timestamptz(3),
  not_before timestamptz(3),
  -- Set when something is to do; while a claim works, it is done again.
  asked_at timestamptz(3),
  claimed_at timestamptz(3),
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now()
) with (fillfactor = 70);
create index trackers_project on trackers (project_id, created_at, tracker_id);
create index trackers_due on trackers (due_at) where due_at is not null;

-- A ticket of an incident, or a plain address, which has no tracker.
create table incident_links (
  link_id uuid primary key,
  project_id uuid not null,
  incident_id uuid not null,
  tracker_id uuid,
  -- Whether the ticket is ours to create.
  is_created boolean not null default false,
  -- The tracker's own id, which outlives moves; null until the ticket is there.
  remote_id text,
  key text,
  url text,
  title text,
  state text not null check (state in ('pending', 'open', 'closed', 'gone', 'failed')),
  state_name text,
  assignee_name text,
  -- Requests that may have created the ticket.
  attempts integer not null default 0,
  -- What both sides were when they were compared last: a side that differs from it has changed since.
  seen_resolved boolean not null default false,
  seen_closed boolean not null default false,
  moves integer not null default 0,
  moves_since timestamptz(3),
  is_paused boolean not null default false,
  last_error text,
  synced_at timestamptz(3),
  created_by_user_id uuid,
  created_at timestamptz(3) not null default culprit_now()
);
create index incident_links_incident on incident_links (incident_id, created_at, link_id);
create index incident_links_tracker on incident_links (tracker_id, remote_id) where tracker_id is not null;
create index incident_links_project on incident_links (project_id, link_id);

-- The check is not compared with the rows that are there, which have fewer kinds.
alter table lifecycle_events drop constraint lifecycle_events_kind_check;
alter table lifecycle_events add constraint lifecycle_events_kind_check check (kind in ('incident.opened',
  'incident.regressed', 'incident.resolved', 'incident.reopened', 'incident.spike_detected',
  'incident.severity_raised', 'incident.merged', 'incident.split', 'incident.assigned', 'incident.unassigned',
  'incident.prioritized', 'incident.snoozed', 'incident.woke', 'incident.noted', 'incident.fix_proposed',
  'incident.linked', 'incident.unlinked', 'incident.link_state_changed', 'incident.remapped',
  'incident.seen_in_old_release', 'bundle.created', 'bundle.updated', 'improvement_bundle.created')) not valid;
