import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listInvites as endpoint, Invite } from '@culprit/contract/workspace/invites';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { listInviteRows } from './invites.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkInvitesPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of the open invites of a project, newest first (docs/contract/incidents.md 7.5). */
export async function listInvites(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ invites: Invite[]; next_cursor: string | null }> {
  const rows = await listInviteRows(database, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.invite_id]);
  return { invites: shown, next_cursor: nextCursor };
}
