-- Webhooks and their deliveries (notifications.md 3).

create table webhooks (
  webhook_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  -- Stays when the person goes: information, no permission.
  created_by_user_id uuid not null,
  url text not null,
  -- In the order of the contract, each once.
  events text[] not null,
  -- Only the keys that are set.
  filters jsonb not null default '{}',
  is_enabled boolean not null,
  -- The signing secret, encrypted for this row.
  sealed_secret bytea not null,
  -- Failed attempts in a row, tests and manual retries aside, and when the first of them ended (3.11).
  failed_attempts integer not null default 0,
  first_failed_at timestamptz(3),
  -- How long its latest attempt took, answered or not: slow receivers get few of the parallel sends.
  pace text not null default 'unknown' check (pace in ('unknown', 'quick', 'slow')),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now()
);
create index webhooks_project on webhooks (project_id, created_at desc, webhook_id desc);

-- One event on its way to one webhook. Claimed as the row it is: whoever raised `claim_number` last holds it, until
-- `leased_until` by the database clock.
create table webhook_deliveries (
  delivery_id uuid primary key,
  webhook_id uuid not null references webhooks (webhook_id) on delete cascade,
  project_id uuid not null,
  event_type text not null,
  -- The ledger row it tells of; null for a test.
  lifecycle_id bigint,
  -- Frozen: every attempt sends these bytes.
  body text not null,
  status text not null check (status in ('pending', 'delivered', 'retrying', 'failed', 'disabled')),
  attempt_count integer not null default 0,
  -- Null in final states, else when the next attempt is due; while one is under way, the end of its claim.
  next_attempt_at timestamptz(3) default culprit_now(),
  -- Failures of explicit requests, tests and manual retries, do not count towards the automatic disable.
  is_explicit boolean not null default false,
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  -- Somebody asked for it again while an attempt was under way: the next one starts behind that.
  is_retry_waiting boolean not null default false,
  last_response_code integer,
  last_attempted_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default culprit_now(),
  delivered_at timestamptz(3),
  check ((next_attempt_at is not null) = (status in ('pending', 'retrying')))
) with (fillfactor = 70);
-- A replayed ledger row makes no second delivery (3.9).
create unique index webhook_deliveries_source on webhook_deliveries (webhook_id, lifecycle_id, event_type)
  where lifecycle_id is not null;
create index webhook_deliveries_list on webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
-- Claims skip from webhook to webhook, however many deliveries wait for one of them.
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, next_attempt_at)
  where next_attempt_at is not null;
create index webhook_deliveries_old on webhook_deliveries using brin (created_at);
