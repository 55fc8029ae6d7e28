-- Weekly reports (notifications.md 4).

-- Who a report goes to, sorted: what reports share that become one e-mail. None for a channel that is no e-mail.
create function report_recipients(config jsonb) returns text[]
  language sql immutable parallel safe
  return (select array_agg(address order by address) from jsonb_array_elements_text(config->'to') as t (address));

create table weekly_report_channels (
  channel_id uuid primary key,
  project_id uuid not null references projects (project_id) on delete cascade,
  channel text not null check (channel in ('email', 'slack')),
  -- {"to": [addresses in lower case]}, {"webhook_url"} or {"slack_destination_id": bare UUID}.
  config jsonb not null,
  day_of_week text not null check (day_of_week in ('monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday',
    'sunday')),
  hour_of_day smallint not null check (hour_of_day between 0 and 23),
  -- IANA name.
  timezone text not null,
  is_enabled boolean not null default true,
  -- When the scheduler looks at it next, and when it decided so; both null until it has. A decision later than now was
  -- made before the clock was set back.
  next_due_at timestamptz(3),
  planned_at timestamptz(3),
  created_at timestamptz(3) not null default culprit_now(),
  updated_at timestamptz(3) not null default culprit_now(),
  check ((next_due_at is null) = (planned_at is null))
);
create unique index weekly_report_channels_email on weekly_report_channels (project_id) where channel = 'email';
create index weekly_report_channels_list on weekly_report_channels (project_id, created_at desc, channel_id desc);
create index weekly_report_channels_due on weekly_report_channels (next_due_at) where is_enabled;
create index weekly_report_channels_planned on weekly_report_channels (planned_at) where is_enabled;
create index weekly_report_channels_destination on weekly_report_channels ((config->>'slack_destination_id'))
  where config ? 'slack_destination_id';
-- Whose address it is: for people who leave.
create index weekly_report_channels_recipients on weekly_report_channels using gin ((config->'to'))
  where channel = 'email';

-- The reports that were made: one for each channel and local week, by its Monday.
create table weekly_reports (
  channel_id uuid not null references weekly_report_channels (channel_id) on delete cascade,
  week date not null,
  made_at timestamptz(3) not null default culprit_now(),
  primary key (channel_id, week)
);
create index weekly_reports_old on weekly_reports using brin (made_at);

-- What a report counts. Partial, so that refreshed bundles, by far the most frequent rows, do not pay for it; by project,
-- because a BRIN index on the time would make the report of one project read the week of all.
create index lifecycle_events_weekly on lifecycle_events (project_id, kind, occurred_at)
  where kind in ('incident.opened', 'incident.resolved', 'incident.regressed', 'incident.spike_detected',
    'bundle.created', 'improvement_bundle.created');
