import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { createCollaborator } from '../support/collaborators.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { mailsTo, nextMail } from '../support/mailbox.ts';
import { newAddress } from '../support/people.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { createTicket, startTrackerBench, textIn, trackerPath } from '../support/tracker-bench.ts';
import { TRACKER_TOKEN } from '../support/trackers/tracker-store.ts';

/** Connections to trackers: tokens, Apps and webhooks (docs/contract/team-workflow.md 7.1, 7.4). */

const HOUR_MS = 3_600_000;

const bench = async (settings: JsonObject = {}, email = newAddress('owner')) =>
  await startTrackerBench(await shareCulprit(), settings, { email });

describe('a GitHub App', () => {
  it('creates tokens of its installation from its key, and again when they expire or are refused', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const key = String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
    const world = await bench();
    const { server, client, ask, linked, id } = world;
    const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
    server.rules.app = { id: '4711', publicKey, tokens: [], expiresAt: inHours(1) };
    const patch = (body: object) => ask('PATCH', trackerPath(world), body);
    // Fields of one line drop the line breaks of a key.
    const token = key.replaceAll('\n', '');
    expectProblem(await patch({ token }), 400, 'invalid_payload');
    expectProblem(await patch({ token: `${key.slice(0, 200)}\n`, user: '4711' }), 400, 'invalid_payload');
    const listed = { kind: 'github', base_url: server.url, token: key, user: '4711' };
    const targets = await ask('POST', `/projects/${client.project.projectId}/trackers/targets`, listed);
    expect(targets).toMatchObject({ status: 200, body: { targets: [{ target: 'acme/shop' }] } });
    const changed = await patch({ token, user: '4711' });
    expect(changed).toMatchObject({ status: 200, body: { tracker: { user: '4711' } } });
    expect(JSON.stringify(changed.body)).not.toContain('BEGIN');
    const test = () => ask('POST', `${trackerPath(world)}/test`);
    expect(await test()).toMatchObject({ status: 200, body: { tracker: { account: 'a GitHub App' } } });
    await createTicket(world);
    await linked({ state: 'open' });
    const minted = server.requests.filter(({ url }) => url.endsWith('/access_tokens'));
    expect(minted.map(({ body }) => JSON.parse(body))).toEqual([
      { permissions: { issues: 'write' } },
      { permissions: { issues: 'write' }, repositories: ['shop'] },
      { permissions: { repository_hooks: 'write' }, repositories: ['shop'] },
    ]);
    // The installation is a new one, so that the token of before is refused.
    server.rules.app.tokens.length = 0;
    server.rules.app.expiresAt = inHours(0);
    expect((await test()).status).toBe(200);
    const count = server.rules.app.tokens.length;
    expect((await test()).status).toBe(200);
    expect(server.rules.app.tokens.length).toBeGreaterThan(count);
    await client.resolve(id);
    await linked({ state: 'closed' });
    server.rules.app = null;
    expectProblem(await test(), 409, 'tracker_refused');
  });
});

describe('a webhook of the tracker', () => {
  it('is taken with the right signature alone, and what it claims is read from the tracker', async () => {
    const world = await bench();
    const { client, id, server, ask, linked } = world;
    await createTicket(world);
    await linked({ state: 'open' });
    const hook = await ask('POST', `${trackerPath(world)}/hook`);
    expect(hook.status).toBe(201);
    // The service says where others reach it; the test reaches it at its port.
    const url = world.culprit.url + new URL(textIn(hook.body, 'url')).pathname;
    const body = JSON.stringify({ action: 'closed', issue: { number: 1, state: 'closed' } });
    const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const send = (address: string, secret: string) =>
      fetch(address, { method: 'POST', headers: { 'x-hub-signature-256': sign(secret) }, body });
    const secret = textIn(hook.body, 'secret');
    expect((await send(url, 'another-secret')).status).toBe(401);
    // A forged "closed" at the right address, without a signature.
    expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
    expect((await send(`${url.slice(0, -1)}~`, secret)).status).toBe(404);
    expect((await send(`${url.slice(0, -43)}${'x'.repeat(43)}`, secret)).status).toBe(404);
    expect((await send(url, secret)).status).toBe(202);
    expect((await send(url, secret)).status).toBe(202);
    const listed = await ask('GET', `/projects/${client.project.projectId}/trackers`);
    expect(listed.body).toMatchObject({ trackers: [{ hook: { state: 'receiving' } }] });
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    expect((await client.read(id)).status).toBe('open');
    server.move(1, true, 'completed');
    expect((await send(url, secret)).status).toBe(202);
    await eventually(async () => expect((await client.read(id)).status).toBe('resolved'));
  });
});

describe('a connection', () => {
  it('stops when its token is refused, tells its maker once, and goes on after a test', async () => {
    const email = newAddress('maker');
    const world = await bench({ token: 'wrong' }, email);
    const { ask, server, linked, client } = world;
    await createTicket(world);
    const mail = await nextMail(world.culprit.mailDirectory, email, 0, 'refuses the token');
    expect(mail.subject).toContain('GitHub Issues refuses the token');
    const path = `/projects/${client.project.projectId}/trackers`;
    expect((await ask('GET', path)).body).toMatchObject({
      trackers: [{ is_stopped: true, last_error: 'http_401' }],
    });
    const asked = server.requests.length;
    const failed = await ask('POST', `${trackerPath(world)}/test`);
    expectProblem(failed, 409, 'tracker_refused');
    await ask('PATCH', trackerPath(world), { token: TRACKER_TOKEN });
    expect(server.requests.length).toBe(asked + 1);
    const tested = await ask('POST', `${trackerPath(world)}/test`);
    expect(tested).toMatchObject({ status: 200, body: { tracker: { account: 'octo', is_stopped: false } } });
    await linked({ state: 'open' });
    expect(await mailsTo(world.culprit.mailDirectory, email, 'refuses the token')).toHaveLength(1);
  });

  it('is changed by admins, refuses what is no target, and is deleted with its links kept on demand', async () => {
    const world = await bench();
    const { ask, client, links, linked } = world;
    const member = await createCollaborator(world.culprit, client.project, 'member');
    const patch = (body: object, token?: string) => ask('PATCH', trackerPath(world), body, token);
    expectProblem(await patch({ name: 'x' }, member.memberToken), 403, 'forbidden');
    for (const target of ['no-repository', 'acme/..', './shop'])
      expectProblem(await patch({ target }), 400, 'invalid_payload');
    expectProblem(await patch({}), 400, 'invalid_payload');
    const field = { id: 'components', value: 'x' };
    expectProblem(await patch({ extra_fields: [field] }), 400, 'invalid_payload');
    const path = `/projects/${client.project.projectId}/trackers`;
    const body = { kind: 'jira', target: 'ENG', token: 'x' };
    expectProblem(await ask('POST', path, body), 400, 'invalid_payload');
    expectProblem(await ask('POST', path, { ...body, base_url: 'https://10.0.0.1' }), 400, 'blocked_target');
    await createTicket(world);
    await linked({ state: 'open' });
    expectProblem(await patch({ target: 'acme/other' }), 409, 'tracker_in_use');
    expectProblem(await ask('DELETE', trackerPath(world)), 409, 'tracker_in_use');
    expect((await ask('DELETE', `${trackerPath(world)}?unlink=1`)).status).toBe(200);
    expect(await links()).toMatchObject([{ tracker_id: null, key: 'acme/shop#1', state: 'open' }]);
  });
});
