import Type, { type Static, type TObject } from 'typebox';
import { SEVERITIES } from '../incidents/severities.ts';
import { WAKE_CAUSES } from '../incidents/triage-words.ts';
import { Closed, Named } from '../schemas/closed-object.ts';
import { AnswerId } from '../schemas/identifiers.ts';
import { Nullable } from '../schemas/nullable.ts';
import { Timestamp } from '../schemas/timestamp-schemas.ts';
import { LINK_STATES } from './tracker-words.ts';
import { WEBHOOK_SUMMARY_LENGTH_MAX, type WebhookEventName } from './webhook-events.ts';

/** One event as receivers know it: when it is sent, the body of its deliveries, and one such body. */
interface WebhookEvent {
  readonly summary: string;
  readonly payload: TObject;
  readonly example: object;
}

const Severity = Type.Enum([...SEVERITIES]);
const TextOrNull = Nullable(Type.String());

/** Body A of docs/contract/notifications.md 3.10. */
const bundleFields = {
  occurred_at: Timestamp,
  project_id: AnswerId('proj'),
  bundle_id: AnswerId('bun'),
  bundle_type: Type.Enum(['failure', 'improvement']),
  severity: Severity,
  service: Type.String(),
  environment: Type.String(),
  verification: Type.Boolean({ description: 'The incident was opened by a verification event' }),
  summary: Type.String({
    maxLength: WEBHOOK_SUMMARY_LENGTH_MAX,
    description: 'Title of the bundle; the bundle itself is never sent',
  }),
  links: Closed(
    { bundle: Type.String(), reproduction: Type.String() },
    { description: 'Absolute addresses' },
  ),
};

/** Body B of docs/contract/notifications.md 3.10. */
const incidentFields = {
  incident_id: AnswerId('inc'),
  project_id: AnswerId('proj'),
  occurred_at: Timestamp,
  service_name: Type.String(),
  environment: Type.String(),
  severity: Severity,
  regression_after_deploy: Type.Boolean(),
  deploy_version: TextOrNull,
  deploy_commit_sha: TextOrNull,
  deploy_branch: TextOrNull,
  deploy_deployed_at: Nullable(Timestamp),
  minutes_since_deploy: Nullable(Type.Integer({ description: 'Rounded down' })),
};

/** Body D of docs/contract/notifications.md 3.10. */
const triageFields = {
  incident_id: AnswerId('inc'),
  project_id: AnswerId('proj'),
  occurred_at: Timestamp,
  service_name: Type.String(),
  environment: Type.String(),
  severity: Severity,
  title: Type.String({ maxLength: WEBHOOK_SUMMARY_LENGTH_MAX }),
  link: Type.String({ description: 'Absolute address of the incident' }),
  triage: Closed(
    {
      assignee: Nullable(
        Closed({ kind: Type.Enum(['user', 'team']), id: AnswerId(null), name: Type.String() }),
      ),
      snoozed_until: Nullable(Timestamp),
      because: Nullable(Type.Enum([...WAKE_CAUSES])),
      kept_silent: Nullable(Type.Integer({ description: 'Occurrences while it was snoozed' })),
      note_id: Nullable(AnswerId(null)),
      fix_id: Nullable(AnswerId(null)),
      link: Nullable(
        Closed(
          {
            link_id: AnswerId(null),
            ticket: Nullable(
              Type.String({ description: 'Key of the ticket, or address; null until it is created' }),
            ),
            state: Nullable(Type.Enum([...LINK_STATES], { description: 'Of `incident.link_state_changed`' })),
            closed_by: Nullable(Type.String({ description: 'Name of the person who closed the ticket' })),
          },
          { description: 'The ticket or link' },
        ),
      ),
      author: TextOrNull,
      text: Nullable(
        Type.String({ description: 'Beginning of the note, reason of the snooze, or address of the fix' }),
      ),
    },
    { description: 'What was decided; null unless it applies' },
  ),
};

/** The body of an event about a decision of people. */
export type TriageEventBody = Static<TObject<typeof triageFields>> & { event_type: WebhookEventName };

/** Body C of docs/contract/notifications.md 3.10. */
const verificationFields = {
  occurred_at: Timestamp,
  project_id: AnswerId('proj'),
  webhook_id: AnswerId('whk'),
  incident_id: Type.String({ description: 'Always the same id: a test has no incident' }),
  test: Type.Literal(true),
  data: Closed({ message: Type.String() }),
};

/** The body of an event about a bundle. */
export type BundleEventBody = Static<TObject<typeof bundleFields>> & { event: WebhookEventName };

/** The body of an event about an incident; the two optional fields are those of a spike. */
export type IncidentEventBody = Static<TObject<typeof incidentFields>> & {
  event_type: WebhookEventName;
  deployed_at?: string;
  previous_deploy_version?: string | null;
};

/** The body of a test delivery. */
export type VerificationEventBody = Static<TObject<typeof verificationFields>> & {
  delivery_id: string;
  event: WebhookEventName;
  event_type: WebhookEventName;
};

function bundlePayload(event: WebhookEventName, title: string): TObject {
  return Named(title, { event: Type.Literal(event), ...bundleFields });
}

function triagePayload(event: WebhookEventName, title: string): TObject {
  return Named(title, { event_type: Type.Literal(event), ...triageFields });
}

function verificationPayload(event: WebhookEventName, title: string): TObject {
  return Named(title, {
    delivery_id: AnswerId('del'),
    event: Type.Literal(event),
    event_type: Type.Literal(event),
    ...verificationFields,
  });
}

const bundleLink = 'https://culprit.example/bundles/bun_2a1c4f57-0b6d-4a7e-b0a5-7d3c9e5f8a04';

function bundleExample(event: WebhookEventName, changes: Partial<BundleEventBody> = {}): BundleEventBody {
  return {
    event,
    occurred_at: '2026-01-02T03:04:05.000Z',
    project_id: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
    bundle_id: 'bun_2a1c4f57-0b6d-4a7e-b0a5-7d3c9e5f8a04',
    bundle_type: 'failure',
    severity: 'high',
    service: 'checkout-api',
    environment: 'production',
    verification: false,
    summary: 'TypeError in checkout',
    links: { bundle: bundleLink, reproduction: `${bundleLink}/reproduction` },
    ...changes,
  };
}

function incidentExample(
  event_type: WebhookEventName,
  changes: Partial<IncidentEventBody>,
): IncidentEventBody {
  return {
    event_type,
    incident_id: 'inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
    project_id: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
    occurred_at: '2026-01-02T03:04:05.000Z',
    service_name: 'checkout-api',
    environment: 'production',
    severity: 'high',
    regression_after_deploy: false,
    deploy_version: '1.2.3',
    deploy_commit_sha: 'abc123',
    deploy_branch: 'main',
    deploy_deployed_at: '2026-01-02T02:34:05.000Z',
    minutes_since_deploy: 30,
    ...changes,
  };
}

function triageExample(
  event_type: WebhookEventName,
  triage: Partial<TriageEventBody['triage']>,
): TriageEventBody {
  return {
    event_type,
    incident_id: 'inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
    project_id: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
    occurred_at: '2026-01-02T03:04:05.000Z',
    service_name: 'checkout-api',
    environment: 'production',
    severity: 'high',
    title: 'TypeError in checkout',
    link: 'https://culprit.example/incidents/inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
    triage: {
      assignee: null,
      snoozed_until: null,
      because: null,
      kept_silent: null,
      note_id: null,
      fix_id: null,
      link: null,
      author: null,
      text: null,
      ...triage,
    },
  };
}

const linkExample = { link_id: '0c4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01', ticket: 'ENG-123' };

function verificationExample(event: WebhookEventName, message: string): VerificationEventBody {
  return {
    delivery_id: 'del_31d2f0b4-7c0e-4f0c-9a0e-8d7f1f3b5a05',
    event,
    event_type: event,
    occurred_at: '2026-01-02T03:04:05.000Z',
    project_id: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
    webhook_id: 'whk_8b0c2d6e-1f4a-4c5d-8e9f-0a1b2c3d4e06',
    incident_id: 'inc_00000000-0000-4000-8000-000000000000',
    test: true,
    data: { message },
  };
}

/** Every event with its body (docs/contract/notifications.md 3.9, 3.10): the reference is made from this table. */
export const webhookEvents: Readonly<Record<WebhookEventName, WebhookEvent>> = {
  'bundle.created': {
    summary: 'The first bundle of an incident is ready',
    payload: bundlePayload('bundle.created', 'BundleCreatedEvent'),
    example: bundleExample('bundle.created'),
  },
  'bundle.updated': {
    summary: 'The bundle of an incident was generated again',
    payload: bundlePayload('bundle.updated', 'BundleUpdatedEvent'),
    example: bundleExample('bundle.updated'),
  },
  'bundle.resolved': {
    summary: 'An incident was resolved',
    payload: bundlePayload('bundle.resolved', 'BundleResolvedEvent'),
    example: bundleExample('bundle.resolved'),
  },
  'bundle.reopened': {
    summary: 'A resolved incident received a new event, or was reopened by a person',
    payload: Closed(
      { event_type: Type.Literal('bundle.reopened'), ...incidentFields },
      {
        title: 'BundleReopenedEvent',
        description: 'The deploy fields are null unless `regression_after_deploy` is true.',
      },
    ),
    example: incidentExample('bundle.reopened', { regression_after_deploy: true }),
  },
  'improvement_bundle.created': {
    summary: 'An improvement bundle was generated',
    payload: bundlePayload('improvement_bundle.created', 'ImprovementBundleCreatedEvent'),
    example: bundleExample('improvement_bundle.created', {
      bundle_type: 'improvement',
      severity: 'medium',
      summary: 'Slow request: GET /orders/:id',
    }),
  },
  'incident.spike_detected': {
    summary: 'An incident began to occur far more often than before',
    payload: Closed(
      {
        event_type: Type.Literal('incident.spike_detected'),
        ...incidentFields,
        deployed_at: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'The same as `deploy_deployed_at`; absent when no deploy is known',
          }),
        ),
        previous_deploy_version: Type.Optional(
          Nullable(
            Type.String({ description: 'Version of the deploy before; absent when no deploy is known' }),
          ),
        ),
      },
      {
        title: 'IncidentSpikeDetectedEvent',
        description:
          'The deploy fields are those of the newest deploy of the service and environment at or before the spike, however long ago. `regression_after_deploy` is always false.',
      },
    ),
    example: incidentExample('incident.spike_detected', {
      deployed_at: '2026-01-02T02:34:05.000Z',
      previous_deploy_version: '1.2.2',
    }),
  },
  'incident.assigned': {
    summary: 'An incident was assigned, or lost its assignee',
    payload: triagePayload('incident.assigned', 'IncidentAssignedEvent'),
    example: triageExample('incident.assigned', {
      assignee: { kind: 'user', id: '5b1f6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01', name: 'Ada' },
    }),
  },
  'incident.snoozed': {
    summary: 'An incident was snoozed',
    payload: triagePayload('incident.snoozed', 'IncidentSnoozedEvent'),
    example: triageExample('incident.snoozed', { snoozed_until: '2026-01-03T03:04:05.000Z' }),
  },
  'incident.woke': {
    summary: 'A snoozed incident woke',
    payload: triagePayload('incident.woke', 'IncidentWokeEvent'),
    example: triageExample('incident.woke', { because: 'escalation', kept_silent: 260 }),
  },
  'incident.noted': {
    summary: 'A person wrote a note about an incident',
    payload: triagePayload('incident.noted', 'IncidentNotedEvent'),
    example: triageExample('incident.noted', {
      note_id: '0a4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01',
      author: 'Ada',
      text: 'The cart of a guest has no coupon.',
    }),
  },
  'incident.fix_proposed': {
    summary: 'A fix of an incident was proposed',
    payload: triagePayload('incident.fix_proposed', 'IncidentFixProposedEvent'),
    example: triageExample('incident.fix_proposed', {
      fix_id: '0b4c6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01',
      author: 'Ada',
      text: 'https://github.example/shop/pull/12',
    }),
  },
  'incident.linked': {
    summary: 'A ticket or link was added to an incident',
    payload: triagePayload('incident.linked', 'IncidentLinkedEvent'),
    example: triageExample('incident.linked', {
      link: { ...linkExample, state: null, closed_by: null },
    }),
  },
  'incident.link_state_changed': {
    summary: 'A ticket of an incident was created, closed or reopened',
    payload: triagePayload('incident.link_state_changed', 'IncidentLinkStateChangedEvent'),
    example: triageExample('incident.link_state_changed', {
      link: { ...linkExample, state: 'closed', closed_by: 'Ada' },
    }),
  },
  'incident.unlinked': {
    summary: 'A ticket or link was removed from an incident',
    payload: triagePayload('incident.unlinked', 'IncidentUnlinkedEvent'),
    example: triageExample('incident.unlinked', {
      link: { ...linkExample, state: null, closed_by: null },
    }),
  },
  'verification.passed': {
    summary: 'A test delivery was requested, with this outcome',
    payload: verificationPayload('verification.passed', 'VerificationPassedEvent'),
    example: verificationExample('verification.passed', 'Test delivery: verification passed.'),
  },
  'verification.failed': {
    summary: 'A test delivery was requested, with this outcome',
    payload: verificationPayload('verification.failed', 'VerificationFailedEvent'),
    example: verificationExample('verification.failed', 'Test delivery: verification failed.'),
  },
};

/** Headers of a delivery (docs/contract/notifications.md 3.11). */
export const WEBHOOK_HEADERS: Readonly<Record<string, string>> = {
  'X-Service-Signature':
    'HMAC-SHA256 of the raw body under the signing secret: 64 lower-case hexadecimal digits without a prefix',
  'X-Service-Event': 'Name of the event',
  'X-Service-Delivery': 'Id of the delivery, the same in every attempt: handle each id once',
  'X-Service-Attempt': 'Number of the attempt, from 1',
  'X-Service-Timestamp': 'Unix seconds of this attempt; not signed',
};
