-- A mailed code belongs to the browser that asked for it (docs/contract/account.md 2.2, 2.3): what others try is compared
-- with nothing, and burns nothing. Releases before this one know one code of an address.
-- Needs releases that know 0100_codes_of_browsers.sql

drop table sign_in_codes;
create table sign_in_codes (
  email text not null check (email = lower(email)),
  -- SHA-256 of the browser's cookie.
  browser_hash bytea not null,
  -- HMAC of purpose, address and code; null without a code that could still be used.
  code_hash bytea,
  expires_at timestamptz(3),
  -- Tries counted before each comparison.
  attempts integer not null default 0,
  requested_trial_plan text check (requested_trial_plan in ('solo', 'team')),
  -- Times of the failed tries of the last hour, the oldest first.
  failed_at timestamptz(3)[] not null default '{}',
  -- The last sign-in of the address with this browser, which has messages of its own since.
  signed_in_at timestamptz(3),
  kept_until timestamptz(3) not null,
  primary key (email, browser_hash)
);
create index sign_in_codes_kept on sign_in_codes (kept_until);

-- Messages with codes of the last day. Lost with a crash without harm.
create unlogged table sign_in_mails (
  email text not null check (email = lower(email)),
  sent_at timestamptz(3) not null,
  browser_hash bytea not null,
  -- HMAC of the client that asked.
  client_hash bytea not null,
  -- The address had signed in with the browser before.
  is_known boolean not null
);
create index sign_in_mails_address on sign_in_mails (email, sent_at);
create index sign_in_mails_sent on sign_in_mails (sent_at);

-- Codes that confirm a change belong to the session that asked.
delete from account_deletion_codes;
alter table account_deletion_codes add column session_id uuid not null;
delete from email_change_codes;
alter table email_change_codes add column session_id uuid not null;
