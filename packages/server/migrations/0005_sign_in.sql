-- Browser sessions and sign-in codes (account.md 2).

alter table users
  add column terms_accepted_at timestamptz(3),
  -- The ways of signing in the account has used.
  add column has_used_email boolean not null default false,
  add column has_used_github boolean not null default false;

create table sessions (
  session_id uuid primary key,
  user_id uuid not null references users (user_id) on delete cascade,
  -- SHA-256 of the cookie's value.
  secret_hash bytea not null unique,
  -- Where the person belonged when they signed in; shown while they belong nowhere else.
  organization_id uuid not null,
  created_at timestamptz(3) not null,
  -- The absolute end. The idle end lies 24 hours behind `last_used_at`.
  expires_at timestamptz(3) not null,
  last_used_at timestamptz(3) not null,
  revoked_at timestamptz(3)
);
create index sessions_user on sessions (user_id, created_at);
create index sessions_expiry on sessions (expires_at);

-- One row per address that was asked about, whether anybody has it or not: so nothing tells the two apart.
create table sign_in_codes (
  email text primary key check (email = lower(email)),
  -- HMAC of purpose, address and code; null without a code that could still be used.
  code_hash bytea,
  expires_at timestamptz(3),
  -- Tries counted before each comparison.
  attempts integer not null default 0,
  requested_trial_plan text check (requested_trial_plan in ('solo', 'team')),
  -- Times of the messages and of the failed tries of the last hour, the oldest first.
  sent_at timestamptz(3)[] not null default '{}',
  failed_at timestamptz(3)[] not null default '{}',
  touched_at timestamptz(3) not null default culprit_now()
);
create index sign_in_codes_touched on sign_in_codes (touched_at);

-- Requests of one client address in the minute that began with the first of them. Lost with a crash without harm.
create unlogged table sign_in_rates (
  bucket text not null,
  client text not null,
  started_at timestamptz(3) not null,
  requests integer not null,
  primary key (bucket, client)
) with (fillfactor = 70);
create index sign_in_rates_started on sign_in_rates (started_at);
