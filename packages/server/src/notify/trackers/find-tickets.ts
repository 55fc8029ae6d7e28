import { FOUND_TICKETS_MAX, TICKET_CHOICES_MAX } from '@culprit/contract/alerts/tracker-words';
import type {
  listTrackerTickets as endpoint,
  FoundTicket,
  listTrackerFields as fieldsEndpoint,
  TrackerFields,
} from '@culprit/contract/alerts/trackers';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { type OpenTracker, openTracker } from './open-trackers.queries.ts';
import { plainKey } from './plain-key.ts';
import { problemOf } from './test-tracker.ts';
import type { Call, Ticket, TicketChoice } from './tracker-api.ts';
import { callsOf, TRACKER_APIS } from './tracker-apis.ts';
import { TrackerFailure } from './tracker-call.ts';

type Options = Pick<Runtime, 'database' | 'keys' | 'outbound'>;

/**
 * Finds tickets of a tracker by a text, so that people choose in place of typing (docs/contract/team-workflow.md 7.1).
 * A key or an address finds its ticket alone.
 * @throws Problem `tracker_not_found`, `tracker_refused`, `tracker_unreachable`
 */
export async function findTrackerTickets(
  options: Options,
  { access, query }: ApiRequest<typeof endpoint>,
): Promise<FoundTicket[]> {
  const text = query.q?.trim() ?? '';
  const tickets = await withTracker(options, access.recordId, async ({ kind, connection }, call) => {
    const { readKey, read, findTickets } = TRACKER_APIS[kind];
    const id = readKey(connection, plainKey(text, connection.baseUrl));
    const named = id === null ? null : await orMissing(read(connection, call, id));
    return named === null ? ((await findTickets?.(connection, call, text)) ?? []) : [named];
  });
  return tickets.slice(0, FOUND_TICKETS_MAX).map((each) => ({
    key: each.key,
    url: each.url,
    title: each.title,
    state: each.isClosed ? 'closed' : 'open',
    state_name: each.stateName,
    assignee_name: each.assignee?.name ?? null,
  }));
}

/**
 * Lists the priorities and labels that new tickets can have.
 * @throws Problem `tracker_not_found`, `tracker_refused`, `tracker_unreachable`
 */
export async function listTicketFields(
  options: Options,
  { access }: ApiRequest<typeof fieldsEndpoint>,
): Promise<TrackerFields> {
  const fields = await withTracker(options, access.recordId, async ({ kind, connection }, call) =>
    TRACKER_APIS[kind].listFields?.(connection, call),
  );
  return { priorities: named(fields?.priorities ?? []), labels: named(fields?.labels ?? []) };
}

function named(choices: readonly TicketChoice[]): TicketChoice[] {
  return choices.filter(({ id, name }) => id !== '' && name !== '').slice(0, TICKET_CHOICES_MAX);
}

async function withTracker<Answer>(
  { database, keys, outbound }: Options,
  trackerId: string,
  ask: (tracker: OpenTracker, call: Call) => Promise<Answer>,
): Promise<Answer> {
  const tracker = await openTracker(database, keys, trackerId);
  if (tracker === null) throw new Problem('tracker_not_found');
  try {
    return await ask(tracker, callsOf(outbound, tracker));
  } catch (error) {
    throw error instanceof TrackerFailure ? problemOf(error) : error;
  }
}

async function orMissing(read: Promise<Ticket>): Promise<Ticket | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof TrackerFailure && error.kind === 'missing') return null;
    throw error;
  }
}
