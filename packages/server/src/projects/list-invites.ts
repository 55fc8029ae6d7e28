import type { QueryOf } from '@culprit/contract/endpoint';
import type { listInvites as endpoint, Invite } from '@culprit/contract/invites';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
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
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const after = query.cursor === undefined ? null : placeOf(query.cursor);
  const access = await requireProject(database, plans, member.userId, projectId, 'admin');
  const rows = await listInviteRows(database, access.projectId, { after, limit: limit + 1 });
  const invites = rows.slice(0, limit);
  const last = invites.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return { invites, next_cursor: isEnd ? null : encodeCursor([last.created_at, last.invite_id]) };
}

function placeOf(cursor: string): { createdAtMs: number; inviteId: string } {
  const place = decodeTimeCursor(cursor);
  const inviteId = place === null ? null : parseId([], place.key);
  if (place === null || inviteId === null) throw new Problem('invalid_query');
  return { createdAtMs: place.timeMs, inviteId };
}
