-- Connected Slack destinations (notifications.md 2).

-- One channel of a workspace that an organization's messages may go to.
create table slack_destinations (
  slack_destination_id uuid primary key,
  organization_id uuid not null references organizations (organization_id) on delete cascade,
  slack_team_id text not null,
  slack_team_name text,
  slack_channel_id text not null,
  slack_channel_name text,
  -- Who connected it last.
  installed_by_member_id uuid references users (user_id) on delete set null,
  -- The address of its incoming webhook, encrypted for this row.
  sealed_url bytea not null,
  -- False after Slack refused it for good.
  is_active boolean not null default true,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  -- Connecting again changes the row that rules and reports name.
  unique (organization_id, slack_team_id, slack_channel_id)
);
create index slack_destinations_list on slack_destinations
  (organization_id, created_at desc, slack_destination_id desc);
create index slack_destinations_installer on slack_destinations (installed_by_member_id)
  where installed_by_member_id is not null;

-- Connections under way. The state itself is nowhere: only its SHA-256.
create table slack_installs (
  state_hash bytea primary key,
  user_id uuid not null references users (user_id) on delete cascade,
  project_id uuid not null references projects (project_id) on delete cascade,
  return_to text not null,
  -- Begun in a browser, which then keeps the state in a cookie.
  is_browser_bound boolean not null,
  expires_at timestamptz(3) not null
);
create index slack_installs_expiry on slack_installs (expires_at);
create index slack_installs_user on slack_installs (user_id);
create index slack_installs_project on slack_installs (project_id);
