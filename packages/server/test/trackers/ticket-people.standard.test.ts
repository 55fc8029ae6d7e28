import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseId } from '../../src/platform/ids.ts';
import { createCollaborator } from '../support/collaborators.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import {
  createTicket,
  startTrackerBench,
  type TrackerBench,
  textIn,
  trackerPath,
} from '../support/tracker-bench.ts';

/** What people say and take, on incidents and on their tickets (docs/contract/team-workflow.md 7.4). */

let culprit: TestCulprit;
beforeAll(async () => {
  // The waits of the work on trackers are shorter.
  culprit = await startCulprit({ retryScale: 0.03 });
});
afterAll(() => culprit?.stop());

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
    const world = await startTrackerBench(culprit);
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
    const world = await startTrackerBench(culprit);
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
