import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid } from '../../src/platform/ids.ts';
import { ticketDraft } from '../../src/tickets/ticket-draft.ts';
import { named } from '../conformance/incidents-fixtures.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import type { TargetRequest } from '../support/http-target.ts';
import { createTicket, startTrackerBench, textIn, trackerPath } from '../support/tracker-bench.ts';

/** Tickets of incidents (docs/contract/team-workflow.md 7), with GitHub's calls answered by a stand-in. */

const HOUR_MS = 3_600_000;

let culprit: TestCulprit;
beforeAll(async () => {
  // The waits of the work on trackers are shorter.
  culprit = await startCulprit({ retryScale: 0.03 });
});
afterAll(() => culprit?.stop());

const bench = (settings: JsonObject = {}) => startTrackerBench(culprit, settings);

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
