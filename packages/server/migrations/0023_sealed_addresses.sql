-- Addresses in the configurations of alert rules and weekly reports are sealed with the data key
-- (docs/contract/notifications.md 1.4), which SQL does not have: the program seals rows of older releases at its start.
-- Releases before this one would take a sealed address for an address and send nothing.
-- Needs releases that know 0023_sealed_addresses.sql

-- Rows that are still to be sealed; empty but for the time after an upgrade.
create index alert_rules_unsealed on alert_rules (alert_id)
  where coalesce(config ->> 'webhook_url', config ->> 'target_url') not like 'sealed:%';
create index weekly_report_channels_unsealed on weekly_report_channels (channel_id)
  where coalesce(config ->> 'webhook_url', config ->> 'target_url') not like 'sealed:%';
