import type { OpenTracker } from '../notify/trackers/open-trackers.queries.ts';
import type { Call } from '../notify/trackers/tracker-api.ts';
import { TRACKER_APIS } from '../notify/trackers/tracker-apis.ts';
import { prefixedId } from '../platform/ids.ts';
import { shownText } from '../platform/mail/mail.ts';
import type { TicketOptions } from './create-ticket.ts';
import { beginCopy, endCopy, type UncopiedNote } from './note-comments.queries.ts';
import { recordRefusal } from './refused-change.ts';
import { commentAddress } from './ticket-draft.ts';

/**
 * Adds a note to a ticket as a comment, once: that it is sent is committed before the call, and after a lost answer the
 * comment is looked for, or a tracker whose comments cannot be read knows the repeated message by its id
 * (docs/contract/team-workflow.md 7.4).
 * @throws TrackerFailure what keeps the tracker from work
 */
export async function copyNote(
  { database, appUrl }: TicketOptions,
  tracker: OpenTracker,
  call: Call,
  note: UncopiedNote,
): Promise<void> {
  const { linkId, incidentId, remoteId, noteId, authorName, shortId } = note;
  const { kind, connection } = tracker;
  const { comment, readComments } = TRACKER_APIS[kind];
  const url = commentAddress(appUrl, prefixedId('inc', incidentId), noteId);
  const text = `A note on ${shortId ?? 'the incident'}:`;
  try {
    const earlier =
      note.wasSent && readComments !== null
        ? await readComments(connection, call, remoteId, note.createdAtMs)
        : [];
    if (!earlier.some((each) => each.text.includes(url))) {
      await beginCopy(database, note.projectId, incidentId, linkId, noteId);
      await comment(connection, call, remoteId, {
        text,
        code: shownText(`${authorName}:\n${note.body}`),
        url,
        id: noteId,
      });
    }
    await database.transaction((transaction) => endCopy(transaction, linkId, noteId));
  } catch (error) {
    await recordRefusal({ database, tracker }, linkId, error, (transaction) =>
      endCopy(transaction, linkId, noteId),
    );
  }
}
