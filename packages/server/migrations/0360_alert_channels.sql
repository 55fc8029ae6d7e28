-- Alerts go to Teams, Mattermost, ntfy, Telegram and to receivers with a form of their own (docs/contract/notifications.md
-- 1.18, 1.19).

alter table alert_rules drop constraint alert_rules_channel_check;
alter table alert_rules add constraint alert_rules_channel_check check (channel in
  ('email', 'slack', 'discord', 'teams', 'mattermost', 'ntfy', 'telegram', 'webhook', 'template'));
