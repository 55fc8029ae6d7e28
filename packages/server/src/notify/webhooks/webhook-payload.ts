import { LINK_STATES } from '@culprit/contract/alerts/tracker-words';
import { WEBHOOK_SUMMARY_LENGTH_MAX, type WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type {
  BundleEventBody,
  IncidentEventBody,
  TriageEventBody,
  VerificationEventBody,
} from '@culprit/contract/alerts/webhook-payloads';
import type { TestEventName } from '@culprit/contract/alerts/webhooks';
import { WAKE_CAUSES } from '@culprit/contract/incidents/triage-words';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { Severity } from '@culprit/evidence/events/normalize/event';
import { prefixedId } from '../../platform/ids.ts';
import type { NOTIFIABLE_KINDS } from './webhooks.jobs.ts';

/** A ledger row with what its incident or improvement says, as deliveries are made of it. Ids are bare UUIDs. */
export interface LifecycleFacts {
  kind: (typeof NOTIFIABLE_KINDS)[number];
  occurredAtMs: number;
  projectId: string;
  /** The id of the incident, or of the improvement if the bundle is one. */
  subjectId: string;
  bundleType: 'failure' | 'improvement';
  service: string;
  environment: string;
  severity: Severity;
  title: string;
  isVerification: boolean;
  /** The data of the ledger row itself. */
  data: Readonly<Record<string, unknown>>;
}

/** A test has no incident, and the field is a string (docs/contract/notifications.md 3.10 C). */
const NO_INCIDENT = '00000000-0000-4000-8000-000000000000';

const EVENT_OF = {
  'bundle.created': 'bundle.created',
  'bundle.updated': 'bundle.updated',
  'incident.resolved': 'bundle.resolved',
  'incident.reopened': 'bundle.reopened',
  'incident.regressed': 'bundle.reopened',
  'incident.spike_detected': 'incident.spike_detected',
  'incident.assigned': 'incident.assigned',
  'incident.unassigned': 'incident.assigned',
  'incident.snoozed': 'incident.snoozed',
  'incident.woke': 'incident.woke',
  'incident.noted': 'incident.noted',
  'incident.fix_proposed': 'incident.fix_proposed',
  'incident.linked': 'incident.linked',
  'incident.link_state_changed': 'incident.link_state_changed',
  'incident.unlinked': 'incident.unlinked',
  'improvement_bundle.created': 'improvement_bundle.created',
} as const satisfies Record<LifecycleFacts['kind'], WebhookEventName>;

/** The event by which receivers know a ledger row (docs/contract/incidents.md 1.4, 1.5). */
export function eventOf(kind: LifecycleFacts['kind']): WebhookEventName {
  return EVENT_OF[kind];
}

/** The body of a delivery, as its bytes are sent by every attempt (docs/contract/notifications.md 3.10 A and B). */
export function lifecycleBody(facts: LifecycleFacts, appUrl: string): string {
  const event = EVENT_OF[facts.kind];
  if (event === 'bundle.reopened' || event === 'incident.spike_detected')
    return JSON.stringify(incidentPayload(facts, event));
  return JSON.stringify(
    event.startsWith('incident.') ? triagePayload(facts, event, appUrl) : bundlePayload(facts, event, appUrl),
  );
}

function triagePayload(facts: LifecycleFacts, event: WebhookEventName, appUrl: string): TriageEventBody {
  const incidentId = prefixedId('inc', facts.subjectId);
  const { kind, data } = facts;
  return {
    event_type: event,
    incident_id: incidentId,
    project_id: prefixedId('proj', facts.projectId),
    occurred_at: formatTimestamp(facts.occurredAtMs),
    service_name: facts.service,
    environment: facts.environment,
    severity: facts.severity,
    title: [...facts.title].slice(0, WEBHOOK_SUMMARY_LENGTH_MAX).join(''),
    link: `${appUrl}/incidents/${incidentId}`,
    triage: {
      assignee: kind === 'incident.assigned' ? assigneeOf(data.assignee) : null,
      snoozed_until: kind === 'incident.snoozed' ? textOrNull(data.until) : null,
      because: WAKE_CAUSES.find((cause) => cause === data.because) ?? null,
      kept_silent: typeof data.kept_silent === 'number' ? data.kept_silent : null,
      note_id: textOrNull(data.note_id),
      fix_id: textOrNull(data.fix_id),
      link: LINK_KINDS.includes(kind) ? linkOf(data) : null,
      author: textOrNull(data.author),
      text: textOrNull(data.text) ?? (kind === 'incident.snoozed' ? textOrNull(data.reason) : null),
    },
  };
}

const LINK_KINDS: readonly LifecycleFacts['kind'][] = [
  'incident.linked',
  'incident.link_state_changed',
  'incident.unlinked',
];

function linkOf(data: LifecycleFacts['data']): TriageEventBody['triage']['link'] {
  const id = textOrNull(data.link_id);
  if (id === null) return null;
  const state = LINK_STATES.find((each) => each === data.link_state) ?? null;
  return { link_id: id, ticket: textOrNull(data.ticket), state, closed_by: textOrNull(data.closed_by) };
}

function assigneeOf(value: unknown): TriageEventBody['triage']['assignee'] {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, id, name } = Object.fromEntries(Object.entries(value));
  if ((kind !== 'user' && kind !== 'team') || typeof id !== 'string' || typeof name !== 'string') return null;
  return { kind, id, name };
}

function bundlePayload(facts: LifecycleFacts, event: WebhookEventName, appUrl: string): BundleEventBody {
  const bundleId = prefixedId('bun', facts.subjectId);
  const link = `${appUrl}/bundles/${bundleId}`;
  return {
    event,
    occurred_at: formatTimestamp(facts.occurredAtMs),
    project_id: prefixedId('proj', facts.projectId),
    bundle_id: bundleId,
    bundle_type: facts.bundleType,
    severity: facts.severity,
    service: facts.service,
    environment: facts.environment,
    verification: facts.isVerification,
    summary: [...facts.title].slice(0, WEBHOOK_SUMMARY_LENGTH_MAX).join(''),
    links: { bundle: link, reproduction: `${link}/reproduction` },
  };
}

function incidentPayload(facts: LifecycleFacts, event: WebhookEventName): IncidentEventBody {
  return {
    event_type: event,
    incident_id: prefixedId('inc', facts.subjectId),
    project_id: prefixedId('proj', facts.projectId),
    occurred_at: formatTimestamp(facts.occurredAtMs),
    service_name: facts.service,
    environment: facts.environment,
    severity: facts.severity,
    regression_after_deploy: facts.data.regression_after_deploy === true,
    deploy_version: textOrNull(facts.data.deploy_version),
    deploy_commit_sha: textOrNull(facts.data.deploy_commit_sha),
    deploy_branch: textOrNull(facts.data.deploy_branch),
    deploy_deployed_at: textOrNull(facts.data.deploy_deployed_at),
    minutes_since_deploy:
      typeof facts.data.minutes_since_deploy === 'number' ? facts.data.minutes_since_deploy : null,
    ...(event === 'incident.spike_detected' ? spikeDeploy(facts.data) : {}),
  };
}

/** Returns the fields that a spike adds when a deploy of its service and environment is known. */
function spikeDeploy(
  data: LifecycleFacts['data'],
): Pick<IncidentEventBody, 'deployed_at' | 'previous_deploy_version'> {
  const deployedAt = textOrNull(data.deploy_deployed_at);
  if (deployedAt === null) return {};
  return { deployed_at: deployedAt, previous_deploy_version: textOrNull(data.previous_deploy_version) };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The body of a test delivery (docs/contract/notifications.md 3.10 C). Ids are bare UUIDs. */
export function testBody(test: {
  event: TestEventName;
  deliveryId: string;
  webhookId: string;
  projectId: string;
  occurredAtMs: number;
}): string {
  const { event } = test;
  const outcome = event === 'verification.passed' ? 'passed' : 'failed';
  const body: VerificationEventBody = {
    delivery_id: prefixedId('del', test.deliveryId),
    event,
    event_type: event,
    occurred_at: formatTimestamp(test.occurredAtMs),
    project_id: prefixedId('proj', test.projectId),
    webhook_id: prefixedId('whk', test.webhookId),
    incident_id: prefixedId('inc', NO_INCIDENT),
    test: true,
    data: { message: `Test delivery: verification ${outcome}.` },
  };
  return JSON.stringify(body);
}
