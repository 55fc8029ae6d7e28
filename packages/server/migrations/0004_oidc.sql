-- Sign-in by OpenID Connect (team-workflow.md 9).

alter table users add column has_used_oidc boolean not null default false;

-- Which person of a provider has which account. The subject is the provider's id of the person, which never changes.
create table oidc_identities (
  issuer text not null check (char_length(issuer) <= 2000),
  subject text not null check (char_length(subject) between 1 and 255),
  user_id uuid not null references users (user_id) on delete cascade,
  linked_at timestamptz(3) not null default culprit_now(),
  last_sign_in_at timestamptz(3) not null default culprit_now(),
  primary key (issuer, subject),
  -- A second subject with the address of an account is another person.
  unique (issuer, user_id)
);
create index oidc_identities_user on oidc_identities (user_id);

-- Browser sign-ins in progress, found by the SHA-256 of their state.
create table oidc_sign_ins (
  state_hash bytea primary key,
  return_to text not null,
  expires_at timestamptz(3) not null
);
create index oidc_sign_ins_expiry on oidc_sign_ins (expires_at);

-- Sign-ins of programs that a person approves in the browser (team-workflow.md 9.5). The request id is a secret of its
-- program, and so is the code until it is approved: both are hashed.
create table cli_sign_ins (
  request_hash bytea primary key,
  user_code_hash bytea not null unique,
  label text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'claimed', 'denied')),
  access text check (access in ('full', 'read')),
  -- The kind of network of the program.
  address_class text not null,
  user_id uuid references users (user_id) on delete cascade,
  created_at timestamptz(3) not null default culprit_now(),
  expires_at timestamptz(3) not null,
  check ((access is not null) = (status in ('approved', 'claimed'))),
  check ((user_id is not null) = (status in ('approved', 'claimed')))
);
create index cli_sign_ins_expiry on cli_sign_ins (expires_at);
create index cli_sign_ins_user on cli_sign_ins (user_id) where user_id is not null;

-- What people in a group of the provider get at each sign-in (team-workflow.md 9.4).
create table group_grants (
  grant_id uuid primary key,
  organization_id uuid not null references organizations (organization_id) on delete cascade,
  group_name text not null check (char_length(group_name) between 1 and 200),
  role text not null check (role in ('admin', 'member')),
  -- Null: every project of the organization.
  project_id uuid references projects (project_id) on delete cascade,
  created_at timestamptz(3) not null default culprit_now(),
  unique nulls not distinct (organization_id, group_name, project_id)
);
create index group_grants_group on group_grants (group_name);
create index group_grants_project on group_grants (project_id) where project_id is not null;

-- Memberships to which groups contribute. The row of `project_members` has the higher of both roles.
create table group_memberships (
  project_id uuid not null,
  user_id uuid not null,
  -- The role that the groups give.
  role text not null check (role in ('admin', 'member')),
  -- The role that people gave; null: the membership is there because of the groups alone.
  manual_role text check (manual_role in ('admin', 'member')),
  primary key (project_id, user_id),
  foreign key (project_id, user_id) references project_members (project_id, user_id) on delete cascade
);
create index group_memberships_user on group_memberships (user_id);
