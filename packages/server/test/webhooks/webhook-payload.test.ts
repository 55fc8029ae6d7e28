import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import { webhookEvents } from '@culprit/contract/alerts/webhook-payloads';
import { TEST_EVENTS } from '@culprit/contract/alerts/webhooks';
import { describe, expect, it } from 'vitest';
import {
  eventOf,
  type LifecycleFacts,
  lifecycleBody,
  testBody,
} from '../../src/notify/webhooks/webhook-payload.ts';
import { NOTIFIABLE_KINDS } from '../../src/notify/webhooks/webhooks.jobs.ts';
import { compileValidator } from '../../src/platform/http/binding/schema-validator.ts';

const FACTS: LifecycleFacts = {
  kind: 'bundle.created',
  occurredAtMs: Date.parse('2026-01-02T03:04:05.000Z'),
  projectId: '7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
  subjectId: '2a1c4f57-0b6d-4a7e-b0a5-7d3c9e5f8a04',
  bundleType: 'failure',
  service: 'checkout-api',
  environment: 'production',
  severity: 'high',
  title: 'TypeError in checkout',
  isVerification: false,
  data: {},
};
const APP = 'https://app.example.test';
const DEPLOY = {
  regression_after_deploy: true,
  deploy_version: '1.2.3',
  deploy_commit_sha: 'abc123',
  deploy_branch: 'main',
  deploy_deployed_at: '2026-01-02T02:34:05.000Z',
  minutes_since_deploy: 30,
};
/** A spike is no regression. */
const SPIKE_DEPLOY = { ...DEPLOY, regression_after_deploy: false };
const NO_DEPLOY = {
  regression_after_deploy: false,
  deploy_version: null,
  deploy_commit_sha: null,
  deploy_branch: null,
  deploy_deployed_at: null,
  minutes_since_deploy: null,
};

describe('the body of a delivery', () => {
  it('of a bundle is that of the contract, byte by byte', () => {
    const link = `${APP}/bundles/bun_${FACTS.subjectId}`;
    expect(lifecycleBody(FACTS, APP)).toBe(
      JSON.stringify({
        event: 'bundle.created',
        occurred_at: '2026-01-02T03:04:05.000Z',
        project_id: 'proj_7d6c1c36-4f3d-4e02-8a9c-5f1f5d0f9b01',
        bundle_id: 'bun_2a1c4f57-0b6d-4a7e-b0a5-7d3c9e5f8a04',
        bundle_type: 'failure',
        severity: 'high',
        service: 'checkout-api',
        environment: 'production',
        verification: false,
        summary: 'TypeError in checkout',
        links: { bundle: link, reproduction: `${link}/reproduction` },
      }),
    );
  });

  it.each([
    ['incident.regressed', 'bundle.reopened', DEPLOY, DEPLOY],
    ['incident.reopened', 'bundle.reopened', { user_id: 'somebody', ...NO_DEPLOY }, NO_DEPLOY],
    ['incident.spike_detected', 'incident.spike_detected', {}, NO_DEPLOY],
    [
      'incident.spike_detected',
      'incident.spike_detected',
      { ...SPIKE_DEPLOY, previous_deploy_version: '1.2.2' },
      { ...SPIKE_DEPLOY, deployed_at: DEPLOY.deploy_deployed_at, previous_deploy_version: '1.2.2' },
    ],
    [
      'incident.spike_detected',
      'incident.spike_detected',
      { ...SPIKE_DEPLOY, previous_deploy_version: null },
      { ...SPIKE_DEPLOY, deployed_at: DEPLOY.deploy_deployed_at, previous_deploy_version: null },
    ],
  ] as const)(
    'of %s is that of an incident, and tells nothing else of the ledger row',
    (kind, event, data, deploy) => {
      expect(JSON.parse(lifecycleBody({ ...FACTS, kind, data }, APP))).toEqual({
        event_type: event,
        incident_id: `inc_${FACTS.subjectId}`,
        project_id: `proj_${FACTS.projectId}`,
        occurred_at: '2026-01-02T03:04:05.000Z',
        service_name: 'checkout-api',
        environment: 'production',
        severity: 'high',
        ...deploy,
      });
    },
  );

  it('stays below 8 KiB with the longest texts, and cuts the title at a character', () => {
    const facts = {
      ...FACTS,
      title: '💥'.repeat(1000),
      service: '\u0001'.repeat(200),
      environment: '"'.repeat(200),
    };
    const body = lifecycleBody(facts, APP);
    expect(Buffer.byteLength(body)).toBeLessThan(8192);
    expect(JSON.parse(body).summary).toBe('💥'.repeat(300));
  });

  it('is valid by the schema of its event, whatever the ledger row knows', () => {
    const seen = new Set<string>();
    for (const kind of NOTIFIABLE_KINDS) {
      const event = eventOf(kind);
      const isValid = compileValidator(webhookEvents[event].payload);
      for (const data of [{}, DEPLOY, { ...SPIKE_DEPLOY, previous_deploy_version: '1.2.2' }]) {
        const body: unknown = JSON.parse(
          lifecycleBody({ ...FACTS, kind, data, title: '💥'.repeat(999) }, APP),
        );
        expect([kind, body, isValid(body)]).toEqual([kind, body, true]);
      }
      seen.add(event);
    }
    for (const event of TEST_EVENTS) {
      const id = FACTS.subjectId;
      const body: unknown = JSON.parse(
        testBody({ event, deliveryId: id, webhookId: id, projectId: id, occurredAtMs: FACTS.occurredAtMs }),
      );
      expect(compileValidator(webhookEvents[event].payload)(body)).toBe(true);
      seen.add(event);
    }
    expect([...seen].sort()).toEqual([...WEBHOOK_EVENTS].sort());
  });
});
