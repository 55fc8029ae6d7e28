import { formatTimestamp } from '@culprit/contract/timestamps';
import type { TestEventName, WebhookEventName } from '@culprit/contract/webhooks';
import type { Severity } from '../events/event.ts';
import { prefixedId } from '../platform/ids.ts';
import type { TOLD_KINDS } from './webhooks.jobs.ts';

/** A ledger row with what its incident or improvement says, as deliveries are made of it. Ids are bare UUIDs. */
export interface LifecycleFacts {
  kind: (typeof TOLD_KINDS)[number];
  occurredAtMs: number;
  projectId: string;
  /** Of the incident, or of the improvement where the bundle is one. */
  subjectId: string;
  bundleType: 'failure' | 'improvement';
  service: string;
  environment: string;
  severity: Severity;
  title: string;
  isVerification: boolean;
  /** What the ledger row itself carries. */
  data: Readonly<Record<string, unknown>>;
}

const SUMMARY_CHARACTERS_MAX = 300;

/** A test has no incident, and the field is a string (notifications.md 3.10 C). */
const NO_INCIDENT = '00000000-0000-4000-8000-000000000000';

const EVENT_OF = {
  'bundle.created': 'bundle.created',
  'bundle.updated': 'bundle.updated',
  'incident.resolved': 'bundle.resolved',
  'incident.reopened': 'bundle.reopened',
  'incident.regressed': 'bundle.reopened',
  'incident.spike_detected': 'incident.spike_detected',
  'improvement_bundle.created': 'improvement_bundle.created',
} as const satisfies Record<LifecycleFacts['kind'], WebhookEventName>;

/** The event by which receivers know a ledger row (incidents.md 1.4, 1.5). */
export function eventOf(kind: LifecycleFacts['kind']): WebhookEventName {
  return EVENT_OF[kind];
}

/** The body of a delivery, as its bytes are sent by every attempt (notifications.md 3.10 A and B). */
export function lifecycleBody(facts: LifecycleFacts, appUrl: string): string {
  const event = EVENT_OF[facts.kind];
  const isOfIncident = event === 'bundle.reopened' || event === 'incident.spike_detected';
  return JSON.stringify(isOfIncident ? incidentPayload(facts, event) : bundlePayload(facts, event, appUrl));
}

function bundlePayload(facts: LifecycleFacts, event: WebhookEventName, appUrl: string): object {
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
    summary: [...facts.title].slice(0, SUMMARY_CHARACTERS_MAX).join(''),
    links: { bundle: link, reproduction: `${link}/reproduction` },
  };
}

function incidentPayload(facts: LifecycleFacts, event: WebhookEventName): object {
  return {
    event_type: event,
    incident_id: prefixedId('inc', facts.subjectId),
    project_id: prefixedId('proj', facts.projectId),
    occurred_at: formatTimestamp(facts.occurredAtMs),
    service_name: facts.service,
    environment: facts.environment,
    severity: facts.severity,
    // Only a regression can have come with a deploy; other rows carry none of this.
    regression_after_deploy: facts.data.regression_after_deploy === true,
    deploy_version: textOrNull(facts.data.deploy_version),
    deploy_commit_sha: textOrNull(facts.data.deploy_commit_sha),
    deploy_branch: textOrNull(facts.data.deploy_branch),
    deploy_deployed_at: textOrNull(facts.data.deploy_deployed_at),
    minutes_since_deploy:
      typeof facts.data.minutes_since_deploy === 'number' ? facts.data.minutes_since_deploy : null,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The body of a test delivery (notifications.md 3.10 C). Ids are bare UUIDs. */
export function testBody(test: {
  event: TestEventName;
  deliveryId: string;
  webhookId: string;
  projectId: string;
  occurredAtMs: number;
}): string {
  const { event } = test;
  const outcome = event === 'verification.passed' ? 'passed' : 'failed';
  return JSON.stringify({
    delivery_id: prefixedId('del', test.deliveryId),
    event,
    event_type: event,
    occurred_at: formatTimestamp(test.occurredAtMs),
    project_id: prefixedId('proj', test.projectId),
    webhook_id: prefixedId('whk', test.webhookId),
    incident_id: prefixedId('inc', NO_INCIDENT),
    test: true,
    data: { message: `Test delivery: verification ${outcome}.` },
  });
}
