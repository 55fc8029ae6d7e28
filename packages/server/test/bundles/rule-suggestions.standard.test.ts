import type { CaptureRuleSuggestion } from '@culprit/contract/capture/capture-rules';
import { suggestCaptureRules } from '@culprit/contract/capture/capture-rules';
import { createClient } from '@culprit/contract/endpoints/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCollaborator, setPlan } from '../support/collaborators.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { clientOf, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { ruleClient } from '../support/rule-client.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';

/** Suggestions made, accepted and proven against the events they are about (docs/contract/ingestion.md 5.5). */

let culprit: TestCulprit;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED });
});
afterAll(() => culprit.stop());

const base = {
  timestamp: '2026-03-24T10:30:00Z',
  service: { name: 'web', environment: 'production' },
};
const failure = (payload: object) => ({
  ...base,
  event_type: 'frontend_exception',
  payload: { name: 'E', message: 'm', stack: null, ...payload },
});

async function open(): Promise<IncidentClient> {
  return clientOf(culprit, await culprit.createProject({ plan: 'team' }));
}

async function suggested(client: IncidentClient, incidentId: string): Promise<CaptureRuleSuggestion[]> {
  const api = createClient({ baseUrl: culprit.url, token: client.project.memberToken });
  const call = await api.call(suggestCaptureRules, { params: { id: incidentId } });
  if (!call.ok) throw new Error(`answered ${call.status} ${call.error}`);
  expect(call.body).toMatchObject({ bundle_status: 'ready', bundle_reason: null });
  return call.body.suggestions;
}

/** The incident of events that were sent, with its bundle there. */
async function incidentOf(client: IncidentClient, ...events: object[]): Promise<string> {
  await client.send(...events);
  const { incident_id } = await client.only(events.length);
  await client.bundle(incident_id);
  await client.refreshed();
  return incident_id;
}

describe('a suggestion', () => {
  it.each<[string, string, object[]]>([
    [
      'primary_resource_host_demote',
      'demote',
      [
        failure({
          browser_event: {
            kind: 'resource_error',
            opaque: true,
            page: { url: 'https://shop.example/cart' },
            target: { tag_name: 'script', source_url: 'https://cdn.ads.example:8443/x.js' },
          },
        }),
      ],
    ],
    [
      'opaque_window_error_demote',
      'demote',
      [failure({ message: 'Script error.', browser_event: { kind: 'window_error', opaque: true } })],
    ],
    ['opaque_window_error_demote', 'demote', [failure({ message: 'Script error.' })]],
    ['bot_client_demote', 'demote', [failure({ device: { user_agent: 'Googlebot/2.1' } })]],
    [
      'bot_client_demote',
      'demote',
      [
        {
          ...base,
          event_type: 'request_event',
          payload: { method: 'GET', path: '/a', response_status: 500, headers: { 'User-Agent': 'bingbot' } },
        },
      ],
    ],
    [
      'noisy_request_route_sample',
      'sample',
      Array.from({ length: 10 }, (_, n) => ({
        ...base,
        event_type: 'request_event',
        payload: { method: 'GET', path: `/orders/${n}`, response_status: 429 },
      })),
    ],
    ['exact_fingerprint_drop', 'drop', [{ ...failure({}), event_type: 'backend_exception' }]],
  ])('%s makes a rule that meets its own events', async (id, action, events) => {
    const client = await open();
    const incidentId = await incidentOf(client, ...events);
    const suggestion = (await suggested(client, incidentId)).find((each) => each.suggestion_id === id);
    expect(suggestion).toMatchObject({
      recommended_action: action,
      created_rule_id: null,
      created_rule_enabled: null,
    });

    const answer = await client.post(`/v1/incidents/${incidentId}/capture-rules`, { suggestion_id: id });
    expect(answer).toMatchObject({
      status: 201,
      body: { rule: { ...suggestion?.rule, created_by_user_id: client.project.userId } },
    });
    const rules = ruleClient(culprit.url, client.project);
    const [rule] = await rules.list();
    const again = acknowledgement(await sendEvents(culprit.url, client.project.projectToken, events));
    if (action === 'demote') expect(again.rejected).toBe(0);
    if (action === 'drop') expect(again.rejected).toBe(1);
    await rules.hits(rule?.id ?? '', events.length);
    expect((await client.read(incidentId)).occurrence_count).toBe(events.length);

    const after = (await suggested(client, incidentId)).find((each) => each.suggestion_id === id);
    expect(after).toMatchObject({ created_rule_id: rule?.id, created_rule_enabled: true });
  });

  it('is the same at every look, in the same order', async () => {
    const client = await open();
    const incidentId = await incidentOf(client, failure({ device: { user_agent: 'Googlebot/2.1' } }));
    const first = await suggested(client, incidentId);
    expect(first.map((each) => each.suggestion_id)).toEqual(['bot_client_demote', 'exact_fingerprint_drop']);
    expect(await suggested(client, incidentId)).toEqual(first);
    // The id of its bundle names the same incident.
    expect(await suggested(client, incidentId.replace('inc_', 'bun_'))).toEqual(first);
  });

  it('is followed with a name, a description, an end or a pause of one’s own', async () => {
    const client = await open();
    const incidentId = await incidentOf(client, failure({}));
    const path = `/v1/incidents/${incidentId}/capture-rules`;
    const suggestion_id = 'exact_fingerprint_drop';
    for (const body of [
      { suggestion_id, expires_at: '2020-01-01T00:00:00Z' },
      { suggestion_id, action: 'demote' },
      { suggestion_id: '' },
      {},
    ]) {
      expect(await client.post(path, body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_payload' },
      });
    }
    const own = { name: 'mine', description: null, enabled: false, expires_at: '2100-01-01T00:00:00.000Z' };
    expect(await client.post(path, { suggestion_id, ...own })).toMatchObject({
      status: 201,
      body: { rule: { ...own, created_from_incident_id: incidentId } },
    });
    const [suggestion] = await suggested(client, incidentId);
    expect(suggestion?.created_rule_enabled).toBe(false);
  });

  it('makes one rule, however many ask at once, and another after that one is gone', async () => {
    const client = await open();
    const incidentId = await incidentOf(client, failure({}));
    const ask = () =>
      client.post(`/v1/incidents/${incidentId}/capture-rules`, { suggestion_id: 'exact_fingerprint_drop' });
    const answers = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({ error: 'capture_rule_exists' });
    const rules = ruleClient(culprit.url, client.project);
    const [rule] = await rules.list();
    expect(await rules.list()).toHaveLength(1);
    await rules.delete(rule?.id ?? '');
    expect((await ask()).status).toBe(201);
  });

  it('is none of a stranger’s business, and paused for others below Team', async () => {
    const client = await open();
    const incidentId = await incidentOf(client, failure({}));
    const stranger = managementClient(culprit, (await culprit.createProject()).memberToken);
    const admin = managementClient(
      culprit,
      (await createCollaborator(culprit, client.project, 'admin')).memberToken,
    );
    const look = `/v1/incidents/${incidentId}/capture-rule-suggestion`;
    const make = `/v1/incidents/${incidentId}/capture-rules`;
    const body = { suggestion_id: 'exact_fingerprint_drop' };
    for (const answer of [await stranger.post(look), await stranger.post(make, body)]) {
      expect(answer).toMatchObject({ status: 404, body: { error: 'incident_not_found' } });
    }
    expect(await admin.post(look, { suggestion_id: 'x' })).toMatchObject({ status: 400 });
    expect(await admin.post(make, { suggestion_id: 'unknown' })).toMatchObject({
      status: 404,
      body: { error: 'suggestion_not_found' },
    });
    expect(await admin.post(look, {})).toMatchObject({ status: 200 });
    await setPlan(culprit, client.project, 'solo');
    for (const answer of [await admin.post(look), await admin.post(make, body)]) {
      expect(answer).toMatchObject({ status: 403, body: { error: 'shared_access_suspended' } });
    }
    expect((await client.post(make, body)).status).toBe(201);
  });
});
