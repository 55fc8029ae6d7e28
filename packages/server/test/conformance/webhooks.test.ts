import { createHmac } from 'node:crypto';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect } from '../support/incident-client.ts';
import { type ManagementClient, managementClient } from '../support/management-client.ts';
import { newAddress, signInAs } from '../support/people.ts';
import { sendRequest } from '../support/send-events.ts';
import { deliveriesRest, webhookClient } from '../support/webhook-client.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { ago, DEP, EX, MINUTE, named } from './incidents-fixtures.ts';

const BEGAN_MS = Date.now();

const APP = 'https://app.example.test';
const PUBLIC_URL = 'https://hooks.example.com/in';

let culprit: TestCulprit;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [culprit, receiver] = await Promise.all([startCulprit({ appUrl: APP }), startReceiver()]);
});
afterAll(async () => {
  await culprit.stop();
  await receiver.stop();
});

/** A project with somebody who manages it. */
async function manage(): Promise<{ projectId: string; memberToken: string; owner: ManagementClient }> {
  const { projectId, memberToken } = await culprit.createProject();
  return { projectId, memberToken, owner: managementClient(culprit, memberToken) };
}

/** What this receiver got on a path of its own. */
function requestsAt(path: string) {
  return receiver.requests.filter((request) => request.path === path);
}

function urlAt(path: string): string {
  return new URL(path, receiver.url).href;
}

describe.concurrent('webhooks', () => {
  // N-29
  it('creating one shows the secret once, beside the record', async () => {
    const { projectId, owner } = await manage();
    const filters = { environment: ['production'], severity_min: 'high' };
    const created = await owner.post('/v1/webhooks', {
      project_id: projectId,
      url: PUBLIC_URL,
      events: ['bundle.reopened', 'bundle.created', 'bundle.created'],
      filters,
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      webhook: {
        webhook_id: expect.stringMatching(/^whk_[0-9a-f-]{36}$/),
        project_id: projectId,
        created_by_user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: PUBLIC_URL,
        events: ['bundle.created', 'bundle.reopened'],
        filters,
        is_enabled: true,
        created_at: expect.stringMatching(/Z$/),
        updated_at: expect.stringMatching(/Z$/),
      },
      signing_secret: expect.stringMatching(/^svc_whsec_[0-9A-Za-z]{43}$/),
    });
    const body = isJsonObject(created.body) ? created.body : {};
    const webhook = isJsonObject(body.webhook) ? body.webhook : {};
    const read = await owner.get(`/v1/webhooks/${webhook.webhook_id}`);
    expect([read.status, read.body]).toEqual([200, { webhook }]);
    const secret = String(body.signing_secret);
    expect(await countRows(culprit, `webhooks w where strpos(w::text, $1) > 0`, [secret])).toBe(0);
    // The bytes of the column are printed in hex.
    const hex = Buffer.from(secret).toString('hex');
    expect(await countRows(culprit, `webhooks w where strpos(w::text, $1) > 0`, [hex])).toBe(0);
  });

  // N-30
  it('what is not a webhook is refused', async () => {
    const { projectId, owner } = await manage();
    const sound = { project_id: projectId, url: PUBLIC_URL, events: ['bundle.created'] };
    for (const change of [
      { events: [] },
      { events: ['nope'] },
      { filters: { environments: ['production'] } },
      { filters: { severity_min: 'severe' } },
      { filters: { environment: [''] } },
      { filters: { service: Array.from({ length: 51 }, () => 'x') } },
      { filters: null },
      { url: 'no address' },
      { url: `https://hooks.example.com/${'x'.repeat(2000)}` },
      { signing_secret: 'svc_whsec_mine' },
    ]) {
      expectProblem(await owner.post('/v1/webhooks', { ...sound, ...change }), 400, 'invalid_payload');
    }
    for (const url of ['ftp://x.example.com', 'https://user:pw@hooks.example.com/x']) {
      expectProblem(await owner.post('/v1/webhooks', { ...sound, url }), 400, 'blocked_target');
    }
    expect((await owner.get(`/v1/webhooks?project_id=${projectId}`)).body).toEqual({
      webhooks: [],
      next_cursor: null,
    });
  });

  // N-31
  it('every request is signed over its raw body, with the headers of the contract', async () => {
    const client = await connect(culprit);
    const webhooks = webhookClient(culprit, client.project);
    const { webhook, signing_secret } = await webhooks.create(urlAt('/n31'));
    await client.send(EX());
    const { incident_id } = await client.only();
    const delivery = await webhooks.delivery(webhook.webhook_id, { status: 'delivered' });
    await client.resolve(incident_id);
    await webhooks.delivery(webhook.webhook_id, { event_type: 'bundle.resolved', status: 'delivered' });
    const requests = requestsAt('/n31');
    expect(requests).toHaveLength(2);
    for (const { headers, body, method } of requests) {
      expect(method).toBe('POST');
      expect(headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/);
      expect(headers['x-service-signature']).toBe(
        createHmac('sha256', signing_secret).update(body).digest('hex'),
      );
      const { 'webhook-id': id, 'webhook-timestamp': time } = headers;
      const message = Buffer.concat([Buffer.from(`${id}.${time}.`), body]);
      const mac = createHmac('sha256', signing_secret).update(message).digest('base64');
      expect(headers['webhook-signature']).toBe(`v1,${mac}`);
      expect([id, time]).toEqual([headers['x-service-delivery'], headers['x-service-timestamp']]);
      expect(headers['content-type']).toBe('application/json');
      expect(headers['user-agent']).toBe('culprit-webhooks/1');
      expect(headers['x-service-attempt']).toBe('1');
      const timestamp = Number(headers['x-service-timestamp']);
      expect(timestamp).toBeGreaterThanOrEqual(Math.floor(BEGAN_MS / 1000));
      expect(timestamp).toBeLessThanOrEqual(Date.now() / 1000);
    }
    expect(requests[0]?.headers).toMatchObject({
      'x-service-event': 'bundle.created',
      'x-service-delivery': delivery.delivery_id,
    });
    const bundleId = incident_id.replace('inc_', 'bun_');
    expect(JSON.parse(requests[0]?.body.toString() ?? '')).toEqual({
      event: 'bundle.created',
      occurred_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      project_id: client.project.projectId,
      bundle_id: bundleId,
      bundle_type: 'failure',
      severity: 'high',
      service: 'checkout-api',
      environment: 'production',
      verification: false,
      summary: "TypeError: Cannot read properties of undefined (reading 'theme')",
      links: {
        bundle: `${APP}/bundles/${bundleId}`,
        reproduction: `${APP}/bundles/${bundleId}/reproduction`,
      },
    });
  });

  // N-32
  it('only what matches all filters is delivered, and once', async () => {
    const client = await connect(culprit);
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create(urlAt('/n32'), {
      events: ['bundle.created', 'bundle.reopened'],
      filters: { environment: ['production'], severity_min: 'high' },
    });
    await client.send(
      named('Low', { event_type: 'log_event', payload: { level: 'error', message: 'low', attributes: {} } }),
      named('Staging', { service: { environment: 'staging' } }),
      named('High'),
    );
    await client.counted(1, 1, 1);
    await client.refreshed();
    await deliveriesRest(culprit, client.project);
    expect(await client.ledger('bundle.created')).toHaveLength(3);
    const deliveries = await webhooks.deliveries(webhook.webhook_id);
    expect(deliveries).toMatchObject([{ event_type: 'bundle.created', status: 'delivered' }]);
    expect(requestsAt('/n32').map(({ body }) => JSON.parse(body.toString()).summary)).toEqual([
      'HighError: High failed',
    ]);
  });

  // N-22
  it('a reopening by a person and one by a new event are both told, with their deploy', async () => {
    const client = await connect(culprit);
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create(urlAt('/n22'), { events: ['bundle.reopened'] });
    await client.send(DEP({ payload: { deployed_at: ago(30 * MINUTE) } }), EX());
    const { incident_id } = await client.only();
    await client.resolve(incident_id);
    await client.reopen(incident_id);
    await webhooks.delivery(webhook.webhook_id, { status: 'delivered' });
    await client.resolve(incident_id);
    await client.send(EX());
    await client.only(2);
    await deliveriesRest(culprit, client.project);
    const bodies = requestsAt('/n22').map(({ body }) => JSON.parse(body.toString()));
    const same = {
      event_type: 'bundle.reopened',
      incident_id,
      project_id: client.project.projectId,
      occurred_at: expect.stringMatching(/Z$/),
      service_name: 'checkout-api',
      environment: 'production',
      severity: 'high',
    };
    expect(bodies).toEqual([
      {
        ...same,
        regression_after_deploy: false,
        deploy_version: null,
        deploy_commit_sha: null,
        deploy_branch: null,
        deploy_deployed_at: null,
        minutes_since_deploy: null,
      },
      {
        ...same,
        regression_after_deploy: true,
        deploy_version: '2026.03.24.1',
        deploy_commit_sha: 'a1b2c3d4',
        deploy_branch: 'main',
        deploy_deployed_at: expect.stringMatching(/Z$/),
        minutes_since_deploy: 30,
      },
    ]);
  });

  it('tells nothing of a resolve that changes nothing, and one event of each incident of a bulk call', async () => {
    const client = await connect(culprit);
    const webhooks = webhookClient(culprit, client.project);
    const { webhook } = await webhooks.create(urlAt('/bulk'), { events: ['bundle.resolved'] });
    await client.send(named('Alpha'), named('Beta'));
    const incidents = await client.counted(1, 1);
    const body = { incident_ids: incidents.map(({ incident_id }) => incident_id) };
    expect((await client.post('/v1/incidents/resolve', body)).status).toBe(200);
    expect((await client.post('/v1/incidents/resolve', body)).status).toBe(200);
    await deliveriesRest(culprit, client.project);
    expect(await webhooks.deliveries(webhook.webhook_id)).toHaveLength(2);
  });

  // N-33
  it('a test is delivered whatever the webhook wants', async () => {
    const { projectId, memberToken, owner } = await manage();
    const webhooks = webhookClient(culprit, { projectId, memberToken });
    const { webhook } = await webhooks.create(urlAt('/n33'), {
      events: ['bundle.created'],
      is_enabled: false,
    });
    const path = `/v1/webhooks/${webhook.webhook_id}/test`;
    const { status, body } = await owner.post(path);
    expect(status).toBe(200);
    expect(body).toEqual({
      delivery: {
        delivery_id: expect.stringMatching(/^del_[0-9a-f-]{36}$/),
        webhook_id: webhook.webhook_id,
        event_type: 'verification.passed',
        status: 'pending',
        attempt_count: 0,
        next_attempt_at: expect.stringMatching(/Z$/),
        last_response_code: null,
        last_attempted_at: null,
        last_error: null,
        created_at: expect.stringMatching(/Z$/),
        delivered_at: null,
      },
    });
    const delivery = await webhooks.delivery(webhook.webhook_id, { status: 'delivered' });
    expect(delivery).toMatchObject({ attempt_count: 1, next_attempt_at: null, last_response_code: 204 });
    expect(JSON.parse(requestsAt('/n33')[0]?.body.toString() ?? '')).toEqual({
      delivery_id: delivery.delivery_id,
      event: 'verification.passed',
      event_type: 'verification.passed',
      occurred_at: delivery.created_at,
      project_id: projectId,
      webhook_id: webhook.webhook_id,
      incident_id: 'inc_00000000-0000-4000-8000-000000000000',
      test: true,
      data: { message: 'Test delivery: verification passed.' },
    });
    for (const alias of [{ event: 'verification.failed' }, { event_type: 'verification.failed' }]) {
      expect((await owner.post(path, alias)).body).toMatchObject({
        delivery: { event_type: 'verification.failed' },
      });
    }
    for (const wrong of [
      { event_type: 'bundle.created' },
      { event: 'verification.failed', event_type: 'verification.passed' },
      { more: 1 },
    ]) {
      expectProblem(await owner.post(path, wrong), 400, 'invalid_payload');
    }
    expect((await webhooks.read(webhook.webhook_id)).is_enabled).toBe(false);
  });

  // N-43
  it('targets inside are refused at create and update', async () => {
    const closed = await startCulprit({ baseUrl: 'https://errors.example.test', hasWorker: false });
    try {
      const { projectId, memberToken } = await closed.createProject();
      const owner = managementClient(closed, memberToken);
      const { webhook } = await webhookClient(closed, { projectId, memberToken }).create(PUBLIC_URL);
      // Which addresses are inside is a table: test/roles/outbound-policy.test.ts.
      for (const url of ['https://localhost/x', 'https://169.254.169.254/x', 'https://[fd00::1]/x']) {
        const body = { project_id: projectId, url, events: ['bundle.created'] };
        expectProblem(await owner.post('/v1/webhooks', body), 400, 'blocked_target');
        const path = `/v1/webhooks/${webhook.webhook_id}`;
        expectProblem(await owner.patch(path, { url }), 400, 'blocked_target');
        for (const [channel, config] of [
          ['webhook', { target_url: url }],
          ['discord', { webhook_url: url }],
          ['slack', { webhook_url: url }],
        ]) {
          const rule = { project_id: projectId, condition_type: 'new_incident', channel, config };
          expectProblem(await owner.post('/v1/alerts', rule), 400, 'blocked_target');
        }
      }
    } finally {
      await closed.stop();
    }
  });

  // N-46
  it('ids that name nothing and malformed ones', async () => {
    const { owner, projectId, memberToken } = await manage();
    expectProblem(await owner.get('/v1/webhooks/whk_doesnotexist'), 404, 'webhook_not_found');
    expectProblem(await owner.get('/v1/webhooks/a%20b'), 400, 'invalid_webhook_id');
    const { webhook } = await webhookClient(culprit, { projectId, memberToken }).create(PUBLIC_URL);
    const path = `/v1/webhooks/${webhook.webhook_id}/deliveries`;
    expectProblem(await owner.post(`${path}/a%20b/retry`), 400, 'invalid_delivery_id');
    expectProblem(await owner.post(`${path}/del_doesnotexist/retry`), 404, 'delivery_not_found');
    const bare = webhook.webhook_id.replace('whk_', '');
    expect((await owner.get(`/v1/webhooks/${bare}`)).body).toEqual({ webhook });
  });

  // N-47
  it('a session without its CSRF token changes nothing', async () => {
    const email = newAddress('owner');
    const { projectId } = await culprit.createProject({ email });
    const person = await signInAs(culprit, email);
    const body = { project_id: projectId, url: PUBLIC_URL, events: ['bundle.created'] };
    const { cookie = '' } = person.headers;
    const answer = await sendRequest(`${culprit.url}/v1/webhooks`, {
      headers: { cookie },
      body: JSON.stringify(body),
    });
    expectProblem(answer, 403, 'invalid_csrf_token');
    expect((await person.request('POST', '/v1/webhooks', body)).status).toBe(201);
  });

  it('an update replaces what it names and nothing else', async () => {
    const { projectId, memberToken, owner } = await manage();
    const webhooks = webhookClient(culprit, { projectId, memberToken });
    const { webhook } = await webhooks.create(PUBLIC_URL, {
      events: ['bundle.created'],
      filters: { service: ['api'], environment: [], verification: false, bundle_type: null },
    });
    expect(webhook.filters).toEqual({ service: ['api'], verification: false });
    const path = `/v1/webhooks/${webhook.webhook_id}`;
    const changed = await owner.patch(path, { events: ['verification.passed', 'bundle.updated'] });
    expect(changed.body).toEqual({
      webhook: {
        ...webhook,
        events: ['bundle.updated', 'verification.passed'],
        updated_at: expect.stringMatching(/Z$/),
      },
    });
    const cleared = await owner.patch(path, { filters: null, url: 'https://hooks.example.com/next#part' });
    expect(cleared.body).toMatchObject({ webhook: { filters: {}, url: 'https://hooks.example.com/next' } });
    for (const wrong of [{}, { signing_secret: 'x' }, { project_id: projectId }, { is_enabled: null }]) {
      expectProblem(await owner.patch(path, wrong), 400, 'invalid_payload');
    }
  });

  it('a list has the webhooks of all projects somebody sees, in pages, newest first', async () => {
    const one = await manage();
    const other = await one.owner.createProject({ name: 'other' });
    const first = webhookClient(culprit, one);
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await first.create(PUBLIC_URL)).webhook.webhook_id);
    const { webhook } = await webhookClient(culprit, {
      projectId: other.project_id,
      memberToken: one.memberToken,
    }).create(PUBLIC_URL);
    const all = await one.owner.get('/v1/webhooks');
    const listed = isJsonObject(all.body) && Array.isArray(all.body.webhooks) ? all.body.webhooks : [];
    expect(listed.map((each) => isJsonObject(each) && each.webhook_id)).toEqual([webhook.webhook_id, ...ids]);
    const page = await one.owner.get(`/v1/webhooks?project_id=${one.projectId}&limit=2`);
    expect(page.body).toMatchObject({ webhooks: [{ webhook_id: ids[0] }, { webhook_id: ids[1] }] });
    const cursor = isJsonObject(page.body) ? String(page.body.next_cursor) : '';
    const rest = await one.owner.get(
      `/v1/webhooks?project_id=${one.projectId}&limit=2&cursor=${encodeURIComponent(cursor)}`,
    );
    expect(rest.body).toMatchObject({ webhooks: [{ webhook_id: ids[2] }], next_cursor: null });
    for (const query of ['limit=0', 'limit=101', 'cursor=x', 'more=1']) {
      expectProblem(await one.owner.get(`/v1/webhooks?${query}`), 400, 'invalid_query');
    }
  });

  it('a list of deliveries is paged and belongs to the named project', async () => {
    const { projectId, memberToken, owner } = await manage();
    const webhooks = webhookClient(culprit, { projectId, memberToken });
    const { webhook } = await webhooks.create(urlAt('/pages'));
    const ids = [];
    for (let n = 0; n < 3; n += 1) ids.unshift((await webhooks.test(webhook.webhook_id)).delivery_id);
    const path = `/v1/webhooks/${webhook.webhook_id}/deliveries`;
    const page = await owner.get(`${path}?limit=2&project_id=${projectId}`);
    expect(page.body).toMatchObject({ deliveries: [{ delivery_id: ids[0] }, { delivery_id: ids[1] }] });
    const cursor = isJsonObject(page.body) ? String(page.body.next_cursor) : '';
    expect((await owner.get(`${path}?cursor=${encodeURIComponent(cursor)}`)).body).toMatchObject({
      deliveries: [{ delivery_id: ids[2] }],
      next_cursor: null,
    });
    const other = await owner.createProject({ name: 'other' });
    expectProblem(await owner.get(`${path}?project_id=${other.project_id}`), 404, 'webhook_not_found');
  });

  it('every member of the project may do everything, and nobody else learns that it exists', async () => {
    const { projectId, memberToken } = await manage();
    const { webhook } = await webhookClient(culprit, { projectId, memberToken }).create(PUBLIC_URL);
    const member = await createCollaborator(culprit, { projectId }, 'member');
    const theirs = managementClient(culprit, member.memberToken);
    const path = `/v1/webhooks/${webhook.webhook_id}`;
    expect((await theirs.patch(path, { is_enabled: false })).body).toMatchObject({
      webhook: { is_enabled: false, created_by_user_id: webhook.created_by_user_id },
    });
    const stranger = (await manage()).owner;
    expectProblem(await stranger.get(path), 404, 'webhook_not_found');
    expectProblem(await stranger.patch(path, { is_enabled: true }), 404, 'webhook_not_found');
    expectProblem(await stranger.delete(path), 404, 'webhook_not_found');
    expectProblem(await stranger.post(`${path}/test`), 404, 'webhook_not_found');
    expectProblem(await stranger.get(`/v1/webhooks?project_id=${projectId}`), 404, 'project_not_found');
    const deleted = await theirs.delete(path);
    expect([deleted.status, deleted.body]).toEqual([204, null]);
    expectProblem(await theirs.delete(path), 404, 'webhook_not_found');
  });

  it('a project has at most 100 webhooks', async () => {
    const { projectId, memberToken, owner } = await manage();
    const { webhook } = await webhookClient(culprit, { projectId, memberToken }).create(PUBLIC_URL);
    await culprit.database.query(
      {
        name: 'test-fill-webhooks',
        text: `insert into webhooks select (jsonb_populate_record(w, jsonb_build_object('webhook_id', gen_random_uuid()))).*
          from webhooks w, generate_series(1, 98) where w.webhook_id = $1`,
      },
      [webhook.webhook_id.replace('whk_', '')],
    );
    const body = { project_id: projectId, url: PUBLIC_URL, events: ['bundle.created'] };
    const statuses = await Promise.all(
      [1, 2, 3].map(async () => (await owner.post('/v1/webhooks', body)).status),
    );
    expect(statuses.sort()).toEqual([201, 409, 409]);
    expectProblem(await owner.post('/v1/webhooks', body), 409, 'resource_limit_reached');
  });
});
