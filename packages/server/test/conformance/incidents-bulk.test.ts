import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient, incidentsIn } from '../support/incident-client.ts';
import { sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { named } from './incidents-fixtures.ts';

describe.concurrent('resolving and reopening several incidents', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await shareCulprit();
  });
  afterAll(() => culprit.stop());

  /** A project with incidents of these bugs; their ids in that order. */
  async function withIncidents(...words: string[]): Promise<{ client: IncidentClient; ids: string[] }> {
    const client = await connect(culprit);
    await client.send(...words.map((word) => named(word)));
    const incidents = await client.counted(...words.map(() => 1));
    const ids = words.map(
      (word) => incidents.find(({ title }) => title.startsWith(`${word}Error`))?.incident_id ?? '',
    );
    return { client, ids };
  }

  //
  it('answers each incident once, in the order of its first mention', async () => {
    const { client, ids } = await withIncidents('One', 'Two');
    const [first, second] = ids;
    const answer = await client.post('/v1/incidents/resolve', { incident_ids: [second, first, second] });
    expect(answer.status).toBe(200);
    expect(incidentsIn(answer)).toMatchObject([
      { incident_id: second, status: 'resolved' },
      { incident_id: first, status: 'resolved' },
    ]);
    expect(incidentsIn(answer)).toEqual([await client.read(second ?? ''), await client.read(first ?? '')]);
    const told = await client.ledger('incident.resolved');
    expect(told.map(({ incidentId }) => incidentId).sort()).toEqual([...ids].sort());
  });

  //
  it('changes nothing when one of the incidents is unknown', async () => {
    const { client, ids } = await withIncidents('One');
    const answer = await client.post('/v1/incidents/resolve', { incident_ids: [ids[0], 'inc_unknown0'] });
    expect([answer.status, answer.body]).toEqual([404, { error: 'incident_not_found' }]);
    expect((await client.read(ids[0] ?? '')).status).toBe('open');
    expect(await client.ledger('incident.resolved')).toEqual([]);
  });

  it("changes nothing when one of the incidents is a stranger's", async () => {
    const [own, foreign] = [await withIncidents('One'), await withIncidents('Two')];
    for (const action of ['resolve', 'reopen']) {
      const answer = await own.client.post(`/v1/incidents/${action}`, {
        incident_ids: [...own.ids, ...foreign.ids],
      });
      expect([answer.status, answer.body]).toEqual([404, { error: 'incident_not_found' }]);
    }
    expect((await own.client.read(own.ids[0] ?? '')).status).toBe('open');
    expect((await foreign.client.read(foreign.ids[0] ?? '')).status).toBe('open');
  });

  //
  it.each(['resolve', 'reopen'])('%s refuses malformed bodies', async (action) => {
    const { client, ids } = await withIncidents('One');
    const bodies = [
      {},
      { incident_ids: [] },
      { incident_ids: Array.from({ length: 1001 }, () => ids[0]) },
      { incident_ids: [1] },
      { incident_ids: [null] },
      { incident_ids: ['inc x'] },
      { incident_ids: [''] },
      { incident_ids: [ids] },
      { incident_ids: ids[0] },
      { incident_ids: null },
      { incident_ids: ids, force: true },
      { ids },
      ids,
      null,
    ];
    for (const body of bodies) {
      const answer = await client.post(`/v1/incidents/${action}`, body);
      expect([body, answer.status, answer.body]).toEqual([body, 400, { error: 'invalid_payload' }]);
    }
    expect((await client.read(ids[0] ?? '')).status).toBe('open');
  });

  //
  it('refuses a body that is not JSON or not declared as JSON', async () => {
    const { client, ids } = await withIncidents('One');
    const body = JSON.stringify({ incident_ids: ids });
    const { memberToken: token } = client.project;
    for (const request of [
      { body: '{' },
      { body: '' },
      { body, headers: { 'content-type': 'text/plain' } },
    ]) {
      const answer = await sendRequest(`${culprit.url}/v1/incidents/resolve`, { token, ...request });
      expect([request, answer.status, answer.body]).toEqual([request, 400, { error: 'invalid_payload' }]);
    }
  });

  it('takes a thousand ids, counted before repetitions are dropped', async () => {
    const { client, ids } = await withIncidents('One', 'Two');
    const many = Array.from({ length: 1000 }, (_, n) => ids[n % 2]);
    const answer = await client.post('/v1/incidents/resolve', { incident_ids: many });
    expect(answer.status).toBe(200);
    expect(incidentsIn(answer).map(({ incident_id }) => incident_id)).toEqual(ids);
    expect(await client.ledger('incident.resolved')).toHaveLength(2);
  });

  it('the prefixed and the bare form of an id are the same incident', async () => {
    const { client, ids } = await withIncidents('One');
    const bare = ids[0]?.replace('inc_', '');
    const answer = await client.post('/v1/incidents/resolve', { incident_ids: [bare, ids[0]] });
    expect(incidentsIn(answer).map(({ incident_id }) => incident_id)).toEqual(ids);
    expect(await client.ledger('incident.resolved')).toHaveLength(1);
  });

  it('brings back incidents that are there already as they were, and tells only of those that moved', async () => {
    const { client, ids } = await withIncidents('One', 'Two', 'Three');
    const [first, second, third] = ids;
    const resolved = await client.resolve(first ?? '');
    const answer = await client.post('/v1/incidents/resolve', { incident_ids: ids });
    expect(incidentsIn(answer)[0]).toEqual(resolved);
    expect(
      (await client.ledger('incident.resolved'))
        .map(({ incidentId }) => incidentId)
        .slice(1)
        .sort(),
    ).toEqual([second, third].sort());
    const reopened = await client.post('/v1/incidents/reopen', { incident_ids: [third, first] });
    expect(incidentsIn(reopened)).toMatchObject([
      { incident_id: third, status: 'open', resolved_at: null },
      { incident_id: first, status: 'open', resolved_at: null },
    ]);
    await client.post('/v1/incidents/reopen', { incident_ids: [third] });
    expect(await client.ledger('incident.reopened')).toHaveLength(2);
  });

  it('reaches over all projects the caller sees', async () => {
    const email = 'bulk@example.test';
    const clients = [
      await connect(culprit, { email, name: 'a' }),
      await connect(culprit, { email, name: 'b' }),
    ];
    const ids: string[] = [];
    for (const client of clients) {
      await client.send(named('One'));
      ids.push((await client.only()).incident_id);
    }
    const answer = await clients[0]?.post('/v1/incidents/resolve', { incident_ids: ids });
    expect(answer?.status).toBe(200);
    for (const [n, client] of clients.entries()) {
      expect(await client.ledger('incident.resolved')).toMatchObject([{ incidentId: ids[n] }]);
    }
  });

  it('many bulk calls at once in different orders all succeed', async () => {
    const { client, ids } = await withIncidents('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        client.post(`/v1/incidents/${n % 3 === 0 ? 'reopen' : 'resolve'}`, {
          incident_ids: n % 2 === 0 ? ids : [...ids].reverse(),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });
});
