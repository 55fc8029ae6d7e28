import { messageExamples } from '../alerts/message-examples.ts';
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
  example(retryDeadLetters, { ids: [17] }, 200, { retried: 1 }),
  ...messageExamples,
];
