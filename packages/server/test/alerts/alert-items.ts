import type { AlertItem } from '../../src/notify/alerts/alert-facts.ts';

export const APP_URL = 'https://app.example.test';
export const HOSTILE =
  '<!channel> <b>**bold**</b> [here](https://evil.example) `x` & @everyone\r\nBcc: a@evil.example';

/** The example of docs/contract/notifications.md 1.13 to 1.15. */
export function item(
  change: Partial<AlertItem['facts']> = {},
  incident: Partial<AlertItem['facts']['incident']> = {},
): AlertItem {
  return {
    alertId: 'alt_1',
    ruleName: null,
    alertDeliveryId: '6c0a3f0e-2b3b-4b0c-8f0e-1d0d6d4f8f10',
    facts: {
      condition: 'new_incident',
      lifecycle: 'new_incident',
      triggeredAt: '2026-01-02T03:04:05.000Z',
      projectId: 'proj_1',
      projectName: 'Main App',
      incident: {
        incidentId: 'inc_1',
        shortId: 'CHECKOUT-42',
        bundleId: 'bun_1',
        title: 'TypeError in checkout',
        description: 'Cannot read properties of undefined',
        kind: 'backend_exception',
        severity: 'high',
        status: 'open',
        serviceId: '9c5a1f80-3d5c-4d6e-9f64-6e2b0c7f1d03',
        serviceName: 'checkout-api',
        environment: 'production',
        occurrenceCount: 1,
        firstSeenAt: '2026-01-01T00:00:00.000Z',
        lastSeenAt: '2026-01-02T03:04:05.000Z',
        ...incident,
      },
      release: null,
      spike: null,
      deploy: null,
      ...change,
    },
  };
}

export const SPIKE = {
  lifecycle: 'error_spike',
  spike: { events5m: 35, baseline5m: 9.92, ratio: 3.53 },
} as const;
export const DEPLOY = {
  condition: 'regression_after_deploy',
  lifecycle: 'incident_regressed',
  deploy: {
    version: '1.2.3',
    commitSha: 'abc123',
    branch: 'main',
    deployedAt: '2026-01-02T02:34:05.000Z',
    minutesSinceDeploy: 30,
  },
} as const;
