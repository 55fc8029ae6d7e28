import type { TrackerKind } from '@culprit/contract/alerts/tracker-words';
import { request as jiraRequest } from './jira.ts';
import { ask } from './linear.ts';
import type { Call, Connection } from './tracker-api.ts';

/** The incident of a ticket, as its tracker shows it beside the text. */
interface BackLink {
  incidentId: string;
  url: string;
  title: string;
}

/** Adds the link of a ticket to its incident; a repetition changes nothing. Throws `TrackerFailure`. */
type AddBackLink = (connection: Connection, call: Call, id: string, link: BackLink) => Promise<void>;

/** A remote link of Jira is known by its global id, and an attachment of Linear by its address. */
const ADD: Partial<Record<TrackerKind, AddBackLink>> = {
  async jira(connection, call, id, { incidentId, url, title }) {
    const body = {
      globalId: `culprit:${incidentId}`,
      application: { type: 'culprit', name: 'Culprit' },
      object: { url, title },
    };
    await call(jiraRequest(connection, 'POST', `/issue/${id}/remotelink`, body));
  },

  async linear(connection, call, id, { url, title }) {
    const mutation =
      'mutation($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success } }';
    await ask(connection, call, mutation, { input: { issueId: id, url, title } });
  },
};

/** Returns the calls that link tickets of a product to their incidents; null: only their text has the link. */
export function backLinksOf(kind: TrackerKind): AddBackLink | null {
  return ADD[kind] ?? null;
}
