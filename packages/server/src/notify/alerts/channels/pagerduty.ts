import type { Severity } from '@culprit/evidence/events/normalize/event';
import { headerText } from '../../../platform/mail/mail.ts';
import {
  type AlertItems,
  actionOf,
  factPairs,
  incidentLink,
  isTest,
  rulesText,
  transitionTitle,
} from '../alert-facts.ts';

const SERVER = 'https://events.pagerduty.com';
/** Longest summary that PagerDuty takes, and bounds of ours for the rest. */
const SUMMARY_MAX = 1024;
const NAME_MAX = 255;
const DESCRIPTION_MAX = 2000;

const SEVERITIES: Readonly<Record<Severity, string>> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
};

/** The address of events (docs/contract/notifications.md 1.20). */
export function pagerdutyAddress(server: string | undefined): string {
  return `${(server ?? SERVER).replace(/\/$/, '')}/v2/enqueue`;
}

/** One transition as an event of PagerDuty's Events API 2. All of an incident have one key, so they are one page. */
export function pagerdutyEvent(items: AlertItems, appUrl: string, routingKey: string): object {
  const [{ alertDeliveryId, facts }] = items;
  const { incident } = facts;
  const event = {
    routing_key: routingKey,
    event_action: actionOf(facts),
    // The tests of a rule are pages of their own: nothing closes them but a person.
    dedup_key: `culprit:${isTest(facts) ? alertDeliveryId : incident.incidentId}`,
  };
  if (event.event_action !== 'trigger') return event;
  const link = incidentLink(facts, appUrl);
  return {
    ...event,
    payload: {
      summary: headerText(transitionTitle(items), SUMMARY_MAX),
      source: headerText(incident.serviceName, NAME_MAX),
      severity: SEVERITIES[incident.severity],
      timestamp: facts.triggeredAt,
      component: headerText(incident.serviceName, NAME_MAX),
      group: headerText(incident.environment, NAME_MAX),
      class: incident.kind,
      custom_details: {
        ...Object.fromEntries(factPairs(facts)),
        Description: headerText(incident.description, DESCRIPTION_MAX),
        Project: headerText(facts.projectName, NAME_MAX),
        Rules: headerText(rulesText(items), DESCRIPTION_MAX),
      },
    },
    ...(isTest(facts) ? {} : { links: [{ href: link, text: 'Open incident' }], client_url: link }),
    client: 'Culprit',
  };
}
