-- Invites to projects (incidents.md 7.5) and the deletion of accounts (account.md 5).

create table project_invites (
  invite_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('admin', 'member')),
  -- SHA-256 of the plaintext, which only the mail holds.
  token_hash bytea not null unique,
  -- Stays when the person deletes their account: a mere number then.
  invited_by_user_id uuid not null,
  created_at timestamptz(3) not null default culprit_now(),
  expires_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  canceled_at timestamptz(3),
  check (accepted_at is null or canceled_at is null)
);
-- An invite is open while neither is set and `expires_at` lies ahead; the last part is asked of the clock by each query.
create index project_invites_list on project_invites (project_id, created_at desc, invite_id desc);
-- When an invite became final, or will.
create index project_invites_final on project_invites (coalesce(accepted_at, canceled_at, expires_at));
create index project_invites_address on project_invites (email, project_id);

-- The one code with which a person may delete their account.
create table account_deletion_codes (
  user_id uuid primary key references users (user_id) on delete cascade,
  -- HMAC of purpose, address and code; null without a code that could still be used.
  code_hash bytea,
  expires_at timestamptz(3) not null,
  -- Tries counted before each comparison.
  attempts integer not null default 0,
  -- Times of the messages of the last hour, the oldest first.
  sent_at timestamptz(3)[] not null
);
create index account_deletion_codes_expiry on account_deletion_codes (expires_at);

-- What is left when a person and their organization are deleted. Projects outlive both for a while: their data goes by
-- a job, and until then the row says that they are deleted. A live project always has an organization.
alter table projects
  alter column organization_id drop not null,
  drop constraint projects_organization_id_fkey,
  add constraint projects_organization_id_fkey foreign key (organization_id)
    references organizations (organization_id) on delete set null,
  add constraint projects_organization_of_live check (organization_id is not null or deleted_at is not null);
create index projects_organization on projects (organization_id);
alter table project_members
  drop constraint project_members_user_id_fkey,
  add constraint project_members_user_id_fkey foreign key (user_id) references users (user_id) on delete cascade;
alter table project_tokens
  drop constraint project_tokens_created_by_user_id_fkey,
  add constraint project_tokens_created_by_user_id_fkey foreign key (created_by_user_id)
    references users (user_id) on delete set null;
create index project_tokens_creator on project_tokens (created_by_user_id) where created_by_user_id is not null;
-- A token's organization is what its record showed when it was made, which may be a project owner's (account.md 1.7).
alter table member_tokens
  drop constraint member_tokens_user_id_fkey,
  add constraint member_tokens_user_id_fkey foreign key (user_id) references users (user_id) on delete cascade,
  drop constraint member_tokens_organization_id_fkey;
