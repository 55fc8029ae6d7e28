import { createHmac, generateKeyPairSync } from 'node:crypto';
import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { ticketDraft } from '../../src/tickets/ticket-draft.ts';
import { named } from '../conformance/incidents-fixtures.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import type { TargetRequest } from '../support/http-target.ts';
import { mailsTo, nextMail } from '../support/mailbox.ts';
import { newAddress } from '../support/people.ts';
import {
  createTicket,
  startTrackerBench,
  type TrackerBench,
  textIn,
  trackerPath,
} from '../support/tracker-bench.ts';
import { TRACKER_TOKEN } from '../support/tracker-server.ts';

/** Tickets of incidents (docs/contract/team-workflow.md 7), with GitHub's calls answered by a stand-in. */

const HOUR_MS = 3_600_000;

let culprit: TestCulprit;
beforeAll(async () => {
  // The waits of the work on trackers are shorter.
  culprit = await startCulprit({ retryScale: 0.03 });
});
afterAll(() => culprit?.stop());

const bench = (settings: JsonObject = {}, email = newAddress('owner')) =>
  startTrackerBench(culprit, settings, { email });

describe('a ticket of an incident', () => {
  it('is created by a job, shown in the record and named in the history', async () => {
    const world = await bench();
    const { server, client, id, linked } = world;
    const made = await createTicket(world);
    expect(made).toMatchObject({
      status: 201,
      body: { link: { state: 'pending', key: null, kind: 'github' } },
    });
    await linked({ state: 'open', key: 'acme/shop#1', assignee_name: null, last_error: null });
    const [ticket] = server.tickets;
    const incident = await client.read(id);
    expect(ticket?.title).toBe(`[${incident.short_id}] ${incident.title}`);
    expect(ticket?.body).toContain(`/incidents/${id}`);
    expect(incident.triage.links).toEqual([
      {
        link_id: textIn(made.body, 'link', 'link_id'),
        key: 'acme/shop#1',
        url: 'https://github.example/acme/shop/issues/1',
        state: 'open',
      },
    ]);
    expect((await client.ledger()).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['incident.linked', 'incident.link_state_changed']),
    );
    const draft = ticketDraft(
      { ...incident, title: 'a\u202eb', environment: 'c\u2066d\ne' },
      { context: { error: { stack: 'f\u202eg\n  at h\0\ti' } } },
      { linkId: newUuid(), title: null, appUrl: culprit.baseUrl },
    );
    expect(draft).toMatchObject({ title: `[${incident.short_id}] a b`, code: 'f g\n  at h  i' });
    expect(draft.facts[0]).toBe(`${incident.service_name} in c d e`);
    const history = await client.get(`/v1/incidents/${id}/history`);
    expect(JSON.stringify(history.body)).toContain('"ticket":"acme/shop#1"');
    expectProblem(await createTicket(world), 409, 'link_exists');
  });

  it('is created once, although the answers to its creation are lost', async () => {
    const world = await bench();
    world.server.fail('POST', 'lost', { status: 502 });
    await createTicket(world);
    await world.linked({ state: 'open', key: 'acme/shop#1' });
    expect(world.server.tickets).toHaveLength(1);
    expect(world.server.requests.filter(({ method }) => method === 'POST').length).toBe(1);
  });

  it('is tried again after a limit and a failure, and failed for good is retried by hand', async () => {
    const world = await bench();
    const { server, ask, id, linked } = world;
    server.fail('POST', { status: 429, headers: { 'retry-after': '2' } }, { status: 503 }, { status: 422 });
    await createTicket(world);
    const link = await linked({ state: 'failed', last_error: 'http_422' });
    expect(server.tickets).toHaveLength(0);
    await ask('POST', `/incidents/${id}/links/${link.link_id}/refresh`);
    await linked({ state: 'open' });
    expect(server.tickets).toHaveLength(1);
  });

  it('of Jira names the fields that it lacks, and is created once they are set', async () => {
    const jira = { kind: 'jira', target: 'ENG', user: 'ada@acme.example' };
    const world = await bench(jira);
    const { server, ask, id, linked } = world;
    server.rules.requires = { customfield_10042: { value: { value: 'Web' }, says: 'Team is required.' } };
    await createTicket(world);
    const { link_id: linkId } = await linked({
      state: 'failed',
      last_error: 'fields_refused: customfield_10042 (Team is required.)',
    });
    const set = (extra_fields: object[]) => ask('PATCH', trackerPath(world), { extra_fields });
    const team = { id: 'customfield_10042', value: '{"value":"Web"}' };
    for (const wrong of [[team, team], [{ ...team, id: 'labels' }], [{ ...team, id: '__proto__' }]])
      expectProblem(await set(wrong), 400, 'invalid_payload');
    expect(await set([team])).toMatchObject({ status: 200, body: { tracker: { extra_fields: [team] } } });
    await ask('POST', `/incidents/${id}/links/${linkId}/refresh`);
    await linked({ state: 'open', key: 'ENG-1', last_error: null });
  });

  it('that exists is linked by key or address; a plain address and what is wrong are told apart', async () => {
    const world = await bench();
    const { server, ask, id, trackerId } = world;
    const add = (body: object) => ask('POST', `/incidents/${id}/links`, body);
    await createTicket(world);
    await world.linked({ state: 'open' });
    const other = await bench();
    server.move(1, false);
    const [ticket] = server.tickets;
    if (ticket !== undefined) server.tickets.push({ ...ticket, number: 2, title: 'Known', isClosed: true });
    const found = await add({ tracker_id: trackerId, key: 'https://github.example/acme/shop/issues/2' });
    expect(found).toMatchObject({
      status: 201,
      body: { link: { key: 'acme/shop#2', state: 'closed', title: 'Known' } },
    });
    expectProblem(await add({ tracker_id: trackerId, key: '#2' }), 409, 'link_exists');
    expectProblem(await add({ tracker_id: trackerId, key: '77' }), 404, 'ticket_not_found');
    expectProblem(await add({ tracker_id: trackerId, key: 'other/repo#1' }), 404, 'ticket_not_found');
    expectProblem(await add({ tracker_id: other.trackerId }), 404, 'tracker_not_found');
    for (const body of [
      {},
      { tracker_id: trackerId, url: 'https://x.example' },
      { url: 'http://x.example' },
    ]) {
      expectProblem(await add(body), 400, 'invalid_payload');
    }
    const bare = await add({ url: 'https://wiki.example/outage', title: 'What we know' });
    expect(bare).toMatchObject({
      status: 201,
      body: { link: { tracker_id: null, state: 'open', kind: null } },
    });
    const gone = await ask('DELETE', `/incidents/${id}/links/${textIn(bare.body, 'link', 'link_id')}`);
    expect(gone.status).toBe(200);
    expect(await world.links()).toHaveLength(2);
  });
});

describe('the status of an incident and its ticket', () => {
  it('follow each other both ways, each change once', async () => {
    const world = await bench();
    const { server, client, id, linked } = world;
    await createTicket(world);
    await linked({ state: 'open' });
    await client.resolve(id);
    await eventually(() => expect(server.tickets[0]).toMatchObject({ isClosed: true, reason: 'completed' }));
    await linked({ state: 'closed' });
    await client.reopen(id);
    await eventually(() => expect(server.tickets[0]?.isClosed).toBe(false));
    await linked({ state: 'open' });
    await eventually(() => expect(server.tickets[0]?.comments).toHaveLength(2));
    // No webhook: what changes there is polled.
    server.move(1, true, 'completed');
    await eventually(async () => expect((await client.read(id)).status).toBe('resolved'));
    const resolved = (await client.ledger('incident.resolved')).map(({ data }) => data.because ?? 'person');
    expect(resolved).toEqual(['person', 'tracker']);
    server.move(1, false);
    await eventually(async () => expect((await client.read(id)).status).toBe('open'));
    const patches = server.requests.filter(({ method }) => method === 'PATCH');
    expect(patches.map(({ body }) => JSON.parse(body).state)).toEqual(['closed', 'open']);
  });

  it('are read by the tag of the last answer while nothing changes, and a change is seen by the next reading', async () => {
    const world = await bench();
    const { server, client, id } = world;
    await createTicket(world);
    await world.linked({ state: 'open' });
    for (const ticket of server.tickets) ticket.updatedAtMs -= HOUR_MS;
    const isTagged = ({ method, headers }: TargetRequest) =>
      method === 'GET' && headers['if-none-match'] !== undefined;
    await eventually(() => expect(server.requests.filter(isTagged).length).toBeGreaterThan(1));
    const [first, ...others] = server.requests.filter(isTagged);
    for (const { url } of others) expect(url).toBe(first?.url);
    expect(await client.ledger('incident.link_state_changed')).toHaveLength(1);
    expect(await client.ledger('incident.resolved')).toEqual([]);
    server.move(1, true);
    await eventually(async () => expect((await client.read(id)).status).toBe('resolved'));
  });

  it('are snoozed for 90 days by a ticket that is not planned, and stay apart by the settings', async () => {
    const world = await bench({ close_on_resolve: false });
    const { server, client, id, linked } = world;
    await createTicket(world);
    await linked({ state: 'open' });
    server.move(1, true, 'not_planned');
    const incident = await eventually(async () => {
      const read = await client.read(id);
      expect(read.triage.snooze).not.toBeNull();
      return read;
    });
    expect(incident).toMatchObject({ status: 'open', triage: { snooze: { set_by: null } } });
    server.move(1, false);
    await linked({ state: 'open' });
    await client.resolve(id);
    const asked = server.requests.length;
    await eventually(() => expect(server.requests.length).toBeGreaterThan(asked + 2));
    expect(server.tickets[0]?.isClosed).toBe(false);
  });
});

/** Has the tracker read twice, so that what it answered first has had its effect. */
async function readTwice(world: TrackerBench): Promise<void> {
  const reads = () => world.server.requests.filter(({ url }) => url.includes('state=all')).length;
  for (let n = 0; n < 2; n += 1) {
    const before = reads();
    // A test of the connection has the waiting work done.
    await world.ask('POST', `${trackerPath(world)}/test`);
    await eventually(() => expect(reads()).toBeGreaterThan(before));
  }
}

describe('the assignee of an incident and its ticket', () => {
  it('crosses in the direction that is set, once, and not by default', async () => {
    const world = await bench();
    const { server, client, id, ask, linked } = world;
    const ada = await createCollaborator(culprit, client.project, 'member');
    await ask('PATCH', '/account/profile', { handle: 'ada' }, ada.memberToken);
    const assign = (userId: string | null) =>
      ask('PATCH', `/incidents/${id}`, { assignee: userId === null ? null : { user_id: userId } });
    const sent = () =>
      server.requests.filter(({ body }) => body.includes('"assignees"')).map(({ body }) => JSON.parse(body));
    const isBy = async () => (await client.read(id)).triage.assignee?.handle ?? null;
    await createTicket(world);
    await linked({ state: 'open', assignee_name: null });
    await assign(ada.userId);
    server.assign(1, 'ben');
    await readTwice(world);
    expect([sent(), await isBy()]).toEqual([[], 'ada']);

    await ask('PATCH', trackerPath(world), { sync_assignee: 'to_tracker' });
    await assign(null);
    await assign(ada.userId);
    await linked({ assignee_name: 'ada' });
    await eventually(() => expect(server.tickets[0]?.assignee).toBe('ada'));
    // Our own change comes back, and what a person changes there stays there.
    server.assign(1, 'ben');
    await readTwice(world);
    expect(sent()).toEqual([{ assignees: ['ada'] }]);
    expect(await isBy()).toBe('ada');
    expect(await client.ledger('incident.assigned')).toHaveLength(2);
    await assign(null);
    await eventually(() => expect(server.tickets[0]?.assignee).toBeNull());
    await assign(client.project.userId);
    const { link_id: linkId } = await linked({ last_error: 'assignee_unknown' });
    await assign(null);
    await linked({ last_error: null });
    // Counts the changes of ten minutes from here.
    await ask('POST', `/incidents/${id}/links/${linkId}/refresh`);
    await ask('PATCH', trackerPath(world), { sync_assignee: 'from_tracker' });
    await readTwice(world);
    const before = sent().length;
    server.assign(1, 'ada');
    await readTwice(world);
    expect(await isBy()).toBe('ada');
    const [taken] = (await client.ledger('incident.assigned')).toReversed();
    expect(taken?.data).toMatchObject({ because: 'tracker', ticket: 'acme/shop#1' });
    // A person who is not known here changes nothing, and the one whom the ticket gave the incident loses it again.
    server.assign(1, 'ben');
    await readTwice(world);
    expect(await isBy()).toBe('ada');
    server.assign(1, null);
    await readTwice(world);
    expect(await isBy()).toBeNull();
    // A choice made here is not sent, and not undone by a ticket that no one has.
    server.assign(1, 'ada');
    await readTwice(world);
    expect(await isBy()).toBe('ada');
    await assign(client.project.userId);
    server.assign(1, null);
    await readTwice(world);
    expect(await isBy()).not.toBeNull();
    expect(sent()).toHaveLength(before);
  });
});

describe('notes of an incident and comments of its ticket', () => {
  it('cross once each when that is set, and our own comments that come back are no notes', async () => {
    const world = await bench();
    const { server, client, id, ask, linked } = world;
    const write = (body: string) => ask('POST', `/incidents/${id}/notes`, { body });
    const notes = async () => {
      const { body } = await ask('GET', `/incidents/${id}/notes`);
      return isJsonObject(body) && Array.isArray(body.notes) ? body.notes : [];
    };
    const comments = () => server.tickets[0]?.comments.map(({ body }) => body) ?? [];
    await createTicket(world);
    await linked({ state: 'open' });
    await write('Before the setting');
    server.comment(1, 'Before the setting, there');
    await readTwice(world);
    expect([comments().length, (await notes()).length]).toEqual([1, 1]);

    await ask('PATCH', trackerPath(world), { sync_notes: true });
    // The answer to the first request with it is lost.
    server.fail('POST', 'lost');
    await write('Who owns this?\n```\n@ada\u202egnp.exe');
    await eventually(() => expect(comments()).toHaveLength(2));
    expect(comments()[1]).toContain('Who owns this?\n```\n@ada gnp.exe\n````');
    await client.resolve(id);
    await eventually(() => expect(comments()).toHaveLength(3));
    server.comment(1, 'The cache, I think. @ada');
    await readTwice(world);
    expect((await notes()).at(-1)).toMatchObject({
      body: 'ben on acme/shop#1:\nThe cache, I think. @ada',
      ...{ via: 'tracker', author: null, mentions: [] },
    });
    expect(await notes()).toHaveLength(3);
    expect(comments()).toHaveLength(4);
    const [noted] = (await client.ledger('incident.noted')).toReversed();
    expect(noted?.data).toMatchObject({ because: 'tracker', author: 'ben' });

    // The longest note comes back as a longer comment, which is ours as well.
    await write('x'.repeat(10_000));
    await eventually(() => expect(comments()).toHaveLength(5));
    // An answer by mail quotes our comment, and is none.
    server.comment(1, `It is.\n\n> ${comments()[1]?.replaceAll('\n', '\n> ')}`);
    await readTwice(world);
    expect((await notes()).slice(3).map((note) => textIn(note, 'body').slice(0, 30))).toEqual([
      'x'.repeat(30),
      'ben on acme/shop#1:\nIt is.\n\n> ',
    ]);

    // An incident that is full says so once.
    await culprit.database.query(
      {
        name: 'test-fill-notes',
        text: `insert into incident_notes (note_id, project_id, incident_id, author_user_id, via, body)
          select gen_random_uuid(), project_id, incident_id, null, 'tracker', 'full' from incident_notes
          cross join generate_series(1, 495) where note_id = $1`,
      },
      [textIn((await notes()).at(-1), 'note_id')],
    );
    server.comment(1, 'One too many');
    server.comment(1, 'Two too many');
    await readTwice(world);
    const { body } = await ask('GET', `/incidents/${id}/notes?limit=200`);
    expect(JSON.stringify(body)).not.toContain('too many');
    const written = await culprit.database.query<{ body: string }>(
      {
        name: 'test-last-notes',
        text: `select body from incident_notes where project_id = $1 and body like 'An incident has%'`,
      },
      [parseId(['proj'], client.project.projectId)],
    );
    expect(written).toEqual([
      { body: 'An incident has at most 500 notes. Further comments on acme/shop#1 stay there.' },
    ]);
  });
});

describe('a change that the tracker refuses', () => {
  it('is noted and repeated by hand alone, and a ticket that was deleted there is gone', async () => {
    const world = await bench();
    const { server, client, id, ask, linked } = world;
    await createTicket(world);
    await linked({ state: 'open' });
    server.fail('PATCH', { status: 422 });
    await client.resolve(id);
    const link = await linked({ state: 'open', last_error: 'http_422' });
    server.fail('PATCH', { status: 410 });
    await ask('POST', `/incidents/${id}/links/${link.link_id}/refresh`);
    await linked({ state: 'gone', last_error: 'http_410' });
    expect(server.requests.filter(({ method }) => method === 'PATCH')).toHaveLength(2);
  });
});

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

describe('a ticket that the tracker cannot serve', () => {
  it('holds up no other, and is abandoned while the tracker works', async () => {
    const world = await bench();
    const { client, id, server, ask, links, linked, trackerId } = world;
    await client.send(named('Second'));
    const second = await eventually(async () => {
      const found = (await client.list()).find((each) => each.incident_id !== id);
      expect(found).toBeDefined();
      return found?.incident_id ?? '';
    });
    server.rules.poison = 'Poison';
    await ask('POST', `/incidents/${id}/links`, { tracker_id: trackerId, title: 'Poison' });
    await ask('POST', `/incidents/${second}/links`, { tracker_id: trackerId });
    const state = async () => (await client.read(second)).triage.links[0]?.state;
    await eventually(async () => expect(await state()).toBe('open'));
    await client.resolve(second);
    await eventually(() => expect(server.tickets).toMatchObject([{ isClosed: true }]));
    expect(await links()).toMatchObject([{ state: 'pending', last_error: null }]);
    await eventually(async () => {
      // As if half an hour had passed.
      await culprit.database.query(
        {
          name: 'test-tracker-failures',
          text: `update trackers set failures = 5, due_at = culprit_now(), not_before = null
            where tracker_id = $1 and leased_until is null`,
        },
        [trackerId],
      );
      expect(await links()).toMatchObject([{ state: 'failed', last_error: 'http_500' }]);
    });
    server.rules.poison = null;
    const [link] = await links();
    await ask('POST', `/incidents/${id}/links/${link?.link_id}/refresh`);
    await linked({ state: 'open', key: 'acme/shop#2' });
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
    const url = culprit.url + new URL(textIn(hook.body, 'url')).pathname;
    const body = JSON.stringify({ action: 'closed', issue: { number: 1, state: 'closed' } });
    const sign = (secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const send = (address: string, secret: string) =>
      fetch(address, { method: 'POST', headers: { 'x-hub-signature-256': sign(secret) }, body });
    const secret = textIn(hook.body, 'secret');
    expect((await send(url, 'another-secret')).status).toBe(401);
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
    const mail = await nextMail(culprit.mailDirectory, email, 0, 'refuses the token');
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
    expect(await mailsTo(culprit.mailDirectory, email, 'refuses the token')).toHaveLength(1);
  });

  it('is changed by admins, refuses what is no target, and is deleted with its links kept on demand', async () => {
    const world = await bench();
    const { ask, client, links, linked } = world;
    const member = await createCollaborator(culprit, client.project, 'member');
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
