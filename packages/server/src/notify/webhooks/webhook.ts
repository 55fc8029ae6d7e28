import { WEBHOOK_EVENTS, type WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type { WebhookFilterRequest, WebhookFilters } from '@culprit/contract/alerts/webhooks';
import type { Severity } from '@culprit/evidence/events/normalize/event';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';

/** Webhooks of one project (docs/contract/notifications.md 3.14). */
export const WEBHOOKS_MAX = 100;

/** The facts with which filters are compared (docs/contract/notifications.md 3.4). */
export interface FilterFacts {
  environment: string;
  service: string;
  severity: Severity;
  bundleType: 'failure' | 'improvement';
  isVerification: boolean;
}

/** Event names each once, in the order of the contract. */
export function orderedEvents(events: readonly string[]): WebhookEventName[] {
  return WEBHOOK_EVENTS.filter((name) => events.includes(name));
}

/**
 * Returns filters in the form in which they are stored and shown: only the keys that are set, in the order of the
 * contract.
 */
export function setFilters(request: WebhookFilterRequest | null): WebhookFilters {
  const { environment, service, severity_min, bundle_type, verification } = request ?? {};
  return {
    ...(hasEntries(environment) ? { environment } : {}),
    ...(hasEntries(service) ? { service } : {}),
    ...(severity_min === undefined || severity_min === null ? {} : { severity_min }),
    ...(hasEntries(bundle_type) ? { bundle_type } : {}),
    ...(verification === undefined || verification === null ? {} : { verification }),
  };
}

function hasEntries<Entry>(list: readonly Entry[] | null | undefined): list is Entry[] {
  return list !== undefined && list !== null && list.length > 0;
}

/** Returns true if all keys that are set match. */
export function matchesFilters(filters: WebhookFilters, facts: FilterFacts): boolean {
  const { environment, service, severity_min, bundle_type, verification } = filters;
  return (
    (environment === undefined || environment.includes(facts.environment)) &&
    (service === undefined || service.includes(facts.service)) &&
    (severity_min === undefined || SEVERITIES.indexOf(facts.severity) >= SEVERITIES.indexOf(severity_min)) &&
    (bundle_type === undefined || bundle_type.includes(facts.bundleType)) &&
    (verification !== false || !facts.isVerification)
  );
}
