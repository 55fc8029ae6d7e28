-- Sign-in with GitHub (account.md 3).

-- GitHub's number of the person: names and addresses change there, the number never does.
alter table users add column github_id bigint;
create unique index users_github on users (github_id) where github_id is not null;

-- Browser sign-ins under way. Neither the state nor the PKCE verifier is here: the one is a hash, the other is derived
-- from the state with the server's key.
create table github_sign_ins (
  state_hash bytea primary key,
  return_to text not null,
  expires_at timestamptz(3) not null
);
create index github_sign_ins_expiry on github_sign_ins (expires_at);

-- Device flows under way. The request id is a secret of its holder, so only its SHA-256 is kept.
create table device_requests (
  request_hash bytea primary key,
  status text not null default 'pending'
    check (status in ('pending', 'approved', 'claimed', 'denied', 'expired', 'rejected')),
  -- Why it was rejected.
  reason text check (reason in ('github_email_missing', 'signup_closed', 'github_identity_conflict')),
  -- GitHub's code, encrypted; gone with the first answer that ends the waiting.
  sealed_device_code bytea,
  interval_seconds integer not null check (interval_seconds > 0),
  -- GitHub is not asked before; moved ahead by the poll that asks, so that only one does.
  next_ask_at timestamptz(3) not null default culprit_now(),
  user_id uuid references users (user_id) on delete cascade,
  expires_at timestamptz(3) not null,
  check ((user_id is not null) = (status in ('approved', 'claimed'))),
  check ((reason is not null) = (status = 'rejected')),
  check (sealed_device_code is null or status = 'pending')
);
create index device_requests_expiry on device_requests (expires_at);
create index device_requests_codes on device_requests (expires_at) where sealed_device_code is not null;
create index device_requests_user on device_requests (user_id) where user_id is not null;
