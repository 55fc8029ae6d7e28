import { WEBHOOK_EVENTS, type WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type { WebhookFilters } from '@culprit/contract/alerts/webhooks';
import type { Sentence } from '../ui/sentence.tsx';

/** The occasion of each event, as the end of a sentence that begins with "when". */
export const EVENT_WORDS: Readonly<Record<WebhookEventName, string>> = {
  'bundle.created': 'the evidence of a new incident is ready',
  'bundle.updated': 'the evidence of an incident grows',
  'bundle.resolved': 'an incident is resolved',
  'bundle.reopened': 'a resolved incident comes back or is reopened',
  'improvement_bundle.created': 'an insight is found',
  'incident.spike_detected': 'an incident spikes',
  'incident.assigned': 'an incident is assigned',
  'incident.snoozed': 'an incident is snoozed',
  'incident.woke': 'a snoozed incident wakes',
  'incident.noted': 'a note is added',
  'incident.fix_proposed': 'a fix is proposed',
  'incident.linked': 'a ticket or link is added',
  'incident.link_state_changed': 'a ticket is closed or reopened',
  'incident.unlinked': 'a ticket or link is removed',
  'verification.passed': 'a test event passes verification',
  'verification.failed': 'a test event fails verification',
};

const AT_LEAST: Readonly<Record<string, string>> = {
  low: 'of any severity',
  medium: 'of severity Medium, High or Critical',
  high: 'of severity High or Critical',
  critical: 'of severity Critical',
};

const TYPE_WORDS: Readonly<Record<string, string>> = {
  failure: 'failures',
  improvement: 'insights',
};

/** Says what a webhook does (docs/contract/notifications.md 3.4 and 3.9). All filters that are set must match. */
export function webhookSentence({
  url,
  events,
  filters,
  isEnabled,
}: {
  url: string;
  events: readonly WebhookEventName[];
  filters: WebhookFilters;
  isEnabled: boolean;
}): Sentence {
  const off = isEnabled ? [] : [' It is disabled.'];
  if (url === '' || events.length === 0) return ['Enter an address and choose an event.'];
  return [
    'Calls ',
    { chosen: url },
    ' ',
    ...eventParts(events),
    ...filterParts(filters),
    '.',
    ...(filters.verification === false ? [' Verification runs are ', { chosen: 'excluded' }, '.'] : []),
    ...off,
  ];
}

type Part = Sentence[number];

/** The occasions of events, such as "when a note is added or an incident spikes". */
export function eventParts(events: readonly WebhookEventName[]): Part[] {
  if (events.length === WEBHOOK_EVENTS.length) return ['on ', { chosen: 'every event' }];
  const inOrder = WEBHOOK_EVENTS.filter((event) => events.includes(event));
  return ['when ', ...listed(inOrder.map((event) => EVENT_WORDS[event]))];
}

/** The filters as they narrow the events, such as ", in production, of severity High or Critical". */
export function filterParts(filters: WebhookFilters): Part[] {
  const { environment = [], service = [], severity_min: least, bundle_type: types = [] } = filters;
  return [
    ...(environment.length === 0 ? [] : [', in ', ...listed(environment)]),
    ...(service.length === 0 ? [] : [', of ', ...listed(service)]),
    ...(least === undefined || least === 'low' ? [] : [', ', { chosen: AT_LEAST[least] ?? least }]),
    ...(types.length === 1 ? [', ', { chosen: `only ${TYPE_WORDS[types[0] ?? ''] ?? types[0]}` }] : []),
  ];
}

/** "a, b or c". */
function listed(words: readonly string[]): Part[] {
  return words.flatMap((word, index): Part[] => {
    const before = index === 0 ? '' : index === words.length - 1 ? ' or ' : ', ';
    return before === '' ? [{ chosen: word }] : [before, { chosen: word }];
  });
}
