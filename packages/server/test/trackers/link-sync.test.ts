import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { findUnsaid } from '../../src/tickets/said-events.queries.ts';
import { sayEvent } from '../../src/tickets/say-event.ts';
import { countMove } from '../../src/tickets/tracked-links.queries.ts';
import { eventually } from '../support/eventually.ts';
import { expectProblem } from '../support/expect-problem.ts';
import { linkedBench } from '../support/linked-bench.ts';
import { ticketOptions } from '../support/ticket-options.ts';
import { textIn } from '../support/tracker-bench.ts';
import { webhookClient } from '../support/webhook-client.ts';

/** What one link sets otherwise than its tracker (docs/contract/team-workflow.md 7.4), and when it is paused. */

const ofTracker = {
  ...{ close_on_resolve: true, reopen_on_regress: true, resolve_on_close: true, wont_fix: 'snooze' },
  ...{ assignee: 'none', comments: ['regressed', 'spike', 'fix', 'unlinked'], notes: false },
};

describe('what crosses a link', () => {
  it('follows its tracker except in its own settings, until they are cleared', async () => {
    const { world, set, added, path } = await linkedBench();
    expect(added.body).toMatchObject({ link: { sync: ofTracker, own_sync: [] } });
    const other = { wont_fix: 'nothing', comments: [], notes: true };
    expect(await set(other)).toMatchObject({
      status: 200,
      body: { link: { sync: { ...ofTracker, ...other }, own_sync: ['wont_fix', 'comments', 'notes'] } },
    });
    await set({ assignee: 'to_tracker', notes: null });
    expect((await world.links())[0]).toMatchObject({
      sync: { ...ofTracker, ...other, assignee: 'to_tracker', notes: false },
      own_sync: ['wont_fix', 'assignee', 'comments'],
    });
    for (const wrong of [{}, { wont_fix: 'x' }, { comments: ['fix', 'fix'] }, { title: true }, { notes: 1 }])
      expectProblem(await set(wrong), 400, 'invalid_payload');
    const { body } = await world.ask('POST', `/incidents/${world.id}/links`, { url: 'https://x.example' });
    expect(body).toMatchObject({ link: { sync: null, own_sync: [] } });
    const bare = path.replace(/[^/]+$/, textIn(body, 'link', 'link_id'));
    expectProblem(await world.ask('PATCH', bare, { sync: { notes: true } }), 400, 'invalid_payload');
    const unknown = path.replace(/[^/]+$/, world.trackerId);
    expectProblem(await world.ask('PATCH', unknown, { sync: { notes: true } }), 404, 'link_not_found');
  });

  it('keeps a resolved incident and its ticket apart in both directions, and lets them meet again', async () => {
    const { world, set, read, write } = await linkedBench();
    const { client, server, id } = world;
    await set({ close_on_resolve: false, resolve_on_close: false, reopen_on_regress: false });
    await client.resolve(id);
    await write();
    await client.reopen(id);
    await write();
    await read({ isClosed: true });
    expect((await client.read(id)).status).toBe('open');
    expect(server.tickets[0]?.isClosed).toBe(false);
    await read({ isClosed: false });
    await set({ close_on_resolve: null, resolve_on_close: null });
    await read({ isClosed: true });
    expect((await client.read(id)).status).toBe('resolved');
    await read({ isClosed: false });
    expect((await client.read(id)).status).toBe('open');
    await client.resolve(id);
    await write();
    expect(server.tickets[0]?.isClosed).toBe(true);
  });

  it('says what a ticket that is not going to be fixed does, for that link', async () => {
    const { world, set, read } = await linkedBench();
    await set({ wont_fix: 'nothing' });
    await read({ isClosed: true, isWontFix: true });
    expect(await world.client.read(world.id)).toMatchObject({ status: 'open', triage: { snooze: null } });
    await read({ isClosed: false });
    await set({ wont_fix: null });
    await read({ isClosed: true, isWontFix: true });
    const { triage } = await world.client.read(world.id);
    const days = (Date.parse(triage.snooze?.until ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
  });

  it('takes a person from the ticket where the link says so', async () => {
    const { world, set, read } = await linkedBench();
    const { client, ask, id } = world;
    const { body } = await ask('GET', `/projects/${client.project.projectId}/people`);
    const [owner] = isJsonObject(body) && Array.isArray(body.people) ? body.people : [];
    const person = (id: string) => ({
      ...{ id, name: '', login: textIn(owner, 'handle'), email: null },
    });
    await read({ assignee: person('one') });
    expect((await client.read(id)).triage.assignee).toBeNull();
    await set({ assignee: 'from_tracker' });
    await read({ assignee: person('two') });
    expect((await client.read(id)).triage.assignee).not.toBeNull();
  });
});

describe('a ticket that was closed', () => {
  it('resolves its incident as a person does: with a message to webhooks, and in the history as the tracker', async () => {
    const { world, culprit, read, ticket } = await linkedBench();
    const { client, id } = world;
    const hooks = webhookClient(culprit, client.project);
    const { webhook } = await hooks.create('https://receiver.invalid/', { events: ['bundle.resolved'] });
    await read({ isClosed: true });
    await eventually(async () =>
      expect(await hooks.deliveries(webhook.webhook_id)).toMatchObject([{ event_type: 'bundle.resolved' }]),
    );
    const [resolved] = await client.ledger('incident.resolved');
    expect(resolved?.data).toMatchObject({ because: 'tracker', ticket: ticket.key });
    // An echo of it is no change.
    await read({ isClosed: true });
    expect(await client.ledger('incident.resolved')).toHaveLength(1);
    expect((await client.read(id)).status).toBe('resolved');
  });
});

describe('what comments of a ticket say', () => {
  it('are fixes and spikes, once each, and a return, where the link says so', async () => {
    const { world, culprit, set, linkId, tracker, call, write } = await linkedBench();
    const { server, client, ask, id, trackerId } = world;
    const options = await ticketOptions(culprit);
    const said = () => server.tickets[0]?.comments.map(({ body }) => body.split('\n')[0]) ?? [];
    const propose = (n: number) =>
      ask('POST', `/incidents/${id}/fixes`, { url: `https://git.example/pull/${n}` });
    const waiting = async () => await findUnsaid(culprit.database, trackerId, 10);
    const incident = await client.read(id);
    await propose(1);
    const [event] = await eventually(async () => {
      expect(await waiting()).toHaveLength(1);
      return await waiting();
    });
    if (event === undefined) throw new Error('no event');
    for (let n = 0; n < 2; n += 1) await sayEvent(options, tracker, call, event);
    expect(said()).toEqual([`A fix of ${incident.short_id} was proposed.`]);
    expect(server.tickets[0]?.comments[0]?.body).toContain('```text\nhttps://git.example/pull/1\n```');
    await set({ comments: ['spike'] });
    await propose(2);
    const jobs = `select count(*) as jobs from jobs where lane = 'tickets' and fairness_key = $1`;
    await eventually(async () => {
      const projectId = parseId(['proj'], client.project.projectId);
      const [row] = await culprit.database.query({ name: 'test-tickets-jobs', text: jobs }, [projectId]);
      expect(row).toEqual({ jobs: 0 });
    });
    expect(await waiting()).toEqual([]);
    const spike = `with l as (
        insert into lifecycle_events (project_id, incident_id, kind)
        select project_id, incident_id, 'incident.spike_detected' from incident_links where link_id = $1
        returning lifecycle_id
      ) update incident_links set to_say = array(select lifecycle_id from l) where link_id = $1`;
    await culprit.database.query({ name: 'test-spike', text: spike }, [linkId]);
    for (const each of await waiting()) await sayEvent(options, tracker, call, each);
    expect(said()[1]).toBe(`${incident.short_id} happens much more often than before (1 events).`);
    await client.resolve(id);
    await write();
    await client.reopen(id);
    await write();
    // It was resolved, which is always said, and its return is not.
    expect(said().slice(2)).toEqual([`${incident.short_id} was resolved.`]);
    await set({ comments: ['regressed'] });
    await client.resolve(id);
    await write();
    await client.reopen(id);
    await write();
    expect(said().slice(3)).toEqual([
      `${incident.short_id} was resolved.`,
      `${incident.short_id} was reopened (1 events).`,
    ]);
  });
});

describe('changes that cross a link', () => {
  it('pause it with the seventh within any ten minutes, and not with the seventh in eleven', async () => {
    const { culprit, linkId, world, path } = await linkedBench();
    const move = () => culprit.database.transaction((transaction) => countMove(transaction, linkId));
    const age = async (minutes: number) => {
      const text = `update incident_links set moved_at = array(select m - make_interval(mins => $2) from unnest(moved_at) m)
        where link_id = $1`;
      await culprit.database.query({ name: 'test-link-age', text }, [linkId, minutes]);
    };
    for (let n = 0; n < 3; n += 1) expect(await move()).toBe(true);
    await age(6);
    for (let n = 0; n < 3; n += 1) expect(await move()).toBe(true);
    // The first three are older than ten minutes now, so three more may cross, and no fourth one.
    await age(5);
    for (let n = 0; n < 3; n += 1) expect(await move()).toBe(true);
    expect((await world.links())[0]).toMatchObject({ is_paused: false, last_error: null });
    expect(await move()).toBe(false);
    expect((await world.links())[0]).toMatchObject({ is_paused: true, last_error: 'flapping' });
    await world.ask('POST', `${path}/refresh`);
    expect(await move()).toBe(true);
    expect((await world.links())[0]).toMatchObject({ is_paused: false, last_error: null });
  });
});
