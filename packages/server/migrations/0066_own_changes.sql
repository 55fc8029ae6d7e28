-- When somebody last asked for a report outside its schedule.
alter table weekly_report_channels add column sent_now_at timestamptz(3);

-- Codes with which people move their account to another address (docs/contract/server-additions.md S17).
create table email_change_codes (
  user_id uuid primary key references users on delete cascade,
  email text not null,
  -- Null once it was used.
  code_hash bytea,
  expires_at timestamptz(3) not null,
  attempts integer not null default 0,
  -- Messages of the last hour.
  sent_at timestamptz(3)[] not null
);
create index email_change_codes_expiry on email_change_codes (expires_at);
