import { openTracker } from '../../src/notify/trackers/open-trackers.queries.ts';
import type { Ticket } from '../../src/notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../../src/notify/trackers/tracker-apis.ts';
import { callsTo } from '../../src/notify/trackers/tracker-call.ts';
import { moveTicket } from '../../src/tickets/move-ticket.ts';
import { settleTicket } from '../../src/tickets/settle-ticket.ts';
import { findByTickets, findMoved } from '../../src/tickets/tracked-links.queries.ts';
import { LOCAL_RECEIVERS } from './receivers-allowed.ts';
import { shareCulprit } from './shared-culprit.ts';
import { ticketOptions } from './ticket-options.ts';
import { startTrackerBench, textIn } from './tracker-bench.ts';

/** A ticket that exists, linked to an incident; only the test works on its tracker. */
export async function linkedBench() {
  const culprit = await shareCulprit();
  const world = await startTrackerBench(culprit);
  const { server, trackerId, ask, id } = world;
  const stop = 'update trackers set is_stopped = true where tracker_id = $1';
  await culprit.database.query({ name: 'test-tracker-stopped', text: stop }, [trackerId]);
  const { keys } = await ticketOptions(culprit);
  const tracker = await openTracker(culprit.database, keys, trackerId);
  if (tracker === null) throw new Error('no tracker');
  const call = callsTo(LOCAL_RECEIVERS, server.url);
  const draft = {
    title: 'x',
    url: 'https://x.example',
    facts: [],
    code: '',
    linkId: trackerId,
    incident: {},
  };
  const ticket = await TRACKER_APIS.github.create(tracker.connection, call, draft);
  const added = await ask('POST', `/incidents/${id}/links`, { tracker_id: trackerId, key: ticket.key });
  const path = `/incidents/${id}/links/${textIn(added.body, 'link', 'link_id')}`;
  return {
    ...{ world, culprit, tracker, call, ticket, path, added, linkId: textIn(added.body, 'link', 'link_id') },
    set: (sync: object) => ask('PATCH', path, { sync }),
    /** The ticket is read in a state. */
    async read(changed: Partial<Ticket>) {
      const [link] = await findByTickets(culprit.database, trackerId, [ticket.id]);
      if (link === undefined) throw new Error('no link');
      const now = { ...ticket, ...changed, updatedAtMs: null };
      await settleTicket(await ticketOptions(culprit), link, now);
    },
    /** What the incident has changed crosses. */
    async write() {
      for (const link of await findMoved(culprit.database, trackerId, 10)) {
        await moveTicket(await ticketOptions(culprit), tracker, call, link);
      }
    },
  };
}
