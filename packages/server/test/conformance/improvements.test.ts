import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connectImprovements, type ImprovementClient } from '../support/improvement-client.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { ago, changed, DAY, DEP, EX, MINUTE, REQ, type SentEvent } from './incidents-fixtures.ts';

let culprit: TestCulprit;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [culprit, receiver] = await Promise.all([shareCulprit('hosted'), startReceiver()]);
});
afterAll(async () => {
  await culprit.stop();
  await receiver.stop();
});

/** A Solo project that takes all requests. */
async function solo(): Promise<ImprovementClient> {
  return await connectImprovements(culprit, { plan: 'solo', preset: 'investigative' });
}

/** So many slow answers of one route. */
function slow(count: number): SentEvent[] {
  const payload = { method: 'GET', path: '/api/search', response_status: 200, duration_ms: 2500 };
  return Array.from({ length: count }, () => changed(REQ(), { payload }));
}

describe.concurrent('improvements', () => {
  //
  it('twenty slow requests of a route are one improvement with one bundle, told once', async () => {
    const client = await solo();
    const { webhook } = await webhookClient(culprit, client.project).create(
      new URL('/a-50', receiver.url).href,
    );
    await webhookClient(culprit, client.project).create(new URL('/a-50-failures', receiver.url).href, {
      filters: { bundle_type: ['failure'] },
    });
    await client.send(...slow(20));
    const improvement = await client.onlyImprovement();
    expect(improvement).toMatchObject({
      kind: 'slow_request',
      status: 'open',
      evidence: { detector: 'slow_request', observed: 20, threshold: 20, window_seconds: 86400 },
      bundle_generation_number: 1,
      occurrence_count: 20,
      confidence: 0.6,
      severity: 'low',
    });
    await webhookClient(culprit, client.project).delivery(webhook.webhook_id, {
      event_type: 'improvement_bundle.created',
      status: 'delivered',
    });
    const told = receiver.requests
      .filter(({ path }) => path === '/a-50')
      .map(({ body }) => JSON.parse(String(body)));
    expect(told).toMatchObject([
      {
        event: 'improvement_bundle.created',
        bundle_type: 'improvement',
        bundle_id: `bun_${improvement.improvement_id}`,
        severity: 'low',
        service: 'checkout-api',
        environment: 'production',
        verification: false,
        summary: 'Slow request: GET /api/search',
      },
    ]);
    expect(receiver.requests.filter(({ path }) => path === '/a-50-failures')).toEqual([]);
  });

  //
  it('with nineteen nothing is listed', async () => {
    const client = await solo();
    await client.send(...slow(19));
    await client.judged();
    expect(await client.improvements()).toEqual([]);
  });

  //
  it('snoozing sets the time, a time that is past is refused', async () => {
    const client = await solo();
    await client.send(...slow(20));
    const { improvement_id: id } = await client.onlyImprovement();
    const until = ago(-DAY);
    expect(await client.change(id, { snoozed_until: until })).toMatchObject({
      status: 'snoozed',
      snoozed_until: until,
      resolved_at: null,
    });
    const path = `/v1/improvements/${id}/snooze`;
    for (const snoozed_until of [ago(MINUTE), ago(-MINUTE / 2), ago(-91 * DAY), '2030-01-01']) {
      expect(await client.post(path, { snoozed_until })).toMatchObject({
        status: 400,
        body: { error: 'invalid_payload' },
      });
    }
  });

  //
  it('a regression after a deploy is an improvement that the incident covers', async () => {
    const client = await solo();
    await client.send(DEP());
    await client.send(EX({ timestamp: ago(2 * DAY) }));
    const { incident_id: incidentId } = await client.only();
    await client.resolve(incidentId);
    await client.send(EX());
    await client.only(2);
    const improvement = await client.onlyImprovement();
    expect(improvement).toMatchObject({
      kind: 'post_deploy_regression',
      related_incident_ids: [incidentId],
      severity: (await client.read(incidentId)).severity,
      confidence: 0.6,
      bundle_generation_number: 0,
    });
    const path = `/v1/projects/${client.project.projectId}/improvements/${improvement.improvement_id}/bundle`;
    expect((await client.get(path)).body).toEqual({
      status: 'failed',
      reason: 'covered_by_incident_bundle',
      related_incident_ids: [incidentId],
    });
    expect(await client.ledger('improvement_bundle.created')).toEqual([]);
  });
});
