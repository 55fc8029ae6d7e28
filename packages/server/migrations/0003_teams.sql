-- Teams (team-workflow.md 2.4): names for people who have access already. A team gives no access.

create table teams (
  team_id uuid primary key,
  organization_id uuid not null references organizations (organization_id) on delete cascade,
  -- The name by which notes mention it. Handles of people share its form.
  slug text not null check (slug ~ '^[a-z0-9][a-z0-9._-]{1,38}$'),
  name text not null check (char_length(name) between 1 and 80),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  unique (organization_id, slug)
);

create table team_members (
  team_id uuid not null references teams (team_id) on delete cascade,
  user_id uuid not null references users (user_id) on delete cascade,
  added_at timestamptz(3) not null default culprit_now(),
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

-- Personal messages (team-workflow.md 6.4) ---------------------------------------------------------------------------

-- What a person wants to be mailed, and how much was mailed today. A person without a row has the defaults.
create table personal_settings (
  user_id uuid primary key references users (user_id) on delete cascade,
  assigned boolean not null default true,
  mentioned boolean not null default true,
  own_regressed boolean not null default true,
  own_woke boolean not null default true,
  watched boolean not null default true,
  digest_minutes integer not null default 1 check (digest_minutes between 0 and 1440),
  mailed_on date,
  mails integer not null default 0
);

-- What waits to be mailed: one job for each person takes all of theirs.
create table personal_notices (
  notice_id bigint generated always as identity primary key,
  project_id uuid not null,
  user_id uuid not null references users (user_id) on delete cascade,
  incident_id uuid not null,
  reason text not null check (reason in ('assigned', 'mentioned', 'own_regressed', 'own_woke', 'watched')),
  -- Null: no person did it.
  actor_user_id uuid,
  note_id uuid,
  -- Why it woke.
  because text,
  created_at timestamptz(3) not null default culprit_now()
);
create index personal_notices_user on personal_notices (user_id, notice_id);
create index personal_notices_project on personal_notices (project_id, notice_id);
