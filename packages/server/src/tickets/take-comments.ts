import { NOTE_LENGTH_MAX, NOTES_MAX } from '@culprit/contract/incidents/triage-words';
import { tellPeople } from '../notify/personal/notices.queries.ts';
import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call, Ticket, TicketComment } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { lockIncidents } from '../pipeline/incidents/processing/locked-incidents.queries.ts';
import { insertLifecycleEvents } from '../pipeline/ledger/lifecycle.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { newUuid, prefixedId } from '../platform/ids.ts';
import type { TicketOptions } from './create-ticket.ts';
import { countIncidentNotes, insertTakenComment, isTakenComment } from './note-comments.queries.ts';
import { isOurComment } from './ticket-draft.ts';
import { type HeldLink, lockLink, type ReadLink, type TicketLink } from './tracked-links.queries.ts';

/**
 * Makes notes of new comments on a ticket that changed (docs/contract/team-workflow.md 7.4). Our own comments end with the
 * address of the incident and change nothing, and each other one becomes a note once. An incident that has all notes that
 * it may have says so in one more, and takes no further comments.
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function takeComments(
  { database, appUrl, log }: TicketOptions,
  { kind, connection }: OpenTracker,
  call: Call,
  link: ReadLink,
  ticket: Ticket,
): Promise<void> {
  const { readComments } = TRACKER_APIS[kind];
  if (readComments === null || link.notesSinceMs === null) return;
  const sinceMs = Math.max(link.notesSinceMs, link.createdAtMs);
  const addresses = [link.incidentId, ...link.formerIncidentIds].map((id) => prefixedId('inc', id));
  let left = 0;
  for (const comment of await readComments(connection, call, link.remoteId, sinceMs)) {
    const isOurs = addresses.some((address) => isOurComment(comment.text, appUrl, address));
    if (comment.text === '' || isOurs) continue;
    const isTaken = await takeComment(database, link, ticket, comment);
    if (!isTaken) left += 1;
  }
  if (left > 0)
    log.warn({ linkId: link.linkId, left }, 'comments of a ticket stay there: the incident is full of notes');
}

/** The name by which the note is known that says that an incident takes no further comments of a ticket. */
const FULL = '(full)';

/** @returns false if the incident has no room for it */
async function takeComment(
  database: Database,
  { linkId, incidentId }: TicketLink,
  ticket: Ticket,
  comment: TicketComment,
): Promise<boolean> {
  return await database.transaction(async (transaction) => {
    const [incident] = await lockIncidents(transaction, [incidentId]);
    const link: HeldLink | null = await lockLink(transaction, linkId);
    if (incident === undefined || link === null || link.isPaused) return true;
    const isFull = (await countIncidentNotes(transaction, incidentId)) >= NOTES_MAX;
    if (isFull && (await isTakenComment(transaction, linkId, comment.id))) return true;
    const { projectId } = link;
    const noteId = newUuid();
    const body = isFull
      ? `An incident has at most ${NOTES_MAX} notes. Further comments on ${ticket.key} stay there.`
      : `${comment.authorName || 'A person'} on ${ticket.key}:\n${comment.text}`;
    const isNew = await insertTakenComment(transaction, {
      ...{ noteId, projectId, incidentId, linkId, commentId: isFull ? FULL : comment.id },
      // A cut within a character must not leave half of it.
      body: body.slice(0, NOTE_LENGTH_MAX).toWellFormed(),
    });
    if (!isNew) return !isFull;
    const data = { because: 'tracker', link_id: linkId, ticket: ticket.key, note_id: noteId };
    insertLifecycleEvents(transaction, [
      {
        projectId,
        incidentId,
        kind: 'incident.noted',
        data: { ...data, via: 'tracker', author: isFull ? '' : comment.authorName },
      },
    ]);
    const news = { projectId, incidentId, noteId, actorUserId: null, because: 'tracker' };
    tellPeople(transaction, [{ ...news, reason: 'watched', toAssignee: true, toWatchers: true }]);
    return !isFull;
  });
}
