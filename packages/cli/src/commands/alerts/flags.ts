import { createAlert, previewAlert } from '@culprit/contract/alerts/alerts';
import { flagsOf } from '../../records/field-flags.ts';

const flag = flagsOf(createAlert);

export const ALERT_FIELDS = [
  flag('--channel CHANNEL', 'how it is sent'),
  flag('--condition-type TYPE', 'when it is sent'),
  flag('--name TEXT', 'what messages and lists call it'),
  flag(
    '--environment NAME',
    'only of this environment; prod* is each that begins so, !test each but that one',
    'environments',
  ),
  flag(
    '--service NAME',
    'only of this service, as environments; the id of a service is that of one environment',
    'services',
  ),
  flag('--query QUERY', "only incidents that match, with the filters of 'incidents list --search'"),
  flag('--to ADDRESS', 'address of an email alert', 'config.to'),
  flag('--webhook-url URL', 'of a slack, discord, teams or mattermost alert', 'config.webhook_url'),
  flag(
    '--target-url URL',
    'of a webhook or template alert, the topic of an ntfy alert, or the server of a pagerduty alert',
    'config.target_url',
  ),
  flag(
    '--token-file FILE',
    'holds the bot token of a telegram alert, the integration key of a pagerduty alert, or the optional access token of an ntfy alert',
    'config.token',
  ),
  flag('--chat-id ID', 'the chat of a telegram alert', 'config.chat_id'),
  flag('--thread-id N', 'the topic of that chat, if it is a forum', 'config.thread_id'),
  flag('--body JSON', 'what a template alert sends; {{title}} and the like are filled in', 'config.body'),
  flag('--headers-file FILE', 'holds headers of a template alert, a line each, such as Authorization: …', {
    field: 'config.headers',
    as: 'lines of a file',
  }),
  flag('--slack-destination-id ID', 'of a slack alert', 'config.slack_destination_id'),
  flag(
    '--tracker-id ID',
    'of a tracker alert, which creates a ticket for each incident',
    'config.tracker_id',
  ),
  flag('--severity-min WORD', 'least severity'),
  flag('--severity-lifecycle-scope SCOPE', 'of severity_threshold'),
  flag('--threshold-count N', 'events within --window-minutes, of occurrence_threshold'),
  flag('--window-minutes N', '1 to 120, or 180, 360, 720, 1440'),
  flag('--threshold-users N', 'affected users, in place of the two above'),
  flag('--cooldown DURATION', 'pause between two of one incident', 'cooldown_seconds'),
  flag('--enable', 'enable it', 'is_enabled'),
  flag('--disable', 'disable it', { field: 'is_enabled', as: 'false' }),
];

export const PREVIEW_FIELDS = [flagsOf(previewAlert)('--days N', 'how far back', { standard: '7' })];
