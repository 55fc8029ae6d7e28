import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import type { TicketOptions } from './create-ticket.ts';
import { mayCross } from './cross-link.ts';
import { saveCrossedAssignee } from './links.queries.ts';
import { recordRefusal } from './refused-change.ts';
import { findKnownPerson } from './ticket-people.queries.ts';
import { lockLink, type MisassignedLink, saveAssignment } from './tracked-links.queries.ts';

/**
 * Gives a ticket to the person who has its incident, or to none (docs/contract/team-workflow.md 7.4).
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function assignTicket(
  options: TicketOptions,
  tracker: OpenTracker,
  call: Call,
  { linkId, remoteId, userId }: MisassignedLink,
): Promise<void> {
  const { database } = options;
  const { kind, connection, projectId } = tracker;
  const mayAssign = await database.transaction(async (transaction) => {
    const link = await lockLink(transaction, linkId);
    return link !== null && !link.isPaused && (await mayCross(transaction, options, linkId));
  });
  if (!mayAssign) return;
  const person = userId === null ? null : await findKnownPerson(database, projectId, userId);
  try {
    const isKnown = await TRACKER_APIS[kind].assign(connection, call, remoteId, person);
    const name = person === null ? null : (person.name ?? person.handle);
    await database.transaction((transaction) =>
      saveAssignment(transaction, linkId, userId, isKnown, isKnown ? name : null),
    );
  } catch (error) {
    await recordRefusal({ database, tracker }, linkId, error, (transaction) =>
      saveCrossedAssignee(transaction, linkId, userId),
    );
  }
}
