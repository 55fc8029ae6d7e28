import { ticketOf } from '../notify/trackers/generic.ts';
import { openTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Ticket } from '../notify/trackers/tracker-api.ts';
import { TrackerFailure } from '../notify/trackers/tracker-call.ts';
import { type ForeignAnswer, refusalAnswer } from '../pipeline/ingest/foreign/foreign-answer.ts';
import { refusal } from '../pipeline/ingest/foreign/foreign-refusal.ts';
import type { Runtime } from '../runtime.ts';
import { settleTicket } from './settle-ticket.ts';
import { findByTickets } from './tracked-links.queries.ts';

/** Incidents that share one ticket. */
const LINKS_PER_REPORT = 50;

const INVALID = refusal(
  'invalid_payload',
  'A report is a JSON object with "key" and "state", which is "open" or "closed".',
);
const UNKNOWN_TICKET = refusal('not_found', 'No incident has a ticket with this key.');

/** Takes the signed report of a generic tracker: what its ticket is now (docs/contract/team-workflow.md 7.5). */
export async function takeReport(
  options: Pick<Runtime, 'database' | 'keys' | 'appUrl'>,
  trackerId: string,
  body: Uint8Array,
  reportedAtMs: number,
): Promise<ForeignAnswer> {
  const { database, keys } = options;
  const ticket = reportIn(body);
  if (ticket === null) return refusalAnswer(INVALID);
  const tracker = await openTracker(database, keys, trackerId);
  const links = tracker === null ? [] : await findByTickets(database, trackerId, [ticket.id]);
  if (tracker === null || links.length === 0) return refusalAnswer(UNKNOWN_TICKET);
  for (const link of links.slice(0, LINKS_PER_REPORT)) {
    await settleTicket(options, link, ticket, reportedAtMs);
  }
  return { status: 202, headers: {}, body: { accepted: true } };
}

function reportIn(body: Uint8Array): Ticket | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    const hasState = typeof value === 'object' && value !== null && Reflect.has(value, 'state');
    return hasState ? ticketOf(value) : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TrackerFailure) return null;
    throw error;
  }
}
