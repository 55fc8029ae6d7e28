import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../src/workspace/tokens/token.ts';
import type { TestCulprit } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { sendRequest } from '../support/send-events.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { EX } from './incidents-fixtures.ts';

/** Every endpoint of docs/contract/incidents.md 2.2 and 7.1, for the incident `:id`. */
const ENDPOINTS: readonly [method: string, path: string, body?: object][] = [
  ['GET', '/v1/incidents'],
  ['GET', '/v1/incidents/:id'],
  ['POST', '/v1/incidents/:id/resolve'],
  ['POST', '/v1/incidents/:id/reopen'],
  ['POST', '/v1/incidents/resolve', { incident_ids: [':id'] }],
  ['POST', '/v1/incidents/reopen', { incident_ids: [':id'] }],
  ['GET', '/v1/incidents/:id/logs'],
  ['GET', '/v1/logs?incident_id=:id'],
  ['GET', '/v1/incidents/:id/bundle'],
  ['GET', '/v1/incidents/:id/reproduction'],
  ['GET', '/v1/services'],
];
const PATHS_WITH_ID = ENDPOINTS.filter(([, path]) => path.includes('/:id'));

describe('who may use the endpoints of incidents, and by which ids', () => {
  let culprit: TestCulprit;
  let client: IncidentClient;
  let incidentId: string;
  beforeAll(async () => {
    culprit = await shareCulprit();
    client = await connect(culprit);
    await client.send(EX());
    incidentId = (await client.only()).incident_id;
    await client.bundle(incidentId);
  });
  afterAll(() => culprit.stop());

  async function call(
    [method, path, body]: (typeof ENDPOINTS)[number],
    authorization: string | null,
    id = incidentId,
  ) {
    return await sendRequest(culprit.url + path.replace(':id', id), {
      method,
      ...(authorization === null ? {} : { headers: { authorization } }),
      ...(body === undefined ? {} : { body: JSON.stringify(body).replace(':id', id) }),
    });
  }

  async function revokedToken(): Promise<string> {
    const { memberToken } = (await connect(culprit)).project;
    const query = {
      name: 'test-revoke',
      text: 'update member_tokens set revoked_at = culprit_now() where token_preview = $1',
    };
    await culprit.database.query(query, [`${memberToken.slice(0, 4)}...${memberToken.slice(-4)}`]);
    return memberToken;
  }

  it.each(ENDPOINTS)('%s %s lets the owner in', async (...endpoint) => {
    expect((await call(endpoint, `Bearer ${client.project.memberToken}`)).status).toBe(200);
  });

  // A-24
  it.each(ENDPOINTS)('%s %s refuses every credential but a live member token', async (...endpoint) => {
    const { projectToken, memberToken } = client.project;
    const credentials = [
      null,
      `Bearer ${projectToken}`,
      `Bearer ${await revokedToken()}`,
      `Bearer ${createToken('member')}`,
      `Bearer ${memberToken}x`,
      'Bearer svc_mem_short',
      'Bearer',
      `Basic ${Buffer.from(`x:${memberToken}`).toString('base64')}`,
      memberToken,
      `Bearer ${memberToken} ${memberToken}`,
      `Bearer ${memberToken}, Bearer ${memberToken}`,
    ];
    const before = await client.ledger();
    for (const credential of credentials) {
      const answer = await call(endpoint, credential);
      expect([credential, answer.status, answer.body]).toEqual([
        credential,
        401,
        { error: 'invalid_member_token' },
      ]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect(await client.ledger()).toEqual(before);
  });

  it('a credential in the query is no credential', async () => {
    const answer = await sendRequest(`${culprit.url}/v1/incidents?token=${client.project.memberToken}`, {
      method: 'GET',
    });
    expect([answer.status, answer.body]).toEqual([401, { error: 'invalid_member_token' }]);
  });

  it('the word Bearer is read in any case', async () => {
    expect((await call(['GET', '/v1/incidents'], `bEaReR ${client.project.memberToken}`)).status).toBe(200);
  });

  it('a missing credential is answered before a malformed id or query', async () => {
    for (const path of ['/v1/incidents/inc%20x', '/v1/incidents?limit=0', '/v1/logs']) {
      const answer = await sendRequest(culprit.url + path, { method: 'GET' });
      expect([path, answer.status]).toEqual([path, 401]);
    }
  });

  // A-25
  it.each(PATHS_WITH_ID)('%s %s answers 404 for an id that names nothing', async (...endpoint) => {
    const ids = [
      'inc_00000000-0000-4000-8000-000000000000',
      'inc_unknown0',
      'x',
      '-',
      '_',
      `inc_${'a'.repeat(124)}`,
    ];
    for (const id of ids) {
      const answer = await call(endpoint, `Bearer ${client.project.memberToken}`, id);
      expect([id, answer.status, answer.body]).toEqual([id, 404, { error: 'incident_not_found' }]);
    }
  });

  // A-25
  it.each(PATHS_WITH_ID)('%s %s answers 400 for a malformed id', async (...endpoint) => {
    for (const id of [
      'inc%20x',
      'inc%2Fx',
      'inc.x',
      '%00',
      'inc_%C3%BC',
      "inc'--",
      `inc_${'a'.repeat(125)}`,
    ]) {
      const answer = await call(endpoint, `Bearer ${client.project.memberToken}`, id);
      expect([id, answer.status, answer.body]).toEqual([id, 400, { error: 'invalid_incident_id' }]);
    }
  });

  it('a malformed id is answered before an invalid query or body', async () => {
    expect((await client.get('/v1/incidents/inc%20x/logs?limit=0')).body).toEqual({
      error: 'invalid_incident_id',
    });
    expect((await client.post('/v1/incidents/inc%20x/resolve', { x: 1 })).body).toEqual({
      error: 'invalid_incident_id',
    });
  });

  it.each(['', '/logs', '/bundle', '/reproduction'])(
    'GET /v1/incidents/:id%s takes the prefixed, the bare and the bundle id and answers alike',
    async (rest) => {
      const uuid = incidentId.replace('inc_', '');
      const expected = await client.get(`/v1/incidents/${incidentId}${rest}`);
      expect(expected.status).toBe(200);
      for (const id of [uuid, `bun_${uuid}`]) {
        expect((await client.get(`/v1/incidents/${id}${rest}`)).body).toEqual(expected.body);
      }
    },
  );

  it('the prefix of another kind names no incident', async () => {
    const uuid = incidentId.replace('inc_', '');
    for (const prefix of ['proj', 'evt', 'tok', 'inc_inc']) {
      expect((await client.get(`/v1/incidents/${prefix}_${uuid}`)).status).toBe(404);
    }
  });

  it('incidents are resolved by their bare id, too', async () => {
    const answer = await client.post(`/v1/incidents/${incidentId.replace('inc_', '')}/resolve`);
    expect(answer.body).toMatchObject({ incident: { incident_id: incidentId, status: 'resolved' } });
    await client.reopen(incidentId);
  });

  it.each(['/v1/incidents/:id', '/v1/incidents/:id/bundle', '/v1/incidents/:id/reproduction'])(
    'GET %s takes no query parameters',
    async (path) => {
      const answer = await client.get(`${path.replace(':id', incidentId)}?x=1`);
      expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_query' }]);
    },
  );

  it.each([undefined, '', '{}'])('resolve and reopen take no body: %s is none', async (body) => {
    for (const action of ['resolve', 'reopen']) {
      const answer = await sendRequest(`${culprit.url}/v1/incidents/${incidentId}/${action}`, {
        token: client.project.memberToken,
        headers: { 'content-type': 'text/plain' },
        ...(body === undefined ? {} : { body }),
      });
      expect(answer.status).toBe(200);
    }
  });

  it.each(['{"force":true}', '[]', 'null', '{', '"x"'])('resolve refuses the body %s', async (body) => {
    const answer = await sendRequest(`${culprit.url}/v1/incidents/${incidentId}/resolve`, {
      token: client.project.memberToken,
      body,
    });
    expect([answer.status, answer.body]).toEqual([400, { error: 'invalid_payload' }]);
  });

  it.each(['/v1/incidents/:id/context', '/v1/incidents/:id/unknown', '/v1/incident'])(
    'GET %s is no endpoint',
    async (path) => {
      const answer = await client.get(path.replace(':id', incidentId));
      expect([answer.status, answer.body]).toEqual([404, { error: 'not_found' }]);
    },
  );
});
