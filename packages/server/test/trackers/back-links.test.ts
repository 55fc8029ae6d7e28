import type { JsonObject } from '@culprit/evidence/events/envelope/json';
import { expect, it } from 'vitest';
import { runTracker } from '../../src/tickets/run-tracker.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { ticketOptions } from '../support/ticket-options.ts';
import { createTicket, startTrackerBench } from '../support/tracker-bench.ts';
import type { Fault } from '../support/tracker-server.ts';

/** The link of a ticket to its incident (docs/contract/team-workflow.md 7.2). */

/** The answer of both products to the question what changed. */
const NOTHING_CHANGED: Fault = {
  status: 200,
  body: '{"issues":[],"total":0,"data":{"issues":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}',
};

/** A project whose tracker only the test works on. */
async function stoppedBench(settings: JsonObject) {
  const culprit = await shareCulprit();
  const world = await startTrackerBench(culprit, settings);
  const options = await ticketOptions(culprit);
  const hold =
    'update trackers set claim_number = 1000, leased_until = $2, due_at = $2 where tracker_id = $1';
  const later = new Date(Date.now() + 3_600_000);
  await culprit.database.query({ name: 'test-tracker-hold', text: hold }, [world.trackerId, later]);
  return {
    world,
    run: async () => await runTracker(options, world.trackerId, AbortSignal.timeout(60_000)),
  };
}

it.each([
  ['Jira Cloud', { kind: 'jira', target: 'ENG', user: 'ada@acme.example' }],
  ['Jira on an own server', { kind: 'jira', target: 'ENG' }],
  ['Linear', { kind: 'linear', target: 'ENG' }],
])('a ticket of %s has one link to its incident, although the answer is lost', async (_name, settings) => {
  const { world, run } = await stoppedBench(settings);
  const { server, client, id } = world;
  await createTicket(world);
  // Nothing but the link fails: the requests before it create the ticket.
  server.rules.poison = settings.kind === 'jira' ? 'remotelink' : 'attachmentCreate';
  await run();
  expect(server.tickets.map(({ backLinks }) => backLinks)).toEqual([{}]);
  expect((await world.links())[0]).toMatchObject({ state: 'open', last_error: null });
  server.rules.poison = null;
  // The answer is lost after the link was made.
  server.fail('POST', NOTHING_CHANGED, 'lost');
  expect((await run())?.failure).toMatchObject({ kind: 'unavailable' });
  expect(Object.keys(server.tickets[0]?.backLinks ?? {})).toHaveLength(1);
  for (let n = 0; n < 2; n += 1) await run();
  const { short_id: shortId } = await client.read(id);
  const links = Object.entries(server.tickets[0]?.backLinks ?? {});
  expect(links).toEqual([
    [
      settings.kind === 'jira' ? `culprit:${id}` : expect.stringContaining(`/incidents/${id}`),
      { url: expect.stringMatching(new RegExp(`^http.*/incidents/${id}$`)), title: `${shortId} in Culprit` },
    ],
  ]);
  const sent = server.requests.filter(({ url, body }) => /remotelink|attachmentCreate/.test(url + body));
  expect(sent).toHaveLength(3);
});

it('a link that the token may not add is left out, and stops nothing', async () => {
  const { world, run } = await stoppedBench({ kind: 'jira', target: 'ENG', user: 'ada@acme.example' });
  const { server, ask, id, trackerId } = world;
  await createTicket(world);
  const refused: Fault = { status: 403 };
  server.rules.poison = 'remotelink';
  await run();
  server.rules.poison = null;
  server.fail('POST', NOTHING_CHANGED, refused);
  const outcome = await run();
  expect(outcome?.failure).toBeNull();
  await run();
  expect(server.tickets[0]?.backLinks).toEqual({});
  // A ticket that exists gets its link too.
  server.tickets.push({ ...structuredClone(server.tickets[0] ?? never()), number: 2 });
  await ask('POST', `/incidents/${id}/links`, { tracker_id: trackerId, key: 'ENG-2' });
  await run();
  expect(Object.keys(server.tickets[1]?.backLinks ?? {})).toEqual([`culprit:${id}`]);
});

function never(): never {
  throw new Error('no ticket');
}
