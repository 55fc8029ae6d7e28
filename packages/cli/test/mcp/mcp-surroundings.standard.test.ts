import type { Client } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fixture } from '../../../evidence/test/events/event-fixtures.ts';
import { CHANGES_PER_HOUR } from '../../../mcp/src/tools/change-tools.ts';
import type { TestCulprit } from '../../../server/test/support/culprit.ts';
import { eventually } from '../../../server/test/support/eventually.ts';
import { reservePort } from '../../../server/test/support/reserved-port.ts';
import { shareCulprit } from '../../../server/test/support/shared-culprit.ts';
import { EVENTS } from '../local/temporary-project.ts';
import { type CliHome, createCliHome } from '../support/built-cli.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';
import { startOtherRelease } from '../support/stand-in.ts';
import { type ClientOptions, call, connectClient } from './stdio-client.ts';

/** `culprit mcp` and what is around it: the stream, people who decline, files, and servers that go and come back. */

/** Many calls of programs that are started for them. */
const CALLS_MAX_MS = 120_000;

let culprit: TestCulprit;
let signedIn: SignedIn;
/** The row of an incident of the server. */
const SHORT = /^\| [A-Z][A-Z0-9]+-\d+ /m;
let incidentId: string;
const open: Client[] = [];
const homes: CliHome[] = [];

beforeAll(async () => {
  culprit = await shareCulprit();
  signedIn = await signIn(culprit);
  await signedIn.fail('of the server');
  incidentId = (await signedIn.home.run(['incidents', 'list', '-q'])).out.trim();
});
afterAll(() => {
  signedIn.home.remove();
  for (const home of homes) home.remove();
});
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function connect(home: CliHome, args: readonly string[], options: ClientOptions = {}) {
  const client = await connectClient(home, args, options);
  open.push(client);
  return client;
}

async function homeWithFiles(): Promise<CliHome> {
  const home = await createCliHome();
  homes.push(home);
  const event = fixture('W', { 'payload.message': 'of the files' });
  home.write(`${EVENTS}/1774348201000-0001-api-server.events.json`, JSON.stringify([event]));
  return home;
}

describe('the stream of culprit mcp', () => {
  it('has lines of the protocol and no other byte, and ends with its input', async () => {
    const running = signedIn.home.start(['mcp', '-v']);
    const send = (message: object) => running.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const answersTo = (id: number) =>
      eventually(() => {
        if (!running.out().includes(`"id":${id}`)) throw new Error(`no answer ${id}: ${running.err()}`);
      });
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'raw', version: '1' },
    };
    send({ id: 1, method: 'initialize', params });
    await answersTo(1);
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'list_incidents', arguments: {} } });
    await answersTo(2);
    send({ id: 3, method: 'tools/call', params: { name: 'no_such_tool', arguments: {} } });
    await answersTo(3);
    running.closeInput();
    const { code, out } = await running.ended;
    expect(code).toBe(0);
    const messages: unknown[] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(out).toBe(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    expect(messages).toHaveLength(3);
    expect(messages).toMatchObject([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id })));
    expect(running.err().split('\n')[0]).toBe(
      `culprit mcp: server ${culprit.url}, project ${signedIn.project.projectId}, read-only`,
    );
  });
});

describe('changes over culprit mcp', { timeout: CALLS_MAX_MS }, () => {
  let changed: string;
  // Each attempt has an incident of its own.
  beforeEach(async () => {
    const title = `changed ${crypto.randomUUID()}`;
    await signedIn.fail(title);
    changed = (await signedIn.home.run(['incidents', 'list', '-q', '--search', title])).out.trim();
  });
  const change = () => ({ incident_ids: [changed], status: 'resolved' });
  const statusOf = async () => {
    const { out } = await signedIn.home.run(['incidents', 'show', changed, '--json']);
    return JSON.parse(out).incident.status;
  };

  it.each(['decline', 'cancel'] as const)('are not made when the person answers with %s', async (action) => {
    const client = await connect(signedIn.home, ['--allow-writes'], { answer: { action } });
    expect(await call(client, 'set_incident_status', change())).toMatchObject({ isError: true });
    expect(await statusOf()).toBe('open');
  });

  it('are refused from the twenty-first of an hour on', async () => {
    const client = await connect(signedIn.home, ['--allow-writes']);
    for (let count = 0; count < CHANGES_PER_HOUR; count += 1) {
      const status = count % 2 === 0 ? 'resolved' : 'open';
      const { isError } = await call(client, 'set_incident_status', { ...change(), status });
      expect(isError, `change ${count + 1}`).toBe(false);
    }
    expect(await call(client, 'set_incident_status', change())).toEqual({
      isError: true,
      text: expect.stringContaining('20 changes were made in the last hour'),
    });
    expect(await statusOf()).toBe('open');
  });
});

describe('incidents of files over culprit mcp', { timeout: CALLS_MAX_MS }, () => {
  it('need no server and no sign-in', async () => {
    const client = await connect(await homeWithFiles(), []);
    const { text, isError } = await call(client, 'list_incidents');
    expect(isError).toBe(false);
    const [, reference] = /(local:[0-9a-f]{8}) /.exec(text) ?? [];
    const incident = await call(client, 'get_incident', { incident_id: reference });
    expect(incident).toMatchObject({ isError: false, text: expect.stringContaining('of the files') });
    expect(await call(client, 'list_incidents', { source: 'server' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('culprit login'),
    });
  });

  it('stand beside those of the server, each where it was asked for', async () => {
    const environment = { CULPRIT_URL: culprit.url, CULPRIT_TOKEN: signedIn.project.memberToken };
    const client = await connect(await homeWithFiles(), [], { environment });
    for (const [source, hasServer, hasLocal] of [
      ['all', true, true],
      ['server', true, false],
      ['local', false, true],
    ] as const) {
      const { text, isError } = await call(client, 'list_incidents', { source });
      expect(isError, source).toBe(false);
      expect([SHORT.test(text), text.includes('local:')], source).toEqual([hasServer, hasLocal]);
    }
  });
});

describe('the server of culprit mcp', { timeout: CALLS_MAX_MS }, () => {
  it('may be away: calls say so, and work again when it is back', async () => {
    const port = await reservePort();
    const environment = {
      CULPRIT_URL: `http://127.0.0.1:${port}`,
      CULPRIT_TOKEN: signedIn.project.memberToken,
    };
    const client = await connect(signedIn.home, [], { environment });
    const away = { isError: true, text: expect.stringContaining('No server responds at') };
    expect(await call(client, 'list_incidents')).toEqual(away);
    const first = await startOtherRelease(culprit.url, { port });
    expect((await call(client, 'list_incidents')).text).toMatch(SHORT);
    await first.stop();
    expect(await call(client, 'get_incident', { incident_id: incidentId })).toEqual(away);
    const second = await startOtherRelease(culprit.url, { port });
    expect(await call(client, 'get_incident', { incident_id: incidentId })).toMatchObject({ isError: false });
    await second.stop();
  });

  it('may be of a release that does not say who could have forged an incident', async () => {
    const older = await startOtherRelease(culprit.url, {
      changed: (_, body) =>
        JSON.parse(JSON.stringify(body, (key, value) => (key === 'source_trust' ? undefined : value))),
    });
    const environment = { CULPRIT_URL: older.url, CULPRIT_TOKEN: signedIn.project.memberToken };
    const client = await connect(signedIn.home, [], { environment });
    const { text, isError } = await call(client, 'get_incident', { incident_id: incidentId });
    expect(isError).toBe(false);
    expect(text).toContain('unknown');
    await older.stop();
  });
});
