import { listAlertVerdicts, listRuleVerdicts } from '../alerts/alert-verdicts.ts';
import { listAlertDeliveries, previewAlert, testAlert } from '../alerts/alerts.ts';
import { getWebhookDelivery, rotateWebhookSecret } from '../alerts/webhooks.ts';
import { sendWeeklyReport } from '../alerts/weekly-reports.ts';
import { previewCapture } from '../capture/capture-preview.ts';
import { type EndpointExample, EXAMPLE, example } from '../endpoints/endpoint-example.ts';
import { getServer } from '../endpoints/server.ts';
import { SERVER_FEATURES } from '../endpoints/server-features.ts';
import { streamChanges } from '../endpoints/stream.ts';
import { type FateCounts, listEventFates } from '../events/event-fates.ts';
import { listProbeResults, tailEvents } from '../events/recent-events.ts';
import { listLifecycle } from '../incidents/lifecycle.ts';
import { getServiceActivity } from '../incidents/service-activity.ts';
import { getCheckLatency, listCheckDays } from '../monitor/check-history.ts';
import { listDeployments } from '../releases/deployments.ts';
import { getOperatorHealth, listDeadLetters, retryDeadLetters } from '../workspace/operator.ts';
import { endOwnSession, listSessions } from '../workspace/sign-in.ts';

const fates: FateCounts = {
  submitted: 1204,
  processed: 1198,
  demoted: 0,
  duplicate: 0,
  dropped: 6,
  sampled_out: 0,
  refused_by_policy: 0,
  rate_limited: 0,
  invalid: 0,
  dead_letter: 0,
  waiting: 0,
};

/** Examples of the additions to the API (docs/contract/server-additions.md). */
const VERDICT = {
  at: EXAMPLE.now,
  incident_id: EXAMPLE.incidentId,
  short_id: 'CHECKOUT-42',
  title: 'TypeError: total is undefined',
  transition: 'new_incident',
  alert_id: 'alt_0b7d7a52-6f0e-4a55-9a53-0d5d3c0f2a11',
  alert_name: 'Pager',
  channel: 'pagerduty',
  verdict: 'below_severity',
  detail: 'The severity was medium; the rule needs high or above.',
  alert_delivery_id: null,
} as const;

export const additionExamples: readonly EndpointExample[] = [
  example(getServer, undefined, 200, {
    version: '0.1.0',
    time: EXAMPLE.now,
    base_url: 'https://culprit.example',
    app_url: 'https://culprit.example',
    auth: {
      email: 'smtp',
      github: true,
      github_device: true,
      github_exchange: true,
      oidc: true,
      oidc_name: 'id.example.com',
      email_for: 'everyone',
    },
    signup: 'invited',
    terms_url: null,
    slack: false,
    payment_provider: false,
    plan_source: 'config',
    plan_limits: 'off',
    packages: {
      version: '0.1.0',
      script_path: '/script/culprit-0.1.0-5f0c1d2e.js',
      script_integrity: 'sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC',
    },
    features: [...SERVER_FEATURES],
  }),
  example(listLifecycle, undefined, 200, {
    lifecycle: [
      {
        lifecycle_id: '4711',
        kind: 'incident.opened',
        recorded_at: EXAMPLE.now,
        project_id: EXAMPLE.projectId,
        incident_id: EXAMPLE.incidentId,
        improvement_id: null,
        bundle_id: null,
        title: "TypeError: Cannot read properties of undefined (reading 'total')",
        severity: 'high',
        status: 'open',
        environment: 'production',
        service_name: 'checkout-api',
        occurrence_count: 1,
        webhook: null,
      },
    ],
    next_cursor: '2026-01-02T03:04:05.000Z|0d8f6d0e-5a0b|98304|0',
  }),
  example(
    streamChanges,
    undefined,
    200,
    `event: hello\ndata: {"server_time":"${EXAMPLE.now}"}\n\nevent: changed\ndata: {"project_id":"${EXAMPLE.projectId}","resources":["incidents"],"incident_ids":["${EXAMPLE.incidentId}"]}\n\n`,
  ),
  example(listDeployments, undefined, 200, {
    deployments: [
      {
        deployment_id: EXAMPLE.deploymentId,
        service_name: 'checkout-api',
        environment: 'production',
        version: '2.4.1',
        commit_sha: '4f2c9d1',
        branch: 'main',
        deployed_at: EXAMPLE.now,
        release_id: null,
      },
    ],
    next_cursor: null,
  }),
  example(getServiceActivity, undefined, 200, {
    window: { from: '2026-01-01T04:00:00.000Z', to: '2026-01-02T04:00:00.000Z', bucket_seconds: 3600 },
    services: [
      {
        service_id: EXAMPLE.serviceId,
        open_incidents: 2,
        regressed_incidents: 1,
        worst_severity: 'high',
        counts: [...Array<number>(23).fill(0), 12],
        last_event_at: EXAMPLE.now,
        latest_deployment_id: EXAMPLE.deploymentId,
      },
    ],
  }),
  example(listCheckDays, undefined, 200, {
    checks: [
      {
        check_id: EXAMPLE.checkId,
        days: [{ day: '2026-01-02', state: 'operational', downtime_seconds: 0, incident_ids: [] }],
        uptime: 1,
      },
    ],
  }),
  example(getCheckLatency, undefined, 200, {
    bucket_seconds: 300,
    series: [{ at: '2026-01-02T03:00:00.000Z', runs: 5, failed: 0, p50_ms: 84, p95_ms: 131 }],
  }),
  example(
    previewAlert,
    {
      project_id: EXAMPLE.projectId,
      channel: 'email',
      condition_type: 'new_incident',
      cooldown_seconds: 3600,
      config: { to: EXAMPLE.email },
      days: 7,
    },
    200,
    {
      messages: 1,
      held_back: 0,
      matches: [
        {
          incident_id: EXAMPLE.incidentId,
          title: "TypeError: Cannot read properties of undefined (reading 'total')",
          occurred_at: EXAMPLE.now,
          kind: 'new_incident',
          outcome: 'sent',
        },
      ],
    },
  ),
  example(listAlertDeliveries, undefined, 200, {
    deliveries: [
      {
        alert_delivery_id: '3f405162-7c8d-4e9f-8a1b-2c3d4e5f6007',
        alert_id: 'alt_0b7d7a52-6f0e-4a55-9a53-0d5d3c0f2a11',
        project_id: EXAMPLE.projectId,
        incident_id: EXAMPLE.incidentId,
        dedupe_key: 'new_incident',
        notification_key: `new_incident|fp:4af759fc:${EXAMPLE.serviceId}:production`,
        channel: 'email',
        status: 'delivered',
        attempt_count: 1,
        next_attempt_at: null,
        last_attempted_at: EXAMPLE.now,
        last_response_code: null,
        last_error: null,
        created_at: EXAMPLE.now,
        delivered_at: EXAMPLE.now,
      },
    ],
    next_cursor: null,
  }),
  example(listAlertVerdicts, undefined, 200, { verdicts: [VERDICT], next_cursor: null }),
  example(listRuleVerdicts, undefined, 200, { verdicts: [VERDICT], next_cursor: null }),
  example(testAlert, undefined, 200, {
    delivery: {
      alert_delivery_id: '6c738495-afb0-4bc2-9d3e-5f607182930a',
      alert_id: 'alt_0b7d7a52-6f0e-4a55-9a53-0d5d3c0f2a11',
      project_id: EXAMPLE.projectId,
      incident_id: null,
      dedupe_key: 'test:6c738495-afb0-4bc2-9d3e-5f607182930a',
      notification_key: 'test:6c738495-afb0-4bc2-9d3e-5f607182930a',
      channel: 'email',
      status: 'pending',
      attempt_count: 0,
      next_attempt_at: EXAMPLE.now,
      last_attempted_at: null,
      last_response_code: null,
      last_error: null,
      created_at: EXAMPLE.now,
      delivered_at: null,
    },
  }),
  example(getWebhookDelivery, undefined, 200, {
    delivery: {
      delivery_id: 'del_4a516273-8d9e-4fa0-9b1c-3d4e5f607108',
      webhook_id: 'whk_5b627384-9eaf-4ab1-8c2d-4e5f60718209',
      event_type: 'bundle.created',
      status: 'delivered',
      attempt_count: 1,
      next_attempt_at: null,
      last_response_code: 200,
      last_attempted_at: EXAMPLE.now,
      last_error: null,
      created_at: EXAMPLE.now,
      delivered_at: EXAMPLE.now,
    },
    body: '{"event":"bundle.created"}',
    headers: { 'content-type': 'application/json', 'x-service-attempt': '1' },
    attempts: [{ started_at: EXAMPLE.now, duration_ms: 84, response_code: 200, error: null }],
  }),
  example(rotateWebhookSecret, undefined, 200, {
    webhook: {
      webhook_id: 'whk_5b627384-9eaf-4ab1-8c2d-4e5f60718209',
      project_id: EXAMPLE.projectId,
      created_by_user_id: EXAMPLE.userId,
      url: 'https://hooks.culprit.example/incidents',
      events: ['bundle.created'],
      filters: {},
      is_enabled: true,
      created_at: EXAMPLE.now,
      updated_at: EXAMPLE.now,
    },
    signing_secret: 'svc_whsec_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefg',
  }),
  example(tailEvents, undefined, 200, {
    events: [
      {
        event_id: 'evt_01890a5d-ac96-774b-bcce-b302099a8057',
        event_type: 'log_event',
        received_at: EXAMPLE.now,
        occurred_at: EXAMPLE.now,
        service: 'checkout-api',
        environment: 'production',
        level: 'error',
        text: 'payment provider did not answer',
        incident_id: EXAMPLE.incidentId,
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      },
    ],
    cursor: `${EXAMPLE.now}|01890a5d-ac96-774b-bcce-b302099a8056`,
  }),
  example(listProbeResults, undefined, 200, {
    results: [
      {
        event_id: 'evt_01890a5d-ac96-774b-bcce-b302099a8058',
        activation_id: 'act_550e8400-e29b-41d4-a716-446655440000',
        label: 'auth.login',
        data: { attempts: 3 },
        occurred_at: EXAMPLE.now,
        service: 'checkout-api',
        environment: 'production',
        incident_id: null,
      },
    ],
    next_cursor: null,
  }),
  example(
    previewCapture,
    {
      rule: { name: 'No bots', action: 'drop', matcher: { services: ['crawler'] } },
      hours: 24,
    },
    200,
    {
      events_seen: 1204,
      before: { incident: 12, context: 1192, demoted: 0, dropped: 0, sampled_out: 0, rejected: 0 },
      after: { incident: 10, context: 1100, demoted: 0, dropped: 94, sampled_out: 0, rejected: 0 },
      incidents_hidden: [
        { incident_id: EXAMPLE.incidentId, title: 'TimeoutError: no answer from crawler', events: 2 },
      ],
      regressions_hidden: 0,
      samples: [
        {
          event_id: 'evt_01890a5d-ac96-774b-bcce-b302099a8057',
          event_type: 'backend_exception',
          occurred_at: EXAMPLE.now,
          text: 'TimeoutError: no answer from crawler',
        },
      ],
      is_complete: true,
    },
  ),
  example(endOwnSession, undefined, 200, { success: true }),
  example(listSessions, undefined, 200, {
    sessions: [
      {
        session_id: '0d8f6d0e-5a0b-4c55-9c1e-2d6a1f3b4c01',
        created_at: EXAMPLE.now,
        last_used_at: EXAMPLE.now,
        address_class: 'public_ipv4',
        browser: 'Firefox 128.0 on Linux',
        is_current: true,
      },
    ],
  }),
  example(listEventFates, undefined, 200, {
    from: '2026-01-02T03:00:00.000Z',
    to: '2026-01-02T04:00:00.000Z',
    bucket: 'hour',
    totals: fates,
    series: [{ at: '2026-01-02T03:00:00.000Z', ...fates }],
    by_token: [{ token_id: EXAMPLE.tokenId, label: 'Checkout, production', ...fates }],
    by_rule: [
      { rule_id: 'c4d5e6f7-a8b9-4c0d-8e1f-2a3b4c5d6e09', name: 'Health checks', action: 'drop', events: 6 },
    ],
    by_reason: [],
    by_kind: [
      {
        protocol: 'sentry',
        kind: 'sessions',
        taken: 0,
        not_taken: 212,
        over_limit: 0,
        last_at: EXAMPLE.now,
      },
    ],
  }),
  example(getOperatorHealth, undefined, 200, {
    version: '0.1.0',
    time: EXAMPLE.now,
    started_at: EXAMPLE.now,
    settings: {
      mail: 'smtp',
      object_store: 'files',
      database_version: '18.4',
      embedded: true,
      base_url: 'https://culprit.example',
      signup: 'invited',
    },
    processes: [
      {
        role: 'api',
        pid: 4711,
        host: 'errors-1',
        version: '0.1.0',
        started_at: EXAMPLE.now,
        rss_bytes: 156_237_824,
        seen_at: EXAMPLE.now,
      },
    ],
    queues: [{ lane: 'events', waiting: 0, due: 0, oldest_due_seconds: 0 }],
    canary: { last_at: EXAMPLE.now, incident_ms: 14, webhook_ms: 92, failures_24h: 0, series: [88, 95, 92] },
    fates_24h: fates,
    dead_letters: 0,
    disk: { free_bytes: 65_498_251_264, total_bytes: 270_582_939_648, guard_bytes: 4_294_967_296 },
    database: { size_bytes: 1_288_490_188, oldest_transaction_seconds: 0 },
    objects: { size_bytes: 966_367_641, failures_1h: 0 },
    backup: {
      finished_at: EXAMPLE.now,
      directory: '/backups/2026-01-02',
      size_bytes: 2_254_857_830,
      missing_objects: 0,
    },
    findings: [
      {
        check: 'queue',
        severity: 'wrong',
        what: '1204 jobs of events wait, the oldest for 3 min',
        since: EXAMPLE.now,
        todo: 'check that a worker runs and look into its log; add workers or CULPRIT_WORKER_THREADS if it is busy',
        command: null,
      },
    ],
  }),
  example(listDeadLetters, undefined, 200, {
    dead_letters: [
      {
        id: 17,
        project_id: EXAMPLE.projectId,
        batch_id: '0d8f6d0e-5a0b-4c55-9c1e-2d6a1f3b4c02',
        position: 3,
        batch_events: 30,
        object: 'raw/7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01/2026-01-02/am-2f1c3b5d-0d0e-4a6f-9b7c-3e5d7f9a1b2c',
        attempts: 1,
        created_at: EXAMPLE.now,
        reason:
          'object raw/7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01/2026-01-02/am-2f1c3b5d-0d0e-4a6f-9b7c-3e5d7f9a1b2c is missing',
      },
    ],
    total: 1,
    next_cursor: null,
  }),
  example(retryDeadLetters, { ids: [17] }, 200, { put_back: 1 }),
  example(sendWeeklyReport, undefined, 200, { report: { from: '2025-12-26', to: '2026-01-02' } }),
];
