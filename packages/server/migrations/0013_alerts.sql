-- Alert rules, their deliveries and the messages these go out in (notifications.md 1).

create table alert_rules (
  alert_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  -- Stays when the person goes: information, no permission.
  created_by_user_id uuid not null,
  -- Null: every service.
  service_id uuid,
  channel text not null check (channel in ('email', 'slack', 'discord', 'webhook')),
  condition_type text not null check (condition_type in ('new_incident', 'incident_regressed', 'error_spike',
    'severity_threshold', 'regression_after_deploy')),
  -- 0 low to 3 critical; null: no filter.
  severity_min smallint check (severity_min between 0 and 3),
  severity_lifecycle_scope text check (severity_lifecycle_scope in ('new_incident', 'incident_regressed', 'both')),
  cooldown_seconds integer not null check (cooldown_seconds between 0 and 604800),
  -- The one key of the channel, or nothing: then the rule sends nothing.
  config jsonb not null,
  is_enabled boolean not null,
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  check ((condition_type = 'severity_threshold') = (severity_lifecycle_scope is not null))
);
create index alert_rules_project on alert_rules (project_id, created_at desc, alert_id desc);
-- Who uses a connected destination.
create index alert_rules_slack on alert_rules ((config ->> 'slack_destination_id'))
  where config ->> 'slack_destination_id' is not null;

-- Where messages go, as they take turns: one for each rule, and for each mail address of a project.
create table alert_receivers (
  receiver_id uuid primary key,
  project_id uuid not null,
  -- How long the latest attempt took, answered or not: slow receivers get few of the parallel sends.
  pace text not null default 'unknown' check (pace in ('unknown', 'quick', 'slow'))
);
create index alert_receivers_project on alert_receivers (project_id);

-- What is sent and charged once: one delivery to a chat or webhook, or all of a mail digest. Claimed as the row it is:
-- whoever raised `claim_number` last holds it, until `leased_until` by the database clock.
create table alert_messages (
  message_id uuid primary key,
  project_id uuid not null,
  receiver_id uuid not null references alert_receivers (receiver_id),
  channel text not null,
  -- Of mail only: the address.
  recipient text,
  status text not null check (status in ('pending', 'retrying', 'delivered', 'failed')),
  attempt_count integer not null default 0,
  -- Null in final states, else when the next attempt is due; of an open digest when it closes; while an attempt is under
  -- way, the end of its claim.
  next_attempt_at timestamptz(3),
  claim_number integer not null default 0,
  leased_until timestamptz(3),
  -- An attempt ended without an answer after the mail server had the whole message: it is repeated once.
  is_repeat boolean not null default false,
  last_response_code integer,
  last_attempted_at timestamptz(3),
  last_error text,
  created_at timestamptz(3) not null default culprit_now(),
  delivered_at timestamptz(3),
  check ((next_attempt_at is not null) = (status in ('pending', 'retrying'))),
  check ((channel = 'email') = (recipient is not null))
) with (fillfactor = 70);
create index alert_messages_project on alert_messages (project_id);
create index alert_messages_receiver on alert_messages (receiver_id);
-- Claims skip from receiver to receiver, mail and the rest apart.
create index alert_messages_mail_waiting on alert_messages (receiver_id, next_attempt_at)
  where next_attempt_at is not null and channel = 'email';
create index alert_messages_chat_waiting on alert_messages (receiver_id, next_attempt_at)
  where next_attempt_at is not null and channel <> 'email';
create index alert_messages_old on alert_messages using brin (created_at);

-- One transition of one incident that a rule matched (1.11). Its status is that of its message, unless its rule was
-- switched off before that left.
create table alert_deliveries (
  alert_delivery_id uuid primary key,
  -- Stays when the rule goes.
  alert_id uuid not null,
  project_id uuid not null,
  incident_id uuid not null,
  message_id uuid not null references alert_messages (message_id) on delete cascade,
  dedupe_key text not null,
  notification_key text not null,
  -- What a message says of it, frozen.
  facts jsonb not null,
  -- When its rule was found to be switched off, changed or gone, before it was sent.
  dropped_at timestamptz(3),
  created_at timestamptz(3) not null default culprit_now()
);
-- A transition that is processed twice makes no second delivery (1.10).
create unique index alert_deliveries_once on alert_deliveries (alert_id, incident_id, dedupe_key);
-- Cooldowns (1.7).
create index alert_deliveries_cooldown on alert_deliveries (alert_id, notification_key, created_at desc);
create index alert_deliveries_message on alert_deliveries (message_id);
create index alert_deliveries_project on alert_deliveries (project_id, alert_delivery_id);
