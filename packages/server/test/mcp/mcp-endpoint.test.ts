import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { getServer } from '@culprit/contract/endpoints/server';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { EX } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { hostileSource, hostileSourceEvent, SOURCE_MARK } from '../support/hostile-source.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { managementClient } from '../support/management-client.ts';
import { uploadMaps } from '../support/map-client.ts';
import { sendRequest } from '../support/send-events.ts';
import { callTool, connectMcp, ERAS, type Era } from './mcp-client.ts';

/** `POST /mcp` (docs/contract/command-line.md 5.10, C-47). */
const PAGES = 'https://agents.example';
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const ACCEPT = { accept: 'application/json, text/event-stream' };

let culprit: TestCulprit;
let shop: IncidentClient;
let incidentId: string;
const open: Client[] = [];

beforeAll(async () => {
  culprit = await startCulprit({ mcp: 'write', corsOrigins: [PAGES], connectionsMax: 32 });
  shop = await connect(culprit);
  await shop.send(
    fixture('W', { event_id: 'e-mcp', occurred_at: new Date().toISOString(), 'payload.message': 'no price' }),
  );
  incidentId = (await shop.only()).incident_id;
  await shop.bundle(incidentId);
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});
afterAll(() => culprit?.stop());

async function connected(options: { token?: string; query?: string; era?: Era } = {}): Promise<Client> {
  const { token = shop.project.memberToken, ...rest } = options;
  const client = await connectMcp(culprit.url, { headers: { authorization: `Bearer ${token}` }, ...rest });
  open.push(client);
  return client;
}

const ping = (headers: Record<string, string> = {}, token: string | null = shop.project.memberToken) =>
  sendRequest(`${culprit.url}/mcp`, { token, body: PING, headers: { ...ACCEPT, ...headers } });

it('fences the lines of a source as data, in which nothing is hidden or rendered', async () => {
  const { project, send, only, bundle } = await connect(culprit);
  const debugId = randomUUID();
  await uploadMaps(culprit, project, [hostileSource(debugId)]);
  await send(hostileSourceEvent(debugId));
  const { incident_id } = await only();
  await bundle(incident_id);
  const client = await connected({ token: project.memberToken });
  for (const more of [{}, { sections: ['stack', 'error'] }]) {
    const { text } = await callTool(client, 'get_incident', { incident_id, ...more });
    expect(text).toContain(SOURCE_MARK);
    const lines = text.split('\n');
    const start = lines.findIndex((line) => line.startsWith('--- data '));
    const end = lines.indexOf(`--- end ${/[0-9a-f]{6}/.exec(lines[start] ?? '')?.[0]}`);
    expect([...lines.slice(0, start), ...lines.slice(end + 1)].join()).not.toContain(SOURCE_MARK);
    for (const line of lines.slice(start + 1, end)) expect(line).toMatch(/^(?:\| |[a-z]+$)/);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u);
    expect(text).not.toMatch(/!\[|\]\(|<[a-z!/]/i);
  }
});

it('leads to the line in the repository, where the project names it and the event its commit', async () => {
  const { project, send, only, bundle } = await connect(culprit);
  const commit = 'a1b2c3d4e5f60718293a4b5c6d7e8f9012345678';
  await send(EX({ context: { git: { commit } } }));
  const { incident_id: id } = await only();
  await bundle(id);
  const client = await connected({ token: project.memberToken });
  const read = async () => (await callTool(client, 'get_incident', { incident_id: id })).text;
  expect(await read()).not.toContain('code:');
  const repository = {
    ...{ kind: 'github', url: 'https://github.com/acme/shop' },
    ...{ strip_prefix: '/srv/releases/20260324101500', folder: 'api' },
  };
  await sendRequest(`${culprit.url}/v1/projects/${project.projectId}`, {
    method: 'PATCH',
    token: project.memberToken,
    body: JSON.stringify({ repositories: [repository] }),
  });
  expect(await read()).toContain(
    `code: https://github.com/acme/shop/blob/${commit}/api/src/checkout/theme.js#L42`,
  );
});

describe.each(ERAS)('an agent that asks /mcp in protocol %s', (_, era) => {
  it('finds the tools that read, an incident and its evidence', async () => {
    const client = await connected({ era });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'list_projects',
      'list_incidents',
      'get_incident',
      'get_evidence',
    ]);
    expect((await callTool(client, 'list_projects')).text).toContain(shop.project.projectId);
    const listed = (await callTool(client, 'list_incidents', { project: shop.project.name })).text;
    const { short_id: reference, title } = await shop.read(incidentId);
    expect(listed).toMatch(new RegExp(`^\\| ${reference} open .*: ${title.slice(0, 30)}`, 'm'));
    expect((await callTool(client, 'get_incident', { incident_id: reference })).text).toContain(incidentId);
    const { isError, text } = await callTool(client, 'get_incident', { incident_id: incidentId });
    expect(isError).toBe(false);
    expect(text).toContain(`incident ${incidentId} · open`);
    expect(text).toMatch(/\n--- data [0-9a-f]{6}: [^\n]+\ncause\n\| /);
  });

  it('changes something only where its address asks for it', async () => {
    const change = { incident_ids: [incidentId], status: 'resolved' };
    const reader = await connected({ era });
    const outcome = await callTool(reader, 'set_incident_status', change).catch(() => ({ isError: true }));
    expect(outcome).toMatchObject({ isError: true });
    expect((await shop.read(incidentId)).status).toBe('open');

    const writer = await connected({ era, query: '?writes=on' });
    expect((await writer.listTools()).tools).toHaveLength(8);
    expect(await callTool(writer, 'set_incident_status', change)).toEqual({
      isError: false,
      text: `${incidentId} is resolved`,
    });
    expect((await shop.read(incidentId)).status).toBe('resolved');
    await shop.reopen(incidentId);
  });

  it('triages an incident in one call, and says what was done before a step that fails', async () => {
    const writer = await connected({ era, query: '?writes=on' });
    const triage = (change: object) =>
      callTool(writer, 'triage_incident', { incident_id: incidentId, ...change });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const changed = await triage({
      assignee: 'me',
      priority: 'urgent',
      snooze_until: until,
      note: 'Looks like **#12**',
      fix_url: 'https://example.com/pull/12',
    });
    expect(changed).toEqual({
      isError: false,
      text: expect.stringMatching(/is open · priority urgent · assigned to /),
    });
    const { triage: found } = await shop.read(incidentId);
    expect(found).toMatchObject({
      assignee: { id: shop.project.userId },
      priority: { level: 'urgent', is_manual: true },
      snooze: { until },
    });
    expect((await callTool(writer, 'get_incident', { incident_id: incidentId })).text).toMatch(
      /\nassigned to .+ · priority urgent set by hand · snoozed until .+ · \d+ notes?\n/,
    );
    expect(await triage({ assignee: null, note: 'mine no more', fix_url: 'ftp://x' })).toEqual({
      isError: true,
      text: expect.stringContaining('Done before: assignee, note.'),
    });
    expect(await triage({ assignee: 'nobody@example.com' })).toMatchObject({ isError: true });
    expect(await triage({})).toMatchObject({ isError: true });
    expect((await triage({ priority: null, snooze_until: null })).isError).toBe(false);
    expect((await triage({ resolved_in: '9.9.9' })).text).toContain('is resolved');
    await shop.reopen(incidentId);
    expect((await shop.read(incidentId)).triage).toMatchObject({ assignee: null, snooze: null });
  });
});

describe('/mcp', () => {
  it('creates the ticket of an incident in its only tracker, or links an address', async () => {
    const writer = await connected({ query: '?writes=on' });
    const triage = (change: object) =>
      callTool(writer, 'triage_incident', { incident_id: incidentId, ...change });
    expect(await triage({ ticket: 'new' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('No issue tracker is connected.'),
    });
    const owner = managementClient(culprit, shop.project.memberToken);
    const tracker = { kind: 'github', target: 'acme/shop', token: 'x' };
    await owner.post(`/v1/projects/${shop.project.projectId}/trackers`, tracker);
    expect((await triage({ ticket: 'new' })).text).toContain('ticket new pending');
    expect((await triage({ ticket: 'https://git.example/shop/issues/7' })).text).toContain('and 1 more');
    const { triage: linked } = await shop.read(incidentId);
    expect(linked.links).toMatchObject([{ url: 'https://git.example/shop/issues/7' }, { state: 'pending' }]);
  });

  it('names what is missing in the words of the command line', async () => {
    const client = await connected();
    expect(await callTool(client, 'get_incident', { incident_id: `inc_${crypto.randomUUID()}` })).toEqual({
      isError: true,
      text: 'There is no such incident, or you cannot see it.\n→ culprit incidents list',
    });
    expect(await callTool(client, 'list_incidents', { source: 'local' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('There are no local events here.'),
    });
    expect(await callTool(client, 'get_incident', { incident_id: 'inc_1', colour: 'red' })).toMatchObject({
      isError: true,
    });
  });

  it('refuses every credential that is no member token in force', async () => {
    const owner = managementClient(culprit, shop.project.memberToken);
    const { plaintext, token_id } = await owner.createMemberToken();
    expect((await ping({}, plaintext)).status).toBe(200);
    await owner.post(`/v1/member/tokens/${token_id}/revoke`);
    const { cookie, csrfToken } = await culprit.signIn(`mcp-${crypto.randomUUID()}@example.test`);
    const refused = [
      await ping({}, null),
      await ping({}, plaintext),
      await ping({}, 'svc_mem_wrong'),
      await ping({}, shop.project.projectToken),
      await ping({ cookie, 'x-csrf-token': csrfToken }, null),
      await ping({ authorization: 'Basic c3ZjOm1lbQ==' }, null),
    ];
    for (const { status, headers, body } of refused) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(body).toEqual({ error: 'invalid_member_token' });
    }
  });

  it('refuses pages of other origins and other names of this server', async () => {
    expect(await ping({ origin: 'https://evil.example' })).toMatchObject({
      status: 403,
      body: { error: 'origin_not_allowed' },
    });
    expect((await ping({ origin: 'null' })).status).toBe(403);
    expect((await ping({ origin: PAGES })).status).toBe(200);
    expect((await ping({ origin: new URL(culprit.baseUrl).origin })).status).toBe(200);
    expect(await statusFor('evil.example')).toBe(403);
    expect(await statusFor(new URL(culprit.baseUrl).host)).toBe(200);
  });

  it('takes nothing but POST', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const { status, headers } = await sendRequest(`${culprit.url}/mcp`, {
        method,
        token: shop.project.memberToken,
        headers: { accept: 'text/html, text/event-stream' },
      });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
  });

  it('answers JSON and keeps no session', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    };
    const { status, headers, body } = await post(JSON.stringify(initialize));
    expect([status, headers.get('content-type'), headers.get('mcp-session-id')]).toEqual([
      200,
      'application/json; charset=utf-8',
      null,
    ]);
    expect(body).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
  });

  it('bounds bodies and batches, and refuses what is not the protocol', async () => {
    expect(
      (await post(`{"jsonrpc":"2.0","id":1,"method":"ping","x":"${'x'.repeat(256 * 1024)}"}`)).status,
    ).toBe(413);
    expect((await post(`[${Array(9).fill(PING).join(',')}]`)).status).toBe(400);
    expect(await post('{"jsonrpc":')).toMatchObject({ status: 400, body: { error: { code: -32_700 } } });
    expect((await post('')).status).toBe(400);
    expect(await post('{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen"}')).toMatchObject({
      status: 404,
      body: { id: 7, error: { code: -32_601 } },
    });
    expect((await post(PING, { 'content-type': 'text/plain' })).status).toBe(415);
    const { status, body } = await sendRequest(`${culprit.url}/mcp?writes=maybe`, {
      token: shop.project.memberToken,
      body: PING,
      headers: ACCEPT,
    });
    expect([status, body]).toEqual([400, { error: 'invalid_query' }]);
  });

  it('answers eight requests of a token at once, and others beside them', async () => {
    const { plaintext } = await managementClient(culprit, shop.project.memberToken).createMemberToken();
    const list =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_incidents","arguments":{}}}';
    const held = await culprit.database.transaction(async (transaction) => {
      await transaction.query({ name: 'test-hold', text: 'lock table incidents in access exclusive mode' });
      const asked = Array.from({ length: 8 }, () => post(list));
      await eventually(async () => {
        // A transaction sees the connections of its first look again and again.
        await transaction.query({ name: 'test-look-anew', text: 'select pg_stat_clear_snapshot()' });
        const [row] = await transaction.query<{ waiting: number }>({
          name: 'test-waiting',
          text: `select count(*)::integer as waiting from pg_locks join pg_stat_activity using (pid)
            where relation = 'incidents'::regclass and not granted and application_name = 'culprit-api'`,
        });
        expect(row?.waiting).toBe(8);
      });
      expect((await ping()).status).toBe(503);
      expect((await ping({}, plaintext)).status).toBe(200);
      return { asked };
    });
    expect((await Promise.all(held.asked)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await ping()).status).toBe(200);
  });

  it('lists nothing that changes something for a token that may only read', async () => {
    const { plaintext } = await managementClient(culprit, shop.project.memberToken).createMemberToken(
      'agent',
      'read',
    );
    const client = await connected({ token: plaintext, query: '?writes=on' });
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  it('is named by the description of the server', async () => {
    const { body } = await sendRequest(culprit.url + getServer.path, { method: 'GET' });
    expect(isJsonObject(body) ? body.features : null).toContain('mcp');
  });

  const post = (body: string, headers: Record<string, string> = {}) =>
    sendRequest(`${culprit.url}/mcp`, {
      token: shop.project.memberToken,
      body,
      headers: { ...ACCEPT, ...headers },
    });

  /** By a client that sends any name, which `fetch` does not. */
  async function statusFor(host: string): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const sent = request(`${culprit.url}/mcp`, {
      method: 'POST',
      agent: false,
      headers: {
        ...ACCEPT,
        host,
        authorization: `Bearer ${shop.project.memberToken}`,
        'content-type': 'application/json',
      },
    });
    sent.on('error', reject);
    sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
    sent.end(PING);
    return await promise;
  }
});

describe('a server whose setting is', () => {
  it('off, has no /mcp and does not name it', async () => {
    const off = await startCulprit({ mcp: 'off', hasWorker: false });
    try {
      expect((await sendRequest(`${off.url}/mcp`, { token: 'svc_mem_wrong', body: PING })).status).toBe(404);
      const { body } = await sendRequest(off.url + getServer.path, { method: 'GET' });
      expect(isJsonObject(body) ? body.features : null).not.toContain('mcp');
    } finally {
      await off.stop();
    }
  });

  it('read, changes nothing, whatever the address asks for', async () => {
    const reading = await startCulprit({ hasWorker: false });
    try {
      const { memberToken } = await reading.createProject();
      const headers = { authorization: `Bearer ${memberToken}` };
      const client = await connectMcp(reading.url, { headers, query: '?writes=on' });
      expect((await client.listTools()).tools).toHaveLength(4);
      await client.close();
    } finally {
      await reading.stop();
    }
  });
});
