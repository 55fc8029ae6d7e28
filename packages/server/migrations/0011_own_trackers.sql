-- Trackers of one's own, which report what happened to tickets (docs/contract/team-workflow.md 7.5) -----------------

alter table trackers
  drop constraint trackers_kind_check,
  add constraint trackers_kind_check check (kind in ('github', 'jira', 'gitlab', 'linear', 'generic')),
  -- Of a generic tracker: the address for its reports, which is sent with each new ticket; encrypted for this row.
  add column sealed_callback bytea;

-- When the tracker reported the state of the ticket last: an older report has no effect.
alter table incident_links add column reported_at timestamptz(3);

-- Alert rules that create tickets (docs/contract/team-workflow.md 7.6).
alter table alert_rules
  drop constraint alert_rules_channel_check,
  add constraint alert_rules_channel_check check (channel in
    ('email', 'slack', 'discord', 'teams', 'mattermost', 'ntfy', 'telegram', 'pagerduty', 'webhook', 'template',
    'tracker'));
