import { tellPeople } from '../notify/personal/notices.queries.ts';
import type { Ticket } from '../notify/trackers/tracker-api.ts';
import { untouched } from '../pipeline/incidents/triage/change-triage.ts';
import { findTriage, holdAssignee, saveTriage } from '../pipeline/incidents/triage/triage.queries.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import type { Transaction } from '../platform/db/database.ts';
import { readClock } from '../platform/db/read-clock.ts';
import { type CrossingOptions, mayCross } from './cross-link.ts';
import { saveCrossedAssignee } from './links.queries.ts';
import { findTicketPerson } from './ticket-people.queries.ts';
import type { HeldLink } from './tracked-links.queries.ts';

/**
 * Gives a held incident to the person to whom its ticket was given (docs/contract/team-workflow.md 7.4). A person who is
 * not known here changes nothing. A ticket that lost its assignee takes the incident only from the person whom
 * the ticket had given it, so that a choice made here stays.
 */
export async function takeAssignee(
  transaction: Transaction,
  options: CrossingOptions,
  { link, incidentId, ticket }: { link: HeldLink; incidentId: string; ticket: Ticket },
): Promise<void> {
  const { linkId, projectId } = link;
  const person = ticket.assignee ?? null;
  const userId = person === null ? null : await findTicketPerson(transaction, projectId, person);
  const assignee = userId === null ? null : await holdAssignee(transaction, userId, [projectId]);
  if (person !== null && assignee === null) return;
  const state =
    (await findTriage(transaction, [incidentId])).get(incidentId) ?? untouched(incidentId, projectId);
  const isTaken = assignee === null && state.assigneeUserId !== link.crossedUserId;
  const isSame =
    assignee?.id === state.assigneeUserId || (assignee === null && state.assigneeUserId === null);
  if (!isTaken) await saveCrossedAssignee(transaction, linkId, assignee?.id ?? null);
  if (isTaken || isSame || !(await mayCross(transaction, options, linkId))) return;
  const assignedAtMs = assignee === null ? null : await readClock(transaction);
  saveTriage(transaction, [
    { ...state, assigneeUserId: assignee?.id ?? null, assigneeTeamId: null, assignedAtMs },
  ]);
  const data = { because: 'tracker', link_id: linkId, ticket: ticket.key };
  if (assignee === null) {
    insertLifecycleEvents(transaction, [{ projectId, incidentId, kind: 'incident.unassigned', data }]);
    return;
  }
  insertLifecycleEvents(transaction, [
    { projectId, incidentId, kind: 'incident.assigned', data: { ...data, assignee } },
  ]);
  const news = { projectId, incidentId, actorUserId: null, because: 'tracker', users: [assignee.id] };
  tellPeople(transaction, [{ ...news, reason: 'assigned' }]);
}
