import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { runTracker } from '../../src/tickets/run-tracker.ts';
import { findMoved } from '../../src/tickets/tracked-links.queries.ts';
import { named } from '../conformance/incidents-fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { linkedBench } from '../support/linked-bench.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ticketOptions } from '../support/ticket-options.ts';
import { startTrackerBench, textIn, trackerPath } from '../support/tracker-bench.ts';
import { webhookClient } from '../support/webhook-client.ts';

/** What follows from the tickets of incidents (docs/contract/team-workflow.md 7) for people, searches and webhooks. */

type Bench = Awaited<ReturnType<typeof linkedBench>>;

/** Works once on the tracker, as a worker does that it stopped. */
async function work({ culprit, world }: Bench) {
  const setStopped = async (isStopped: boolean) => {
    const text = 'update trackers set is_stopped = $2, due_at = null where tracker_id = $1';
    await culprit.database.query({ name: 'test-set-stopped', text }, [world.trackerId, isStopped]);
  };
  await setStopped(false);
  await runTracker(await ticketOptions(culprit), world.trackerId, new AbortController().signal);
  await setStopped(true);
}

const commentsOf = ({ world }: Bench) =>
  world.server.tickets[0]?.comments.map(({ body }) => body.split('\n')[0]) ?? [];

describe('a ticket whose link is removed', () => {
  it('says so in a comment, once or never, unless its comments leave that out', async () => {
    const bench = await linkedBench();
    const { world, ticket, path, set } = bench;
    const { client, ask, id } = world;
    const { short_id: number } = await client.read(id);
    const relink = async () => {
      const { body } = await ask('POST', `/incidents/${id}/links`, {
        ...{ tracker_id: world.trackerId, key: ticket.key },
      });
      return `/incidents/${id}/links/${textIn(body, 'link', 'link_id')}`;
    };
    expect((await ask('DELETE', path)).status).toBe(200);
    await work(bench);
    await work(bench);
    expect(commentsOf(bench)).toEqual([`${number} is no longer linked to this ticket.`]);
    // The answer is lost after the comment was written: it is not written again.
    const second = await relink();
    await ask('DELETE', second);
    world.server.fail('POST', 'lost');
    await work(bench);
    await work(bench);
    expect(commentsOf(bench)).toHaveLength(2);
    const third = await relink();
    await ask('PATCH', third, { sync: { comments: ['fix'] } });
    await ask('DELETE', third);
    await work(bench);
    expect(commentsOf(bench)).toHaveLength(2);
    expectProblem(await set({ notes: true }), 404, 'link_not_found');
  });
});

describe('the person who closed a ticket', () => {
  it('is in the history, and a tracker that does not say it holds up nothing', async () => {
    const bench = await linkedBench();
    const { world } = bench;
    const { client, server, id } = world;
    server.move(1, true);
    await work(bench);
    const closedBy = { because: 'tracker', closed_by: 'Ben Smith' };
    expect((await client.ledger('incident.resolved'))[0]?.data).toMatchObject(closedBy);
    const { body } = await client.get(`/v1/incidents/${id}/history`);
    const entries = isJsonObject(body) && Array.isArray(body.history) ? body.history : [];
    const changed = entries.find((each) => isJsonObject(each) && each.kind === 'incident.link_state_changed');
    expect(changed).toMatchObject({ data: { link_state: 'closed', closed_by: 'Ben Smith' } });
    server.move(1, false);
    await work(bench);
    expect(await client.read(id)).toMatchObject({ status: 'open' });
    server.move(1, true);
    server.rules.poison = '/issues/1 ';
    await work(bench);
    expect(await client.read(id)).toMatchObject({ status: 'resolved' });
    expect((await client.ledger('incident.resolved'))[1]?.data).not.toHaveProperty('closed_by');
  });
});

describe('webhooks', () => {
  it('are sent when a ticket is linked, closed and unlinked, with its key, state and person', async () => {
    const bench = await linkedBench();
    const { world, culprit, path, ticket, linkId } = bench;
    const hooks = webhookClient(culprit, world.client.project);
    const { webhook } = await hooks.create('https://receiver.invalid/', {
      events: ['incident.linked', 'incident.link_state_changed', 'incident.unlinked'],
    });
    world.server.move(1, true);
    await work(bench);
    await world.ask('POST', `/incidents/${world.id}/links`, { url: 'https://wiki.example/outage' });
    await world.ask('DELETE', path);
    const deliveries = await eventually(async () => {
      const found = await hooks.deliveries(webhook.webhook_id);
      expect(found).toHaveLength(3);
      return found.toReversed();
    });
    const bodies: JsonObject[] = [];
    for (const { delivery_id: id } of deliveries) {
      const { body } = await world.client.get(`/v1/webhooks/${webhook.webhook_id}/deliveries/${id}`);
      bodies.push(JSON.parse(textIn(body, 'body')));
    }
    const link = { link_id: linkId, ticket: ticket.key };
    expect(bodies.map(({ event_type, triage }) => [event_type, isJsonObject(triage) && triage.link])).toEqual(
      [
        ['incident.link_state_changed', { ...link, state: 'closed', closed_by: 'Ben Smith' }],
        [
          'incident.linked',
          {
            ...{ link_id: expect.any(String), ticket: 'https://wiki.example/outage' },
            ...{ state: null, closed_by: null },
          },
        ],
        ['incident.unlinked', { ...link, state: null, closed_by: null }],
      ],
    );
  });
});

describe('a search', () => {
  it('finds incidents by their ticket, its address, and by having one', async () => {
    const { world, ticket } = await linkedBench();
    const { client, ask, id } = world;
    await client.send(named('Second'));
    await client.counted(1, 1);
    const other = (await client.list()).find(({ incident_id }) => incident_id !== id)?.incident_id ?? '';
    await ask('POST', `/incidents/${other}/links`, { url: 'https://wiki.example/Outage?a=1,2' });
    await client.send(named('Third'));
    await client.counted(1, 1, 1);
    const found = async (q: string) =>
      (await client.list({ q })).map(({ incident_id: each }) =>
        each === id ? 'ticket' : each === other ? 'address' : 'none',
      );
    expect(ticket.key).toBe('acme/shop#1');
    expect(await found('ticket:acme/shop#1')).toEqual(['ticket']);
    expect(await found('ticket:ACME/Shop#1')).toEqual(['ticket']);
    expect(await found('ticket:acme/*')).toEqual(['ticket']);
    expect(await found(`ticket:${ticket.url}`)).toEqual(['ticket']);
    expect(await found('ticket:"https://wiki.example/Outage?a=1,2"')).toEqual(['address']);
    expect(await found('ticket:ENG-1')).toEqual([]);
    expect((await found('-ticket:acme/shop#1')).toSorted()).toEqual(['address', 'none']);
    expect((await found('ticket:acme/shop#1,https://wiki.example/*')).toSorted()).toEqual([
      'address',
      'ticket',
    ]);
    expect((await found('is:linked')).toSorted()).toEqual(['address', 'ticket']);
    expect(await found('is:unlinked')).toEqual(['none']);
    expect(await found('-is:linked')).toEqual(['none']);
    expect(await found('is:unlinked ticket:acme/shop#1')).toEqual([]);
    const third = (await client.list({ q: 'is:unlinked' }))[0]?.incident_id ?? '';
    await ask('POST', `/incidents/${third}/notes`, { body: 'Seen before' });
    await ask('POST', `/incidents/${id}/fixes`, { url: 'https://git.example/pull/1' });
    expect(await found('is:noted')).toEqual(['none']);
    expect(await found('is:fixed')).toEqual(['ticket']);
    expect((await found('-is:noted')).toSorted()).toEqual(['address', 'ticket']);
    const { body } = await client.get(
      `/v1/incidents/query?${new URLSearchParams({ q: 'issue:ENG-1', project_id: client.project.projectId })}`,
    );
    expect(body).toMatchObject({ problem: expect.stringContaining('"ticket:"') });
  });
});

describe('the ticket of an incident that is merged into another', () => {
  it('belongs to the one that stays, follows it, and goes back when the merge is undone', async () => {
    const bench = await linkedBench();
    const { world, path, culprit, write } = bench;
    const { client, ask, id: merged, server, trackerId } = world;
    // An older one: that stays.
    await client.send(named('Older', { timestamp: new Date(Date.now() - 3_600_000).toISOString() }));
    await client.counted(1, 1);
    const stays = (await client.list()).find(({ incident_id }) => incident_id !== merged)?.incident_id ?? '';
    expect(await client.post('/v1/incidents/merge', { incident_ids: [stays, merged] })).toMatchObject({
      ...{ status: 200, body: { grouping: { incident_id: stays } } },
    });
    const { short_id: number, triage } = await client.read(stays);
    expect(triage.links).toMatchObject([{ key: 'acme/shop#1' }]);
    expect((await client.read(merged)).triage.links).toEqual([]);
    // The merged incident was resolved by the merge, which is no news for the ticket.
    expect(await findMoved(culprit.database, trackerId, 10)).toEqual([]);
    expect(server.tickets[0]?.isClosed).toBe(false);
    // By either id the links of the group are listed and changed.
    expect(await world.links()).toMatchObject([{ incident_id: stays }]);
    expect((await ask('PATCH', path, { sync: { wont_fix: 'resolve' } })).status).toBe(200);
    const added = await ask('POST', `/incidents/${merged}/links`, { url: 'https://wiki.example/x' });
    expect(added).toMatchObject({ status: 201, body: { link: { incident_id: stays } } });
    await client.resolve(stays);
    await write();
    expect(server.tickets[0]?.isClosed).toBe(true);
    expect(commentsOf(bench)).toEqual([`${number} was resolved.`]);
    server.move(1, false);
    await work(bench);
    expect(await client.read(stays)).toMatchObject({ status: 'open' });
    const split = await client.post(`/v1/incidents/${stays}/split`, { incident_ids: [merged] });
    expect(split.status).toBe(200);
    expect((await client.read(merged)).triage.links).toMatchObject([{ key: 'acme/shop#1' }]);
    expect((await client.read(stays)).triage.links).toMatchObject([{ url: 'https://wiki.example/x' }]);
    server.move(1, true);
    await work(bench);
    expect([await client.read(merged), await client.read(stays)]).toMatchObject([
      { status: 'resolved' },
      { status: 'open' },
    ]);
  });
});

describe('the tickets and fields of a tracker', () => {
  it('are listed for every member, as the tracker answers, and used for a new ticket', async () => {
    const world = await startTrackerBench(await shareCulprit());
    const { ask, server, id, trackerId } = world;
    const add = (body: object) => ask('POST', `/incidents/${id}/links`, { tracker_id: trackerId, ...body });
    const tickets = (q?: string) =>
      ask('GET', `${trackerPath(world)}/tickets${q === undefined ? '' : `?q=${encodeURIComponent(q)}`}`);
    expect(await ask('GET', `${trackerPath(world)}/fields`)).toMatchObject({
      ...{ status: 200, body: { priorities: [], labels: [{ id: 'bug', name: 'bug' }, { id: 'urgent' }] } },
    });
    expectProblem(await add({ priority: '1' }), 400, 'invalid_payload');
    expectProblem(await add({ key: '#1', labels: ['bug'] }), 400, 'invalid_payload');
    await add({ title: 'Cart is empty', labels: ['bug'] });
    await world.linked({ state: 'open', key: 'acme/shop#1' });
    expect(server.tickets[0]?.labels).toEqual(['bug']);
    const found = { key: 'acme/shop#1', title: 'Cart is empty', state: 'open', assignee_name: null };
    for (const q of ['cart', undefined, '#1', ` https://github.example/acme/shop/issues/1 `])
      expect(await tickets(q)).toMatchObject({ status: 200, body: { tickets: [found] } });
    expect(await tickets('#7')).toMatchObject({ status: 200 });
    expect(await tickets('Coupon')).toEqual(expect.objectContaining({ body: { tickets: [] } }));
    for (const [fault, status, code] of [
      [{ status: 401 }, 409, 'tracker_refused'],
      [{ status: 403, headers: { 'retry-after': '9' } }, 502, 'tracker_unreachable'],
      [{ status: 200, body: '<html>' }, 502, 'tracker_unreachable'],
      [{ status: 200, body: '{"items":7}' }, 502, 'tracker_unreachable'],
      ['cut', 502, 'tracker_unreachable'],
    ] as const) {
      server.fail('GET', fault);
      expectProblem(await tickets('cart'), status, code);
      server.fail('GET', fault);
      expectProblem(await ask('GET', `${trackerPath(world)}/fields`), status, code);
    }
    expectProblem(await tickets('x'.repeat(101)), 400, 'invalid_query');
  });

  it('are none of a tracker that cannot be read', async () => {
    const settings = { kind: 'generic', target: 'support' };
    const world = await startTrackerBench(await shareCulprit(), settings);
    expect(await world.ask('GET', `${trackerPath(world)}/tickets`)).toMatchObject({ body: { tickets: [] } });
    const fields = await world.ask('GET', `${trackerPath(world)}/fields`);
    expect(fields.body).toEqual({ priorities: [], labels: [] });
  });
});
