import { createAlert, previewAlert } from '@culprit/contract/alerts/alerts';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createAlert);

export const ALERT_FIELDS = [
  flag('--channel CHANNEL', 'channel of its messages'),
  flag('--condition-type TYPE', 'condition for a message'),
  flag('--name TEXT', 'name in messages and lists'),
  flag(
    '--environment NAME',
    'only this environment; prod* matches names that begin with prod, !test excludes test',
    'environments',
  ),
  flag(
    '--service NAME',
    'only this service, with the same patterns; a service id covers one environment',
    'services',
  ),
  flag('--query QUERY', "only incidents that match, with the filters of 'incidents list --search'"),
  flag('--to ADDRESS', 'address of an email alert', 'config.to'),
  flag('--webhook-url URL', 'webhook of a slack, discord, teams or mattermost alert', 'config.webhook_url'),
  flag(
    '--target-url URL',
    'address of a webhook or template alert, topic of an ntfy alert, or server of a pagerduty alert',
    'config.target_url',
  ),
  flag(
    '--token-file FILE',
    'file with the bot token of a telegram alert, the integration key of a pagerduty alert, or the optional access token of an ntfy alert',
    'config.token',
  ),
  flag('--chat-id ID', 'the chat of a telegram alert', 'config.chat_id'),
  flag('--thread-id N', 'the topic of that chat, if it is a forum', 'config.thread_id'),
  flag(
    '--body JSON',
    'body that a template alert sends; placeholders such as {{title}} are filled in',
    'config.body',
  ),
  flag(
    '--headers-file FILE',
    'file with the headers of a template alert, one per line, such as Authorization: …',
    {
      field: 'config.headers',
      as: 'lines of a file',
    },
  ),
  flag('--slack-destination-id ID', 'connected channel of a slack alert', 'config.slack_destination_id'),
  flag(
    '--tracker-id ID',
    'issue tracker of a tracker alert, which creates a ticket for each incident',
    'config.tracker_id',
  ),
  flag('--severity-min WORD', 'minimum severity'),
  flag('--severity-lifecycle-scope SCOPE', 'new or returning incidents, for severity_threshold'),
  flag('--threshold-count N', 'events within --window-minutes, for occurrence_threshold'),
  flag('--window-minutes N', '1 to 120, or 180, 360, 720, 1440'),
  flag('--threshold-users N', 'affected users, instead of events within a time, for occurrence_threshold'),
  flag('--cooldown DURATION', 'minimum time between messages about the same failure', 'cooldown_seconds'),
  flag('--enable', 'enable it', 'is_enabled'),
  flag('--disable', 'disable it', { field: 'is_enabled', as: 'false' }),
];

export const PREVIEW_FIELDS = [flagsOf(previewAlert)('--days N', 'how far back', { standard: '7' })];
