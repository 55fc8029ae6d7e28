import type {
  Alert,
  AlertChannel,
  AlertCondition,
  AlertConfig,
  AlertScope,
  createAlert,
  updateAlert,
} from '@culprit/contract/alerts/alerts';
import type { SlackDestination } from '@culprit/contract/alerts/slack';
import type { Tracker } from '@culprit/contract/alerts/trackers';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import type { Service } from '@culprit/contract/incidents/services';
import { slackName } from '../api/slack.ts';
import { trackerName } from '../api/trackers.ts';
import { visibleLine } from '../format/event-text.ts';
import { shortUrl } from '../format/short-url.ts';
import type { SpokenRule } from './alert-sentence.ts';

/** The ways to send a message: the channel, and for Slack how the channel was named. */
export const WAYS = [
  'email',
  'slack_destination',
  'slack_url',
  'teams',
  'discord',
  'mattermost',
  'telegram',
  'ntfy',
  'pagerduty',
  'webhook',
  'template',
  'tracker',
] as const;
export type Way = (typeof WAYS)[number];
/** Those that are an address, which is as good as a password; ntfy may have a token besides. */
export type UrlWay = Exclude<Way, 'email' | 'slack_destination' | 'telegram' | 'pagerduty' | 'tracker'>;

export type Severity = 'low' | 'medium' | 'high' | 'critical';

/** The values of the editor; empty text is "every" or "any". */
export interface AlertValues {
  condition: AlertCondition;
  scope: AlertScope;
  /** Only for a threshold: the unit, the number, and the minutes for events. */
  counted: 'events' | 'users';
  threshold: string;
  windowMinutes: string;
  name: string;
  serviceId: string;
  /** Names of services and environments, a line each: a form compares text, and no list, with what it began with. */
  services: string;
  environments: string;
  /** Empty: every incident. */
  query: string;
  severityMin: Severity | '';
  way: Way;
  /** An address, the id of a connected channel or of an issue tracker, or the address of a receiver. */
  email: string;
  destinationId: string;
  trackerId: string;
  url: string;
  /** The token of a Telegram bot, of an integration of PagerDuty, or for an ntfy server. */
  token: string;
  chatId: string;
  threadId: string;
  /** The JSON of a template, and the headers of its request, a line each. */
  body: string;
  headers: string;
  cooldownSeconds: string;
  isEnabled: boolean;
}

export const NEW_ALERT: AlertValues = {
  condition: 'new_incident',
  scope: 'both',
  counted: 'events',
  threshold: '100',
  windowMinutes: '60',
  name: '',
  serviceId: '',
  services: '',
  environments: '',
  query: '',
  severityMin: 'high',
  way: 'email',
  email: '',
  destinationId: '',
  trackerId: '',
  url: '',
  token: '',
  chatId: '',
  threadId: '',
  body: '',
  headers: '',
  cooldownSeconds: '3600',
  isEnabled: true,
};

/** A stored rule as the editor shows it. Addresses that are secrets are not in it: they are replaced, not edited. */
export function valuesOf(alert: Alert): AlertValues {
  return {
    condition: alert.condition_type,
    scope: alert.severity_lifecycle_scope ?? 'both',
    counted: alert.threshold_users === null ? 'events' : 'users',
    threshold: String(alert.threshold_count ?? alert.threshold_users ?? NEW_ALERT.threshold),
    windowMinutes: String(alert.window_minutes ?? NEW_ALERT.windowMinutes),
    name: alert.name ?? '',
    serviceId: alert.service_id ?? '',
    services: (alert.services ?? []).join('\n'),
    environments: (alert.environments ?? []).join('\n'),
    query: alert.query ?? '',
    severityMin: alert.severity_min ?? '',
    way: wayOf(alert),
    email: alert.config.to ?? '',
    destinationId: alert.config.slack_destination_id ?? '',
    trackerId: alert.config.tracker_id ?? '',
    url: '',
    token: '',
    chatId: '',
    threadId: '',
    body: alert.config.body ?? '',
    headers: '',
    cooldownSeconds: String(alert.cooldown_seconds),
    isEnabled: alert.is_enabled,
  };
}

export function wayOf({ channel, config }: Pick<Alert, 'channel' | 'config'>): Way {
  if (channel !== 'slack') return channel;
  return config.slack_destination_id === undefined ? 'slack_url' : 'slack_destination';
}

const CHANNELS: Readonly<Record<Way, AlertChannel>> = {
  email: 'email',
  slack_destination: 'slack',
  slack_url: 'slack',
  teams: 'teams',
  discord: 'discord',
  mattermost: 'mattermost',
  telegram: 'telegram',
  ntfy: 'ntfy',
  pagerduty: 'pagerduty',
  webhook: 'webhook',
  template: 'template',
  tracker: 'tracker',
};

/** Servers of PagerDuty's events, by region. */
export const PAGERDUTY_REGIONS: readonly [server: string, words: string][] = [
  ['', 'United States'],
  ['https://events.eu.pagerduty.com', 'Europe'],
];

/** Returns true if an address is a server of PagerDuty; one that was typed for another channel is none. */
function isRegion(url: string): boolean {
  return url !== '' && PAGERDUTY_REGIONS.some(([server]) => server === url);
}

function configOf({ way, email, destinationId, trackerId, url, ...values }: AlertValues): AlertConfig {
  const token = values.token.trim();
  const threadId = values.threadId.trim();
  switch (way) {
    case 'email':
      return { to: email.trim() };
    case 'slack_destination':
      return { slack_destination_id: destinationId };
    case 'tracker':
      return { tracker_id: trackerId };
    case 'webhook':
      return { target_url: url.trim() };
    case 'template':
      return {
        target_url: url.trim(),
        body: values.body,
        ...(values.headers.trim() === '' ? {} : { headers: headersIn(values.headers) }),
      };
    case 'ntfy':
      return { target_url: url.trim(), ...(token === '' ? {} : { token }) };
    case 'pagerduty':
      return { token, ...(isRegion(url) ? { target_url: url } : {}) };
    case 'telegram':
      return {
        token,
        chat_id: values.chatId.trim(),
        ...(threadId === '' ? {} : { thread_id: Number(threadId) }),
      };
    default:
      return { webhook_url: url.trim() };
  }
}

/** The headers of a line each. */
export function headersIn(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

type NewAlert = BodyOf<typeof createAlert>;

export function newAlertOf(values: AlertValues, projectId: string): NewAlert {
  return {
    project_id: projectId,
    channel: CHANNELS[values.way],
    condition_type: values.condition,
    name: values.name.trim() === '' ? null : values.name.trim(),
    service_id: values.serviceId === '' ? null : values.serviceId,
    services: values.serviceId === '' ? namesOrNull(values.services) : null,
    environments: namesOrNull(values.environments),
    query: values.query.trim() === '' ? null : values.query.trim(),
    severity_min: values.severityMin === '' ? null : values.severityMin,
    severity_lifecycle_scope: values.condition === 'severity_threshold' ? values.scope : null,
    ...thresholdOf(values),
    cooldown_seconds: Number(values.cooldownSeconds),
    config: configOf(values),
    is_enabled: values.isEnabled,
  };
}

/** The fields of a threshold; all null for a condition that has none. */
function thresholdOf({ condition, counted, threshold, windowMinutes }: AlertValues) {
  const isThreshold = condition === 'occurrence_threshold';
  const countsEvents = isThreshold && counted === 'events';
  return {
    threshold_count: countsEvents ? Number(threshold) : null,
    window_minutes: countsEvents ? Number(windowMinutes) : null,
    threshold_users: isThreshold && counted === 'users' ? Number(threshold) : null,
  };
}

/** The names of a line each. */
export function namesIn(lines: string): string[] {
  return lines.split('\n').filter((name) => name !== '');
}

function namesOrNull(lines: string): string[] | null {
  const names = namesIn(lines);
  return names.length === 0 ? null : names;
}

const TARGET_FIELDS = [
  'way',
  'email',
  'destinationId',
  'trackerId',
  'url',
  'token',
  'chatId',
  'threadId',
  'body',
  'headers',
] as const;

/** Returns only the changed fields, so that another person's changes stay. */
export function patchOf(
  values: AlertValues,
  changed: Readonly<Partial<Record<keyof AlertValues, boolean | undefined>>>,
): BodyOf<typeof updateAlert> {
  const all = newAlertOf(values, '');
  const isTarget = TARGET_FIELDS.some((field) => changed[field] === true);
  const isThreshold = [changed.condition, changed.counted, changed.threshold, changed.windowMinutes].includes(
    true,
  );
  const isScope = values.condition === 'severity_threshold' && (changed.scope ?? changed.condition) === true;
  return {
    ...(changed.condition === true ? { condition_type: all.condition_type } : {}),
    ...(isScope ? { severity_lifecycle_scope: values.scope } : {}),
    ...(isThreshold ? thresholdOf(values) : {}),
    ...(changed.name === true ? { name: all.name ?? null } : {}),
    ...(changed.serviceId === true || changed.services === true
      ? { service_id: all.service_id ?? null, services: all.services ?? null }
      : {}),
    ...(changed.environments === true ? { environments: all.environments ?? null } : {}),
    ...(changed.query === true ? { query: all.query ?? null } : {}),
    ...(changed.severityMin === true ? { severity_min: all.severity_min ?? null } : {}),
    ...(changed.cooldownSeconds === true ? { cooldown_seconds: all.cooldown_seconds ?? 0 } : {}),
    ...(changed.isEnabled === true ? { is_enabled: values.isEnabled } : {}),
    ...(isTarget ? { channel: all.channel, config: all.config } : {}),
  };
}

/** The records that rules name. */
interface Named {
  services: readonly Service[];
  destinations: readonly SlackDestination[];
  trackers: readonly Tracker[];
}

/** The rule that the values make, with names for its sentence. What is stored already counts as its target. */
export function spokenRuleOf(values: AlertValues, stored: Alert | null, named: Named): SpokenRule {
  return {
    condition: values.condition,
    scope: values.scope,
    threshold: {
      counted: values.counted,
      amount: Number(values.threshold),
      windowMinutes: Number(values.windowMinutes),
    },
    severityMin: values.severityMin === '' ? null : values.severityMin,
    services:
      values.serviceId === ''
        ? namesIn(values.services).map(visibleLine)
        : [serviceName(values.serviceId, named.services)],
    environments: namesIn(values.environments).map(visibleLine),
    query: values.query.trim() === '' ? null : visibleLine(values.query.trim()),
    target: targetOf(values, stored, named),
    cooldownSeconds: Number(values.cooldownSeconds),
    isEnabled: values.isEnabled,
  };
}

/** "checkout (production)"; the id of a service that is gone. */
export function serviceName(id: string, services: readonly Service[]): string {
  const service = services.find(({ service_id: each }) => each === id);
  return service === undefined ? id : visibleLine(`${service.name} (${service.environment})`);
}

/** The stored address of a receiver, as far as it may be shown; null when there is none for this way. */
export function storedUrl(way: Way, stored: Alert | null): string | null {
  if (stored === null || wayOf(stored) !== way) return null;
  const { chat_id: chatId, webhook_url, target_url, token } = stored.config;
  if (way === 'pagerduty') return token ?? null;
  if (chatId !== undefined) return chatId;
  const url = webhook_url ?? target_url;
  return url === undefined ? null : shortUrl(url);
}

const VERBS: Readonly<Record<Way, string>> = {
  email: 'send a mail to',
  slack_destination: 'post to',
  slack_url: 'post to the Slack channel of',
  teams: 'post to the Teams channel of',
  discord: 'post to the Discord channel of',
  mattermost: 'post to the Mattermost channel of',
  telegram: 'write to the Telegram chat',
  ntfy: 'publish to',
  pagerduty: 'page the PagerDuty service with the key',
  webhook: 'call',
  template: 'call',
  tracker: 'create a ticket in',
};

function targetOf(values: AlertValues, stored: Alert | null, named: Named): SpokenRule['target'] {
  const whom = whomOf(values, stored, named);
  return whom === null ? null : { verb: VERBS[values.way], whom };
}

function whomOf(
  { way, email, destinationId, trackerId, url, chatId, token }: AlertValues,
  stored: Alert | null,
  { destinations, trackers }: Named,
): string | null {
  if (way === 'email') return email.trim() === '' ? null : visibleLine(email.trim());
  if (way === 'slack_destination') {
    if (destinationId === '') return null;
    const destination = destinations.find(({ slack_destination_id: id }) => id === destinationId);
    return destination === undefined ? 'a Slack channel' : slackName(destination);
  }
  if (way === 'tracker') {
    if (trackerId === '') return null;
    const tracker = trackers.find(({ tracker_id: id }) => id === trackerId);
    return tracker === undefined ? 'an issue tracker' : trackerName(tracker);
  }
  if (way === 'pagerduty') {
    const key = token.trim();
    return key === '' ? storedUrl(way, stored) : `***${visibleLine(key.slice(-4))}`;
  }
  const typed = way === 'telegram' ? chatId.trim() : shortUrl(url.trim());
  return typed === '' ? storedUrl(way, stored) : visibleLine(typed);
}
