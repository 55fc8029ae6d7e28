import { alertQueryFault } from '@culprit/contract/alerts/alert-query';
import type {
  AlertChannel,
  AlertCondition,
  AlertConfig,
  AlertScope,
  createAlert,
  updateAlert,
} from '@culprit/contract/alerts/alerts';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';
import { normalizeEmail } from '@culprit/contract/workspace/email-address';
import type { Severity } from '@culprit/evidence/events/normalize/event';
import { invalidPayload } from '../../platform/http/binding/payload-fault.ts';
import { changedThreshold, type Threshold, thresholdOf } from './alert-threshold.ts';
import { ntfyTopic } from './channels/ntfy.ts';
import { templateFault } from './channels/template.ts';
import { templateHeadersFault } from './channels/template-headers.ts';

/** Rules of one project (docs/contract/notifications.md 1.16). */
export const ALERT_RULES_MAX = 100;

/**
 * The settings of a rule, except those that never change. Ids are bare UUIDs; addresses in a config that was read are
 * sealed.
 */
export interface AlertRule {
  name: string | null;
  serviceId: string | null;
  /** Patterns of `isNamed`; null: every one. */
  services: readonly string[] | null;
  environments: readonly string[] | null;
  /** In the language of lists of incidents; null: every incident. */
  query: string | null;
  channel: AlertChannel;
  condition: AlertCondition;
  severityMin: Severity | null;
  /** Set for `severity_threshold` and for nothing else. */
  scope: AlertScope | null;
  /** Set for `occurrence_threshold` and for nothing else. */
  threshold: Threshold | null;
  cooldownSeconds: number;
  /** Empty: the rule sends nothing until it has one. */
  config: AlertConfig;
  isEnabled: boolean;
}

/** The parts of a rule that name something else, once that was found; bare UUID. */
export interface Found {
  serviceId: string | null;
  config: AlertConfig;
}

/** A rule from a create body (docs/contract/notifications.md 1.3). @throws Problem `invalid_payload` */
export function newAlertRule(body: BodyOf<typeof createAlert>, found: Found): AlertRule {
  return {
    name: nameOf(body.name),
    serviceId: found.serviceId,
    services: patternsOf(body.services),
    environments: patternsOf(body.environments),
    query: queryOf(body.query),
    channel: body.channel,
    condition: body.condition_type,
    severityMin: body.severity_min ?? null,
    scope: scopeOf(body.condition_type, body.severity_lifecycle_scope ?? null),
    threshold: thresholdOf(body.condition_type, body),
    cooldownSeconds: body.cooldown_seconds ?? 0,
    config: found.config,
    isEnabled: body.is_enabled ?? true,
  };
}

/**
 * Returns true if an update would leave a rule with the config of another channel (docs/contract/notifications.md 1.6).
 */
export function lacksConfig(rule: AlertRule, body: BodyOf<typeof updateAlert>): boolean {
  return body.channel !== undefined && body.channel !== rule.channel && body.config === undefined;
}

/**
 * Returns the rule after an update (docs/contract/notifications.md 1.6): absent fields stay unchanged, null clears.
 * @throws Problem `invalid_payload`
 */
export function changedAlertRule(rule: AlertRule, body: BodyOf<typeof updateAlert>, found: Found): AlertRule {
  const condition = body.condition_type ?? rule.condition;
  const scope = body.severity_lifecycle_scope === undefined ? rule.scope : body.severity_lifecycle_scope;
  return {
    name: body.name === undefined ? rule.name : nameOf(body.name),
    serviceId: body.service_id === undefined ? rule.serviceId : found.serviceId,
    services: body.services === undefined ? rule.services : patternsOf(body.services),
    environments: body.environments === undefined ? rule.environments : patternsOf(body.environments),
    query: body.query === undefined ? rule.query : queryOf(body.query),
    channel: body.channel ?? rule.channel,
    condition,
    severityMin: body.severity_min === undefined ? rule.severityMin : body.severity_min,
    scope: scopeOf(condition, scope),
    threshold: changedThreshold(rule.threshold, condition, body),
    cooldownSeconds:
      body.cooldown_seconds === undefined ? rule.cooldownSeconds : (body.cooldown_seconds ?? 0),
    config: body.config === undefined ? rule.config : found.config,
    isEnabled: body.is_enabled === undefined ? rule.isEnabled : (body.is_enabled ?? true),
  };
}

/**
 * Refuses a rule that names its service twice (docs/contract/notifications.md 1.3).
 * @throws Problem `invalid_payload`
 */
export function requireOneOfServices(services: unknown, serviceId: unknown): void {
  if (Array.isArray(services) && services.length > 0 && typeof serviceId === 'string') {
    throw invalidPayload('/services', 'cannot be combined with service_id');
  }
}

/**
 * Refuses a query that no rule can have (docs/contract/notifications.md 1.23).
 * @throws Problem `invalid_payload`
 */
export function requireQuery(query: string | null | undefined): void {
  const fault = (query ?? '').trim() === '' ? null : alertQueryFault(query ?? '');
  if (fault !== null) throw invalidPayload('/query', fault);
}

function queryOf(query: string | null | undefined): string | null {
  return query?.trim() || null;
}

function nameOf(name: string | null | undefined): string | null {
  return name?.trim() || null;
}

/** Names as events have them, trimmed and each once; null: no restriction. */
function patternsOf(patterns: readonly string[] | null | undefined): readonly string[] | null {
  const unique = [...new Set((patterns ?? []).map((pattern) => pattern.trim()))];
  return unique.length === 0 ? null : unique;
}

function scopeOf(condition: AlertCondition, scope: AlertScope | null): AlertScope | null {
  return condition === 'severity_threshold' ? (scope ?? 'both') : null;
}

const MASK = '***';
/** The form of PagerDuty's keys. */
const INTEGRATION_KEY = /^[0-9A-Za-z]{32}$/;

/** A config as members see it: of a token, which is worth more than its chat, its end alone; of a header its name. */
export function shownConfig(config: AlertConfig): AlertConfig {
  const { token, headers } = config;
  return {
    ...config,
    ...(token === undefined ? {} : { token: `${MASK}${token.slice(-4)}` }),
    ...(headers === undefined
      ? {}
      : { headers: headers.map((header) => `${header.slice(0, header.indexOf(':'))}: ${MASK}`) }),
  };
}

type Keys = readonly (keyof AlertConfig)[];

/** The keys of a config; of `oneOf` it has one (docs/contract/notifications.md 1.4). */
const KEYS: Readonly<Record<AlertChannel, { oneOf: Keys; required?: Keys; optional?: Keys }>> = {
  email: { oneOf: ['to'] },
  slack: { oneOf: ['slack_destination_id', 'webhook_url'] },
  discord: { oneOf: ['webhook_url'] },
  teams: { oneOf: ['webhook_url'] },
  mattermost: { oneOf: ['webhook_url'] },
  ntfy: { oneOf: ['target_url'], optional: ['token'] },
  telegram: { oneOf: ['token'], required: ['chat_id'], optional: ['thread_id', 'target_url'] },
  pagerduty: { oneOf: ['token'], optional: ['target_url'] },
  webhook: { oneOf: ['target_url'] },
  template: { oneOf: ['target_url'], required: ['body'], optional: ['headers'] },
  tracker: { oneOf: ['tracker_id'] },
};

/**
 * Returns a config in its stored form, if it is one of its channel. A destination is only named here, not looked up.
 * @param requireTarget the address in its stored form, if the outbound policy allows it as written
 * @throws Problem `invalid_payload`, and those of `requireTarget`
 */
export function checkedConfig(
  channel: AlertChannel,
  config: AlertConfig,
  requireTarget: (url: string, pointer: string) => string,
): AlertConfig {
  const { oneOf, required = [], optional = [] } = KEYS[channel];
  const given = Object.keys(config);
  const known: readonly string[] = [...oneOf, ...required, ...optional];
  const hasOne = oneOf.filter((key) => given.includes(key)).length === 1;
  if (!hasOne || given.some((key) => !known.includes(key)))
    throw invalidPayload('/config', `must have one of ${oneOf.join(', ')} for the channel ${channel}`);
  for (const key of required)
    if (!given.includes(key)) throw invalidPayload(`/config/${key}`, `is missing for the channel ${channel}`);
  if (config.to !== undefined) {
    const to = normalizeEmail(config.to);
    if (to === null) throw invalidPayload('/config/to', 'is not an e-mail address');
    return { to };
  }
  if (config.webhook_url !== undefined)
    return { webhook_url: requireTarget(config.webhook_url, '/config/webhook_url') };
  if (config.token?.startsWith(MASK) === true)
    throw invalidPayload('/config/token', 'is masked: send the whole token');
  if (channel === 'pagerduty' && !INTEGRATION_KEY.test(config.token ?? ''))
    throw invalidPayload('/config/token', 'must be an integration key of 32 letters and digits');
  const headerFault = templateHeadersFault(config.headers ?? []);
  if (headerFault !== null) throw invalidPayload('/config/headers', headerFault);
  const fault = config.body === undefined ? null : templateFault(config.body);
  if (fault !== null) throw invalidPayload('/config/body', fault);
  if (config.target_url === undefined) return config;
  const target = requireTarget(config.target_url, '/config/target_url');
  if (channel === 'ntfy' && ntfyTopic(target) === null)
    throw invalidPayload('/config/target_url', 'must end with the topic, as https://ntfy.sh/my-topic does');
  return { ...config, target_url: target };
}
