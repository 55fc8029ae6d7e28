import { type EndpointExample, EXAMPLE, example } from '../endpoints/endpoint-example.ts';
import { listAlertDeliveries, testAlert } from './alert-deliveries.ts';
import { listAlertVerdicts, listRuleVerdicts } from './alert-verdicts.ts';
import { previewAlert } from './alerts.ts';
import { getWebhookDelivery, rotateWebhookSecret } from './webhooks.ts';
import { sendWeeklyReport } from './weekly-reports.ts';

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

/** Examples of what is sent: alerts, webhook deliveries and weekly reports. */
export const messageExamples: readonly EndpointExample[] = [
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
  example(sendWeeklyReport, undefined, 200, { report: { from: '2025-12-26', to: '2026-01-02' } }),
];
