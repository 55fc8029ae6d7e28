import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { expect, it } from 'vitest';
import { openTracker } from '../../src/notify/trackers/open-trackers.queries.ts';
import type { Call, Ticket } from '../../src/notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../../src/notify/trackers/tracker-apis.ts';
import { TrackerFailure } from '../../src/notify/trackers/tracker-call.ts';
import { parseId } from '../../src/platform/ids.ts';
import { createTicket } from '../../src/tickets/create-ticket.ts';
import { moveTicket } from '../../src/tickets/move-ticket.ts';
import { settleTicket } from '../../src/tickets/settle-ticket.ts';
import { findByTickets, findMoved, findPending } from '../../src/tickets/tracked-links.queries.ts';
import { EX, named } from '../conformance/incidents-fixtures.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { connect, type IncidentClient } from '../support/incident-client.ts';
import { runSize } from '../support/run-size.ts';
import { chooseSeed, seededRandom } from '../support/seeded-random.ts';
import { shareCulprit } from '../support/shared-culprit.ts';
import { textIn } from '../support/tracker-bench.ts';
import { workerRuntime } from '../support/worker-runtime.ts';

/**
 * docs/contract/team-workflow.md 20, item 41: random changes of an incident and of its ticket, with the real statements
 * between them. Answers are lost, work dies after a call, people change either side during a call, and readings are
 * missing, repeated or behind. The incident is merged into an older one and split from it at any time, so that the link
 * moves while its ticket is worked on.
 */

const SCHEDULES = runSize('CULPRIT_TEST_TICKET_SCHEDULES', { standard: 10, long: 2000 });
const TURNS = 12;
const SEED = chooseSeed();

/** What happens to the next change of the ticket. */
type Fault =
  | 'none'
  | 'refused connection'
  | 'lost answer'
  | 'death'
  | 'person changes the ticket'
  | 'person changes the incident'
  | 'person merges or splits the incidents';
const FAULTS: readonly Fault[] = [
  'none',
  'none',
  'none',
  'refused connection',
  'lost answer',
  'death',
  'person changes the ticket',
  'person changes the incident',
  'person merges or splits the incidents',
];

class Death extends Error {}

it(`random schedules end in agreement, and each crossing follows a change (seed ${SEED})`, {
  timeout: 60_000 + SCHEDULES * 1000,
}, async () => {
  const random = seededRandom(SEED);
  const culprit = await shareCulprit();
  const { database } = culprit;
  const options = await workerRuntime(culprit, SELF_HOSTED);
  const client = await connect(culprit);
  await client.send(EX());
  const { incident_id: incident } = await client.only();
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  await client.send(named('Older', { timestamp: anHourAgo }));
  await client.counted(1, 1);
  const older = (await client.list()).find(({ incident_id: id }) => id !== incident)?.incident_id ?? '';
  const incidentIds = [incident, older].map((id) => parseId(['inc'], id) ?? '');
  let isMerged = false;
  let isRegrouped = false;
  /** The incident that the ticket belongs to. */
  const holder = () => (isMerged ? older : incident);

  // The ticket as its tracker has it, and all that it ever was.
  const remote = { isClosed: false, updatedAtMs: Date.now() };
  const past: Ticket[] = [];
  let fault: Fault = 'none';
  /** The latest that the tracker answered. */
  let knownMs = 0;
  let changes = 0;
  let crossings = 0;
  const change = (isClosed: boolean) => {
    remote.isClosed = isClosed;
    remote.updatedAtMs += 1000;
  };
  const toggleTicket = () => {
    changes += 1;
    change(!remote.isClosed);
  };
  const toggle = async (id: string) => {
    const { status } = await client.read(id);
    const { status: code } = await client.post(
      `/v1/incidents/${id}/${status === 'resolved' ? 'reopen' : 'resolve'}`,
    );
    expect(code).toBe(200);
  };
  const toggleIncident = async () => {
    await toggle(holder());
    changes += 1;
  };
  /** The ticket gets an incident whose state can be another one: news for it only when the merge is undone. */
  const regroup = async () => {
    const { status } = isMerged
      ? await client.post(`/v1/incidents/${older}/split`, { incident_ids: [incident] })
      : await client.post('/v1/incidents/merge', { incident_ids: [older, incident] });
    expect(status).toBe(200);
    if (isMerged) changes += 1;
    isMerged = !isMerged;
    isRegrouped = true;
  };
  const record = () => ({
    ...{ number: 1, title: 'x', html_url: 'https://github.example/acme/shop/issues/1' },
    state: remote.isClosed ? 'closed' : 'open',
    updated_at: new Date(remote.updatedAtMs).toISOString(),
  });
  const call: Call = async ({ method, body }) => {
    if (method !== 'PATCH') return record();
    const now = fault;
    fault = 'none';
    if (now === 'refused connection') throw new TrackerFailure('unavailable', 'connection_refused');
    const isClosed = isJsonObject(body) && body.state === 'closed';
    if (isClosed !== remote.isClosed) crossings += 1;
    change(isClosed);
    if (now === 'lost answer') throw new TrackerFailure('unavailable', 'timeout');
    if (now === 'death') throw new Death();
    const answer = record();
    knownMs = remote.updatedAtMs;
    if (now === 'person changes the ticket') toggleTicket();
    if (now === 'person changes the incident') await toggleIncident();
    if (now === 'person merges or splits the incidents') await regroup();
    return answer;
  };

  const made = await client.post(`/v1/projects/${client.project.projectId}/trackers`, {
    ...{ kind: 'github', base_url: 'https://tracker.invalid', target: 'acme/shop', token: 'x' },
  });
  const trackerId = textIn(made.body, 'tracker', 'tracker_id');
  // Only the test works on it.
  await database.query(
    { name: 'test-tracker-stopped', text: 'update trackers set is_stopped = true where tracker_id = $1' },
    [trackerId],
  );
  await client.post(`/v1/incidents/${incident}/links`, { tracker_id: trackerId });
  const tracker = await openTracker(database, options.keys, trackerId);
  const [pending] = await findPending(database, trackerId, 1);
  if (tracker === null || pending === undefined) throw new Error('no link');
  await createTicket(options, tracker, call, pending);

  const read = async (ticket: Ticket) => {
    for (const link of await findByTickets(database, trackerId, [ticket.id])) {
      await settleTicket(options, link, ticket);
    }
  };
  const readNow = async () => {
    const ticket = await TRACKER_APIS.github.read(tracker.connection, call, '1');
    past.push(ticket);
    knownMs = remote.updatedAtMs;
    await read(ticket);
  };
  const readBehind = async (ticket: Ticket) => {
    const count = await followed();
    await read(ticket);
    if ((ticket.updatedAtMs ?? 0) < knownMs) expect(await followed()).toBe(count);
  };
  const move = async () => {
    for (const link of await findMoved(database, trackerId, 1)) {
      try {
        await moveTicket(options, tracker, call, link);
      } catch (error) {
        if (!(error instanceof TrackerFailure || error instanceof Death)) throw error;
      }
    }
  };
  const forgetMoves = async () =>
    await database.query(
      { name: 'test-link-moves', text: "update incident_links set moved_at = '{}' where tracker_id = $1" },
      [trackerId],
    );
  let beganAtId = 0;
  const begin = async () => {
    const [row] = await database.query<{ id: number }>(
      {
        name: 'test-schedule-begins',
        text: 'select max(lifecycle_id) as id from lifecycle_events where incident_id = any ($1)',
      },
      [incidentIds],
    );
    beganAtId = row?.id ?? 0;
  };
  /** How often an incident followed the ticket in this schedule. */
  const followed = async () => {
    const [row] = await database.query<{ n: number }>(
      {
        name: 'test-followed',
        text: `select count(*)::int as n from lifecycle_events where incident_id = any ($1) and lifecycle_id > $2
          and data ->> 'because' = 'tracker' and kind in ('incident.resolved', 'incident.reopened')`,
      },
      [incidentIds, beganAtId],
    );
    return row?.n ?? 0;
  };

  for (let schedule = 0; schedule < SCHEDULES; schedule += 1) {
    await begin();
    const before = { changes, crossings };
    const turns: string[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const roll = random.integer(1, 12);
      if (roll === 11) await regroup();
      else if (roll === 12 && !isMerged) await toggle(older);
      else if (roll <= 2) await toggleIncident();
      else if (roll <= 4) toggleTicket();
      else if (roll <= 5 && past.length > 0) await readBehind(random.pick(past.slice(-4)));
      else if (roll <= 7) await readNow();
      else {
        fault = random.pick(FAULTS);
        turns.push(fault);
        // A run reads before it changes anything.
        await readNow();
        await move();
        fault = 'none';
      }
      turns.push(String(roll));
      await forgetMoves();
    }
    const work = async () => {
      await readNow();
      await move();
    };
    const agrees = async () => ((await client.read(holder())).status === 'resolved') === remote.isClosed;
    await work();
    await work();
    if (isRegrouped && !(await agrees())) {
      // The state at the merge is no news for the ticket, but the next change of either side is.
      await (random.integer(0, 1) === 0 ? toggleIncident() : toggleTicket());
      await work();
      await work();
    }
    expect({ turns, agrees: await agrees() }).toEqual({ turns, agrees: true });
    isRegrouped = false;
    const after = { updatedAtMs: remote.updatedAtMs, crossings: crossings + (await followed()) };
    expect(after.crossings - before.crossings).toBeLessThanOrEqual(changes - before.changes);
    await work();
    expect({ updatedAtMs: remote.updatedAtMs, crossings: crossings + (await followed()) }).toEqual(after);
    expect(await linksOf(client, holder())).toEqual([remote.isClosed ? 'closed' : 'open']);
    expect(await linksOf(client, isMerged ? incident : older)).toEqual([]);
    await forgetMoves();
  }

  const ledger = await client.ledger();
  for (const id of [incident, older]) {
    const own = ledger.filter(({ incidentId }) => incidentId === id);
    const states = own.flatMap(({ kind }) => {
      if (kind === 'incident.resolved') return ['resolved'];
      return kind === 'incident.reopened' ? ['open'] : [];
    });
    expect(repeated(['open', ...states])).toEqual([]);
    expect((await client.read(id)).status).toBe(states.at(-1) ?? 'open');
  }
  const reported = ledger.flatMap(({ kind, data }) =>
    kind === 'incident.link_state_changed' ? [String(data.link_state)] : [],
  );
  expect(repeated(reported)).toEqual([]);
  expect(reported.at(-1)).toBe(remote.isClosed ? 'closed' : 'open');
});

async function linksOf(client: IncidentClient, id: string): Promise<unknown[]> {
  const { triage } = await client.read(id);
  return triage.links.map(({ state }) => state);
}

/** Entries that equal the one before. */
function repeated(states: readonly string[]): string[] {
  return states.filter((state, at) => at > 0 && state === states[at - 1]);
}
