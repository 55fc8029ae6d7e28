import { headerText } from '../../../platform/mail/mail.ts';
import {
  type AlertFacts,
  type AlertItem,
  type AlertItems,
  actionOf,
  bundleLink,
  capitalized,
  frameText,
  incidentLink,
  type LaterFacts,
  labelsOf,
  NO_INCIDENT,
  rulesText,
  transitionTitle,
} from '../alert-facts.ts';

/** A body that is rendered is smaller than this many bytes. */
const RENDERED_BYTES_MAX = 16_384;
const TEXT_MAX = 1000;

/** The values that replace `{{name}}` (docs/contract/notifications.md 1.19). */
const PLACEHOLDERS = {
  action: ({ facts }) => actionOf(facts),
  state: ({ facts }) => (actionOf(facts) === 'resolve' ? 'resolved' : 'firing'),
  headline: ({ items }) => transitionTitle(items),
  title: ({ facts }) => facts.incident.title,
  description: ({ facts }) => facts.incident.description,
  severity: ({ facts }) => facts.incident.severity,
  status: ({ facts }) => facts.incident.status,
  condition: ({ items }) => capitalized(labelsOf(items)),
  service: ({ facts }) => facts.incident.serviceName,
  environment: ({ facts }) => facts.incident.environment,
  occurrences: ({ facts }) => facts.incident.occurrenceCount,
  users: ({ later }) => later?.affectedUsers ?? 0,
  first_seen: ({ facts }) => facts.incident.firstSeenAt,
  last_seen: ({ facts }) => facts.incident.lastSeenAt,
  triggered_at: ({ facts }) => facts.triggeredAt,
  id: ({ facts }) => facts.incident.incidentId,
  number: ({ facts }) => facts.incident.shortId ?? '',
  release: ({ facts }) => facts.release ?? '',
  cause: ({ later }) => later?.cause ?? '',
  frame: ({ later }) => frameText(later) ?? '',
  assignee: ({ later }) => later?.assignee ?? '',
  ticket: ({ later }) => later?.ticket ?? '',
  project: ({ facts }) => facts.projectName,
  rule: ({ items }) => rulesText(items),
  url: ({ facts, appUrl }) => incidentLink(facts, appUrl),
  bundle_url: ({ facts, appUrl }) => bundleLink(facts, appUrl),
} satisfies Record<string, (of: Values) => string | number>;

interface Values {
  items: AlertItems;
  facts: AlertFacts;
  appUrl: string;
  later: LaterFacts | null;
}

const PLACEHOLDER = /\{\{ {0,8}(\w{1,40}) {0,8}\}\}/g;
const WHOLE = /^\{\{ {0,8}(\w{1,40}) {0,8}\}\}$/;

/**
 * The body of a rule with the values of one transition. Placeholders are replaced inside the strings of the parsed body,
 * so that no value can leave its string; one of a number that is a whole string becomes that number.
 */
export function templateBody(
  template: string,
  items: AlertItems,
  appUrl: string,
  later: LaterFacts | null,
): object {
  const values = { items, facts: items[0].facts, appUrl, later };
  return JSON.parse(template, (_key, value: unknown) =>
    typeof value === 'string' ? filled(value, values) : value,
  );
}

function filled(text: string, values: Values): string | number {
  const whole = placeholderValue(WHOLE.exec(text)?.[1], values);
  if (typeof whole === 'number') return whole;
  return text.replaceAll(PLACEHOLDER, (placeholder, name: string) => {
    const value = placeholderValue(name, values);
    return value === null ? placeholder : headerText(String(value), TEXT_MAX);
  });
}

function placeholderValue(name: string | undefined, values: Values): string | number | null {
  return isPlaceholder(name) ? PLACEHOLDERS[name](values) : null;
}

function isPlaceholder(name: string | undefined): name is keyof typeof PLACEHOLDERS {
  return name !== undefined && Object.hasOwn(PLACEHOLDERS, name);
}

/** Returns the fault in the body of a rule, for people; null when there is none. */
export function templateFault(template: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(template);
  } catch {
    return 'is not JSON';
  }
  if (typeof parsed !== 'object' || parsed === null) return 'is no JSON object';
  for (const [written] of template.matchAll(/\{\{[^{}]*\}\}/g)) {
    if (!isPlaceholder(WHOLE.exec(written)?.[1]))
      return `has the unknown placeholder ${headerText(written, 44)}`;
  }
  const rendered = JSON.stringify(
    templateBody(template, [SAMPLE], 'https://culprit.example.com', SAMPLE_LATER),
  );
  return Buffer.byteLength(rendered) > RENDERED_BYTES_MAX
    ? `is larger than ${RENDERED_BYTES_MAX} bytes when it is filled in`
    : null;
}

/** A transition with the longest usual texts. */
const SAMPLE: AlertItem = {
  alertId: `alt_${NO_INCIDENT}`,
  ruleName: 'r'.repeat(80),
  alertDeliveryId: NO_INCIDENT,
  facts: {
    condition: 'regression_after_deploy',
    lifecycle: 'incident_regressed',
    triggeredAt: '2026-01-02T03:04:05.000Z',
    projectId: `proj_${NO_INCIDENT}`,
    projectName: 'p'.repeat(100),
    incident: {
      incidentId: `inc_${NO_INCIDENT}`,
      shortId: 'PROJECT-12345',
      bundleId: `bun_${NO_INCIDENT}`,
      title: 't'.repeat(200),
      description: 'd'.repeat(500),
      kind: 'backend_exception',
      severity: 'critical',
      status: 'regressed',
      serviceId: NO_INCIDENT,
      serviceName: 's'.repeat(100),
      environment: 'production',
      occurrenceCount: 123_456,
      firstSeenAt: '2026-01-02T03:04:05.000Z',
      lastSeenAt: '2026-01-02T03:04:05.000Z',
    },
    release: '1.0.0',
    spike: null,
    deploy: null,
  },
};

const SAMPLE_LATER: LaterFacts = {
  affectedUsers: 123_456,
  topFrame: { function: 'f'.repeat(60), file: 'f'.repeat(100), line: 123, column: null },
  deploy: null,
  cause: 'c'.repeat(200),
  assignee: 'a'.repeat(60),
  ticket: 'acme/shop#12345',
};
