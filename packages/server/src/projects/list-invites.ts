import type { QueryOf } from '@culprit/contract/endpoint';
import type { listInvites as endpoint, Invite } from '@culprit/contract/invites';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listInviteRows } from './invites.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * A page of the open invites of a project, newest first (incidents.md 7.5).
 * @throws Problem `invalid_query` for a cursor that is none, and those of `requireProject`
 */
export async function listInvites(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  projectId: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ invites: Invite[]; next_cursor: string | null }> {
  const page = readPage([], query);
  const access = await requireProject(database, plans, member.userId, projectId, 'admin');
  const rows = await listInviteRows(database, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.invite_id]);
  return { invites: shown, next_cursor: nextCursor };
}
