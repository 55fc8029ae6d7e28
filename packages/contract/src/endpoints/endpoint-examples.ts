import { createAlert } from '../alerts/alerts.ts';
import { createWebhook, testWebhook } from '../alerts/webhooks.ts';
import { createCaptureRule } from '../capture/capture-rules.ts';
import { activateProbe } from '../capture/probes.ts';
import { addressesOf, dsnText } from '../events/dsn.ts';
import { createDsnKey, type DsnKey, updateDsnKey } from '../events/dsn-keys.ts';
import { eventExamples } from '../events/event-examples.ts';
import { postEvents } from '../events/events.ts';
import { groupingExamples } from '../incidents/grouping-examples.ts';
import { getIncidentActivity } from '../incidents/incident-activity.ts';
import { getIncidentEvent } from '../incidents/incident-events.ts';
import { getIncidentHistory, NO_HISTORY_DATA } from '../incidents/incident-history.ts';
import { listSimilarIncidents } from '../incidents/incident-similar.ts';
import { getIncident, type Incident, listIncidents, resolveIncidents } from '../incidents/incidents.ts';
import { lookUpId } from '../incidents/lookup.ts';
import { getIncidentOccurrences } from '../incidents/occurrences.ts';
import { additionExamples } from '../schemas/addition-examples.ts';
import { confirmEmailChange, requestEmailChange } from '../workspace/account.ts';
import { exchangeGithubToken } from '../workspace/github.ts';
import { requestSignInCode, type Session, verifySignInCode } from '../workspace/sign-in.ts';
import { type CreatedMemberToken, createMemberToken, createProjectToken } from '../workspace/tokens.ts';
import { type EndpointExample, EXAMPLE, example } from './endpoint-example.ts';

const { projectId, userId, organizationId, now, email } = EXAMPLE;
const written = { created_at: now, updated_at: now };

const dsn = {
  baseUrl: 'https://culprit.example',
  key: '0123456789abcdef0123456789abcdef',
  number: '1795883071811',
};
const dsnKey: DsnKey = {
  token_id: 'tok_6e5d4c3b-2a19-4807-9f6e-5d4c3b2a1908',
  project_id: projectId,
  label: 'Default',
  public_key: dsn.key,
  dsn: dsnText(dsn),
  addresses: addressesOf(dsn),
  allowed_origins: ['https://shop.example'],
  service_name: null,
  events_per_minute: null,
  created_at: now,
  last_used_at: null,
  revoked_at: null,
};

const session: Session = {
  session_id: '0d8f6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01',
  user_id: userId,
  email,
  email_verified_at: now,
  organization_id: organizationId,
  organization_plan: 'free',
  role: 'owner',
  created_at: now,
  expires_at: '2026-01-09T03:04:05.000Z',
  revoked_at: null,
  is_operator: false,
  avatar_url: null,
  csrf_token: 'q0xV1m0b7bq0m6m0H0zF0w6m6kq6m3rM2v8sR2bq1Zk',
  auth_methods: { email: true, github: false, oidc: false },
};

const tokenTimes = { created_at: now, last_used_at: null, revoked_at: null, expires_at: null };

const memberToken: CreatedMemberToken = {
  token_id: 'tok_3b9e2f10-8c4d-4d5e-9a6b-7c8d9e0f1a07',
  user_id: userId,
  organization_id: organizationId,
  label: 'My laptop',
  access: 'full',
  is_current: false,
  token_preview: 'svc_...defg',
  plaintext: 'svc_mem_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
  ...tokenTimes,
};

const incident: Incident = {
  incident_id: EXAMPLE.incidentId,
  short_id: 'CHECKOUT-42',
  project_id: projectId,
  project_name: 'Main App',
  service_id: EXAMPLE.serviceId,
  service_name: 'checkout-api',
  latest_deployment_id: null,
  environment: 'production',
  fingerprint: '4af759fc1a3f8866e7a3b6eb49ceefe52fae4e8092ac5d7261b33fe75df9047b',
  fingerprint_version: 'v2',
  title: "TypeError: Cannot read properties of undefined (reading 'total')",
  severity: 'high',
  status: 'open',
  first_seen_at: '2026-01-01T00:00:00.000Z',
  last_seen_at: now,
  occurrence_count: 12,
  spike_detected_at: null,
  resolved_at: null,
  regressed_at: null,
  source_trust: 'server',
  symbolication: null,
  first_release: null,
  last_release: null,
  regressed_in_release: null,
  resolved_in: null,
  matched_fields: ['environment', 'service', 'error_type', 'normalized_message', 'top_frames'],
  incident_reason: {
    kind: 'backend_exception',
    description: 'Unhandled exception in the backend',
    event_type: 'backend_exception',
    event_class: 'incident_signal',
    matched_policy: 'always_incident',
  },
  is_sample: false,
  triage: {
    priority: { level: 'high', reasons: ['new'], is_manual: false },
    assignee: { kind: 'user', id: userId, name: 'Ada', handle: 'ada', email, at: now },
    snooze: null,
    notes: 0,
    links: [],
  },
};

/** The examples of the reference, by the endpoint's id. */
export const endpointExamples: ReadonlyMap<string, EndpointExample> = new Map(
  [
    example(requestSignInCode, { email, accepted_terms: true }, 200, { success: true }),
    example(verifySignInCode, { email, code: '042917' }, 200, { session }),
    example(requestEmailChange, { email: 'ada@example.test' }, 200, { success: true }),
    example(confirmEmailChange, { email: 'ada@example.test', code: '042917', current_code: '730158' }, 200, {
      session: { ...session, email: 'ada@example.test' },
    }),
    example(createMemberToken, { label: 'My laptop' }, 201, { token: memberToken }),
    example(
      exchangeGithubToken,
      { github_access_token: 'ghp_0123456789', label: 'My laptop', accepted_terms: true },
      200,
      { token: memberToken },
    ),
    example(createProjectToken, { label: 'Checkout, production', allowed_origins: [] }, 201, {
      token: {
        token_id: 'tok_6e5d4c3b-2a19-4807-9f6e-5d4c3b2a1908',
        project_id: projectId,
        label: 'Checkout, production',
        allowed_origins: [],
        token_preview: 'svc_...defg',
        plaintext: 'svc_proj_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
        ...tokenTimes,
      },
    }),
    example(
      createDsnKey,
      { label: 'Pages', allowed_origins: ['https://shop.example'], events_per_minute: 600 },
      201,
      { key: { ...dsnKey, label: 'Pages', events_per_minute: 600 } },
    ),
    example(updateDsnKey, { service_name: 'checkout' }, 200, {
      key: { ...dsnKey, service_name: 'checkout' },
    }),
    example(postEvents, { events: [eventExamples.backend_exception, { event_type: 'log_event' }] }, 202, {
      accepted: 1,
      rejected: 1,
      errors: [{ index: 1, reason: 'invalid_event: missing field "timestamp"' }],
      probe_directives: { active_probes: [] },
    }),
    example(listIncidents, undefined, 200, { incidents: [incident], next_cursor: null }),
    example(getIncidentActivity, undefined, 200, {
      window: { from: '2026-01-01T04:00:00.000Z', to: '2026-01-02T04:00:00.000Z', bucket_seconds: 3600 },
      activity: [
        {
          incident_id: incident.incident_id,
          counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 4, 3, 2],
          affected_users: 3,
          top_frame: { function: 'totalOf', file: 'src/cart.ts', line: 42, column: 10 },
        },
      ],
    }),
    example(getIncident, undefined, 200, { incident }),
    example(getIncidentOccurrences, undefined, 200, {
      from: '2026-01-01T22:00:00.000Z',
      to: '2026-01-02T04:00:00.000Z',
      bucket_seconds: 3600,
      counts: [0, 0, 9, 2, 1, 0],
      suppressed: [0, 0, 6, 0, 0, 0],
      markers: [
        {
          at: '2026-01-01T23:58:00.000Z',
          kind: 'deploy',
          until: null,
          deployment_id: '2f6a8c1e-4b3d-4a5f-8c7e-9d0b1a2c3e08',
          label: '2026.01.01.2',
        },
      ],
    }),
    example(getIncidentEvent, undefined, 200, {
      event: {
        event_id: 'evt_0c9d8e7f-1a2b-4c3d-8e4f-5a6b7c8d9e02',
        event_type: 'backend_exception',
        occurred_at: now,
        received_at: now,
        is_sampled: true,
        service: 'checkout-api',
        environment: 'production',
        sdk: { name: '@culprit/node', version: '1.0.0' },
        correlation: { trace_id: null, request_id: 'req_81', session_id: null },
        level: 'error',
        payload: {
          error_class: 'TypeError',
          message: "Cannot read properties of undefined (reading 'total')",
          stacktrace: 'TypeError: …\n    at totalOf (/srv/app/src/cart.ts:42:10)',
        },
        context: { release: '2026.01.01.2' },
      },
      older_event_id: 'evt_0c9d8e7f-1a2b-4c3d-8e4f-5a6b7c8d9e01',
      newer_event_id: null,
    }),
    example(lookUpId, undefined, 200, {
      matches: [
        {
          kind: 'request',
          incident_id: incident.incident_id,
          improvement_id: null,
          event_id: null,
          occurred_at: now,
        },
      ],
    }),
    example(listSimilarIncidents, undefined, 200, {
      similar: [
        {
          incident: {
            ...incident,
            incident_id: 'inc_7c1d0b6e-3f2a-4d58-9b0c-5e6f7a8b9c10',
            title: "TypeError: Cannot read properties of undefined (reading 'currency')",
          },
          reasons: ['same_frame', 'same_error_type'],
          score: 0.7,
        },
      ],
    }),
    example(getIncidentHistory, undefined, 200, {
      history: [
        {
          id: '4711',
          kind: 'incident.opened',
          occurred_at: incident.first_seen_at,
          actor: null,
          data: { ...NO_HISTORY_DATA, severity_to: 'high' },
        },
        {
          id: '4980',
          kind: 'incident.resolved',
          occurred_at: now,
          actor: { user_id: userId, name: 'Ada', email },
          data: NO_HISTORY_DATA,
        },
      ],
      next_cursor: null,
    }),
    example(resolveIncidents, { incident_ids: [incident.incident_id] }, 200, {
      incidents: [{ ...incident, status: 'resolved', resolved_at: now }],
    }),
    example(
      createWebhook,
      {
        project_id: projectId,
        url: 'https://hooks.culprit.example/incidents',
        events: ['bundle.created', 'bundle.reopened'],
        filters: { environment: ['production'], severity_min: 'high' },
      },
      201,
      {
        webhook: {
          webhook_id: 'whk_8b0c2d6e-1f4a-4c5d-8e9f-0a1b2c3d4e06',
          project_id: projectId,
          created_by_user_id: userId,
          url: 'https://hooks.culprit.example/incidents',
          events: ['bundle.created', 'bundle.reopened'],
          filters: { environment: ['production'], severity_min: 'high' },
          is_enabled: true,
          ...written,
        },
        signing_secret: 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
      },
    ),
    example(testWebhook, { event_type: 'verification.passed' }, 200, {
      delivery: {
        delivery_id: 'del_31d2f0b4-7c0e-4f0c-9a0e-8d7f1f3b5a05',
        webhook_id: 'whk_8b0c2d6e-1f4a-4c5d-8e9f-0a1b2c3d4e06',
        event_type: 'verification.passed',
        status: 'pending',
        attempt_count: 0,
        next_attempt_at: now,
        last_response_code: null,
        last_attempted_at: null,
        last_error: null,
        created_at: now,
        delivered_at: null,
      },
    }),
    example(
      createAlert,
      {
        project_id: projectId,
        channel: 'email',
        condition_type: 'severity_threshold',
        name: 'Production pager',
        environments: ['production'],
        severity_min: 'high',
        cooldown_seconds: 3600,
        config: { to: email },
      },
      201,
      {
        alert: {
          alert_id: 'alt_0b7d7a52-6f0e-4a55-9a53-0d5d3c0f2a11',
          project_id: projectId,
          created_by_user_id: userId,
          name: 'Production pager',
          service_id: null,
          services: null,
          environments: ['production'],
          query: 'tag.plan:enterprise',
          channel: 'email',
          condition_type: 'severity_threshold',
          severity_min: 'high',
          severity_lifecycle_scope: 'both',
          threshold_count: null,
          window_minutes: null,
          threshold_users: null,
          cooldown_seconds: 3600,
          config: { to: email },
          is_enabled: true,
          ...written,
        },
      },
    ),
    example(
      createCaptureRule,
      {
        name: 'A tenth of the missing pages',
        action: 'sample',
        matcher: { event_types: ['request_event'], status_codes: [404] },
        sample_rate: 0.1,
        sample_event_class: 'context',
      },
      201,
      {
        rule: {
          id: 'c4d5e6f7-a8b9-4c0d-8e1f-2a3b4c5d6e09',
          project_id: projectId,
          name: 'A tenth of the missing pages',
          description: null,
          enabled: true,
          action: 'sample',
          matcher: { event_types: ['request_event'], status_codes: [404] },
          sample_rate: 0.1,
          sample_event_class: 'context',
          created_by_user_id: userId,
          created_from_incident_id: null,
          created_from_event_id: null,
          expires_at: null,
          hit_count: 0,
          last_matched_at: null,
          ...written,
        },
      },
    ),
    example(activateProbe, { label_pattern: 'auth.*', environment: 'production' }, 201, {
      activation: {
        activation_id: 'act_550e8400-e29b-41d4-a716-446655440000',
        label_pattern: 'auth.*',
        service: '*',
        environment: 'production',
        expires_at: '2026-01-02T04:04:05Z',
        trigger_expires_at: '2026-01-02T04:04:05Z',
        created_at: '2026-01-02T03:04:05Z',
        activated_by: email,
      },
      trigger_token: 'svc_probe_cGF5bG9hZA.c2lnbmF0dXJl',
      compat_trigger_token: 'dbundle_probe_cGF5bG9hZA.c2lnbmF0dXJl',
    }),
    ...additionExamples,
    ...groupingExamples,
  ].map((each) => [each.endpoint.id, each]),
);
