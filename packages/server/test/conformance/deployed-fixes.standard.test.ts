import type { Fix } from '@culprit/contract/incidents/incident-fixes';
import type { HistoryEntry } from '@culprit/contract/incidents/incident-history';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SETTLE_FIXES } from '../../src/pipeline/incidents/notes/fixes.jobs.ts';
import { alertClient } from '../support/alert-client.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { startReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { ago, DEP, EX, named, SECOND } from './incidents-fixtures.ts';

const URL = 'https://git.example/shop/pull/7';
const COMMIT = 'c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ffe';

/** Fixes that resolve their incidents when they are deployed (docs/contract/team-workflow.md 5.2). */
describe.concurrent('a fix that resolves its incident', () => {
  let culprit: TestCulprit;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    [culprit, receiver] = await Promise.all([shareCulprit(), startReceiver()]);
  });
  afterAll(async () => {
    await culprit.stop();
    await receiver.stop();
  });

  async function proposed(fix: object) {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: id } = await client.only();
    const ask = (method: string, json?: object, fixId = '') =>
      sendRequest(`${culprit.url}/v1/incidents/${id}/fixes${fixId}`, {
        ...{ method, token: client.project.memberToken, json },
      });
    const made = await ask('POST', { url: URL, ...fix });
    return { client, id, ask, made };
  }

  const deploy = (payload: object, more: object = {}) =>
    DEP({ ...more, payload: { version: null, commit_sha: null, deployed_at: ago(SECOND), ...payload } });

  /** Waits until the fixes were compared with the deployments that were sent. */
  async function compared(client: IncidentClient) {
    await client.processed();
    await eventually(async () => {
      const text = 'select 1 from jobs where kind = $1 and fairness_key = $2';
      const values = [SETTLE_FIXES.kind, client.project.projectId.replace('proj_', '')];
      expect(await culprit.database.query({ name: 'test-fix-jobs', text }, values)).toEqual([]);
    });
  }

  async function history(client: IncidentClient, id: string, kind: HistoryEntry['kind']) {
    const { body } = await client.get(`/v1/incidents/${id}/history?limit=100`);
    const { history: entries } = body as { history: HistoryEntry[] };
    return entries.filter((entry) => entry.kind === kind).map(({ data }) => data);
  }

  const resolvedIn = (client: IncidentClient, id: string, version: string) =>
    eventually(async () => {
      expect(await client.read(id)).toMatchObject({
        ...{ status: 'resolved', resolved_in: { kind: 'release', version } },
      });
    });

  it('of an incident that was merged into another resolves the one that stays, and is named there', async () => {
    const client = await connect(culprit);
    await client.send(EX());
    const { incident_id: stays } = await client.only();
    await client.send(named('Second'));
    await client.processed();
    const [{ incident_id: merged } = { incident_id: '' }] = (await client.list()).filter(
      ({ incident_id }) => incident_id !== stays,
    );
    const ask = async (path: string, json: object) =>
      await sendRequest(culprit.url + path, { method: 'POST', token: client.project.memberToken, json });
    const fix = { url: URL, commit_sha: COMMIT, resolves: true };
    expect(await ask(`/v1/incidents/${merged}/fixes`, fix)).toMatchObject({ status: 201 });
    expect(await ask('/v1/incidents/merge', { incident_ids: [stays, merged] })).toMatchObject({
      status: 200,
    });
    await client.send(deploy({ version: '2.0.1', commit_sha: COMMIT }));
    await resolvedIn(client, stays, '2.0.1');
    const by = { fix: { url: URL, commit_sha: COMMIT } };
    expect(await history(client, stays, 'incident.resolved')).toMatchObject([{ because: 'fix', ...by }]);
    await client.send(EX({ context: { release: '2.0.1' } }));
    await client.processed();
    expect(await history(client, stays, 'incident.regressed')).toMatchObject([by]);
  });

  // 28
  it('does so in the release that has its commit; the history and the alert of a regression name it', async () => {
    const fix = { commit_sha: COMMIT, release: '2.0.0', resolves: true };
    const { client, id, ask, made } = await proposed(fix);
    expect(made.body).toMatchObject({ fix: { resolves: true, deployed_in: null, deployed_at: null } });
    await alertClient(culprit, client.project).create({
      ...{ channel: 'webhook', config: { target_url: receiver.url }, condition_type: 'incident_regressed' },
    });
    const other = { service: { name: 'mailer', environment: 'production' } };
    await client.send(deploy({ version: '2.0.1', commit_sha: COMMIT }, other));
    await client.send(deploy({ version: '2.0.1', commit_sha: COMMIT, environment: 'staging' }));
    await client.send(deploy({ version: '1.9.0', commit_sha: 'deadbee' }));
    await compared(client);
    expect(await client.read(id)).toMatchObject({ status: 'open' });

    await client.send(deploy({ version: '2.0.1', commit_sha: COMMIT.slice(0, 9) }));
    await resolvedIn(client, id, '2.0.1');
    const [{ fixes }] = [(await ask('GET')).body as { fixes: Fix[] }];
    expect(fixes).toMatchObject([{ deployed_in: '2.0.1', deployed_at: expect.any(String) }]);
    const named = {
      fix_id: fixes[0]?.fix_id,
      fix: { url: URL, commit_sha: COMMIT, release: '2.0.0', author: expect.any(String) },
    };
    expect(await history(client, id, 'incident.resolved')).toMatchObject([
      { because: 'fix', release: '2.0.1', ...named },
    ]);

    // Of an earlier release: it stays resolved.
    await client.send(EX({ context: { release: '1.9.0' } }));
    expect(await client.only(2)).toMatchObject({ status: 'resolved' });
    await client.send(EX({ context: { release: '2.0.1' } }));
    expect(await client.only(3)).toMatchObject({ status: 'regressed' });
    expect(await history(client, id, 'incident.regressed')).toMatchObject([{ release: '2.0.1', ...named }]);
    const [alert] = await receiver.received(1);
    expect(JSON.parse(String(alert?.body))).toMatchObject({
      lifecycle_event: 'incident_regressed',
      fix: named.fix,
    });

    // A fix that failed resolves nothing more.
    await client.send(deploy({ version: '2.1.0', commit_sha: COMMIT }));
    await compared(client);
    expect(await client.read(id)).toMatchObject({ status: 'regressed' });
  });

  it('does so with a release after its own', async () => {
    const { client, id } = await proposed({ release: '2.0.0', resolves: true });
    await client.send(deploy({ version: '1.9.0' }));
    await client.send(deploy({ version: '2.1.0' }));
    await resolvedIn(client, id, '2.1.0');
  });

  it('does so when the commits of the release have it', async () => {
    const { client, id } = await proposed({ commit_sha: COMMIT.slice(0, 8), resolves: true });
    const release = { version: 'shop-3', commits: [{ sha: COMMIT, message: 'Guard the coupon' }] };
    const made = await client.post(`/v1/projects/${client.project.projectId}/releases`, release);
    expect(made.status).toBe(201);
    await client.send(deploy({ version: 'shop-3' }));
    await resolvedIn(client, id, 'shop-3');
  });

  it('changes no incident that is resolved already, and is not named once it is deleted', async () => {
    const { client, id, ask } = await proposed({ release: '2.0.0', resolves: true });
    await client.resolve(id);
    await client.send(deploy({ version: '2.0.0' }));
    await compared(client);
    const { fixes } = (await ask('GET')).body as { fixes: Fix[] };
    expect(fixes).toMatchObject([{ deployed_in: '2.0.0' }]);
    expect(await client.read(id)).toMatchObject({ status: 'resolved', resolved_in: null });
    expect(await history(client, id, 'incident.resolved')).toMatchObject([{ because: null, fix: null }]);
    const [fix_id] = fixes.map((fix) => fix.fix_id);
    expect((await ask('DELETE', undefined, `/${fix_id}`)).status).toBe(200);
    expect(await history(client, id, 'incident.fix_proposed')).toMatchObject([{ fix_id, fix: null }]);
  });

  it('needs a commit or a release; without the wish a deployment changes nothing, but a regression names it', async () => {
    const { client, id, ask, made } = await proposed({ commit_sha: COMMIT });
    expect(made.body).toMatchObject({ fix: { resolves: false } });
    expectProblem(await ask('POST', { url: URL, resolves: true }), 400, 'invalid_payload');
    await client.send(deploy({ version: '2.0.0', commit_sha: COMMIT }));
    await compared(client);
    expect(await client.read(id)).toMatchObject({ status: 'open' });

    // A regression names it all the same, and not a newer one that waits for its deployment.
    await ask('POST', { url: `${URL}0`, release: '9.0.0', resolves: true });
    await client.resolve(id);
    await client.send(EX());
    expect(await client.only(2)).toMatchObject({ status: 'regressed' });
    expect(await history(client, id, 'incident.regressed')).toMatchObject([{ fix: { url: URL } }]);
  });

  it('does nothing when it was proposed more than 90 days ago', async () => {
    const client = await connect(culprit);
    const errors = [EX(), EX({ payload: { error_class: 'RangeError', message: 'Invalid count' } })];
    await client.send(...errors);
    const [old = '', recent = ''] = (await client.counted(1, 1)).map((incident) => incident.incident_id);
    const fix = { url: URL, commit_sha: COMMIT, resolves: true };
    for (const [id, days] of [
      [old, 91],
      [recent, 89],
    ] as const) {
      expect((await client.post(`/v1/incidents/${id}/fixes`, fix)).status).toBe(201);
      const text = `update incident_fixes set created_at = created_at - make_interval(days => $2) where incident_id = $1`;
      await culprit.database.query({ name: 'test-old-fix', text }, [id.replace('inc_', ''), days]);
    }
    await client.send(deploy({ version: '3.0.0', commit_sha: COMMIT }));
    await resolvedIn(client, recent, '3.0.0');
    await compared(client);
    expect(await client.read(old)).toMatchObject({ status: 'open' });
    const listed = await client.get(`/v1/incidents/${old}/fixes`);
    expect(listed.body).toMatchObject({ fixes: [{ resolves: true, deployed_in: null }] });
  });

  it('is listed with the incident into which its own was merged, and deleted there', async () => {
    const client = await connect(culprit);
    await client.send(EX(), EX({ payload: { error_class: 'RangeError', message: 'Invalid count' } }));
    const incidents = await client.counted(1, 1);
    for (const [n, { incident_id: id }] of incidents.entries())
      expect((await client.post(`/v1/incidents/${id}/fixes`, { url: `${URL}/${n}` })).status).toBe(201);
    const ids = incidents.map(({ incident_id: id }) => id);
    const merged = await client.post('/v1/incidents/merge', { incident_ids: ids });
    expect(merged.status).toBe(200);
    const kept = (merged.body as { grouping: { incident_id: string } }).grouping.incident_id;
    const fixes = async () =>
      ((await client.get(`/v1/incidents/${kept}/fixes`)).body as { fixes: Fix[] }).fixes;
    const found = await fixes();
    expect(found.map(({ url, incident_id: id }) => [url, id])).toEqual([
      [`${URL}/1`, ids[1]],
      [`${URL}/0`, ids[0]],
    ]);
    const other = found.find(({ incident_id: id }) => id !== kept);
    const gone = await sendRequest(`${culprit.url}/v1/incidents/${kept}/fixes/${other?.fix_id}`, {
      method: 'DELETE',
      token: client.project.memberToken,
    });
    expect(gone.status).toBe(200);
    expect(await fixes()).toMatchObject([{ incident_id: kept }]);
  });
});
