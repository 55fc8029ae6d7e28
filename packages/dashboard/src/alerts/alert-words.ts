import type { AlertCondition, AlertScope } from '@culprit/contract/alerts/alerts';
import type { Severity, UrlWay, Way } from './alert-values.ts';

/** The words of the editor's choices. */
export const CONDITION_WORDS: Readonly<Record<AlertCondition, string>> = {
  new_incident: 'a new incident appears',
  incident_regressed: 'a resolved incident comes back',
  error_spike: 'an incident spikes',
  severity_threshold: 'an incident reaches a severity',
  regression_after_deploy: 'an incident comes back after a deploy',
  occurrence_threshold: 'an incident has many events or users',
  snooze_ended: 'a snoozed incident wakes early',
};

export const SCOPE_WORDS: Readonly<Record<AlertScope, string>> = {
  both: 'new and returning',
  new_incident: 'new ones only',
  incident_regressed: 'returning ones only',
};

/** The units of a threshold. */
export const COUNTED_WORDS: Readonly<Record<'events' | 'users', string>> = {
  events: 'events',
  users: 'affected users',
};

/** Minutes in which events are counted. */
export const WINDOWS: readonly [minutes: number, words: string][] = [
  [1, '1 minute'],
  [5, '5 minutes'],
  [15, '15 minutes'],
  [60, '1 hour'],
  [180, '3 hours'],
  [360, '6 hours'],
  [720, '12 hours'],
  [1440, '1 day'],
];

export const SEVERITY_CHOICES: Readonly<Record<Severity | '', string>> = {
  '': 'any severity',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  critical: 'Critical',
};

export const WAY_WORDS: Readonly<Record<Way, string>> = {
  email: 'E-mail',
  slack_destination: 'Slack channel',
  slack_url: 'Slack, by webhook address',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  mattermost: 'Mattermost or Rocket.Chat',
  telegram: 'Telegram',
  ntfy: 'ntfy',
  pagerduty: 'PagerDuty',
  webhook: 'Another system',
  template: 'Another system, in a custom format',
  tracker: 'Ticket in an issue tracker',
};

/** The label of an address, and what it looks like. */
export const URL_FIELDS: Readonly<Record<UrlWay, { label: string; hint: string }>> = {
  slack_url: {
    label: 'Address of the incoming webhook',
    hint: 'Begins with https://hooks.slack.com/services/',
  },
  teams: {
    label: "Address of the workflow's webhook",
    hint: 'In Teams, add the workflow “Send webhook alerts to a channel” and copy its address.',
  },
  mattermost: {
    label: 'Address of the incoming webhook',
    hint: 'Looks like https://chat.example.com/hooks/…',
  },
  ntfy: { label: 'Address of the topic', hint: 'Looks like https://ntfy.sh/my-topic' },
  discord: {
    label: "Address of the channel's webhook",
    hint: 'Begins with https://discord.com/api/webhooks/',
  },
  template: { label: 'Address', hint: 'Gets a POST with the JSON below.' },
  webhook: { label: 'Address', hint: 'Gets a POST with JSON. For signed deliveries use a webhook instead.' },
};

export const COOLDOWNS: readonly [seconds: number, words: string][] = [
  [0, 'every time'],
  [300, '5 minutes'],
  [3600, '1 hour'],
  [21_600, '6 hours'],
  [86_400, '1 day'],
  [604_800, '1 week'],
];
