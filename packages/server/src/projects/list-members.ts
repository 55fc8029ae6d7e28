import type { QueryOf } from '@culprit/contract/endpoint';
import type { listMembers as endpoint, ProjectMember } from '@culprit/contract/members';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { parseTimestamp } from '@culprit/contract/timestamps';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listMemberRows, type MemberPlace } from './members.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * A page of the people of a project: the owner, then the others by the time they joined (incidents.md 7.5).
 * @throws Problem `invalid_query` for a cursor that is none, and those of `requireProject`
 */
export async function listMembers(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  projectId: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ members: ProjectMember[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const after = query.cursor === undefined ? null : placeOf(query.cursor);
  const access = await requireProject(database, plans, member.userId, projectId, 'admin');
  const rows = await listMemberRows(database, access.projectId, { after, limit: limit + 1 });
  const members = rows.slice(0, limit);
  const last = members.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    members,
    next_cursor: isEnd ? null : encodeCursor([last.membership_type, last.created_at, last.user_id]),
  };
}

function placeOf(cursor: string): MemberPlace {
  const [type, time = '', id = ''] = decodeCursor(cursor, 3) ?? [];
  const createdAtMs = parseTimestamp(time);
  const userId = parseId([], id);
  const isKnownType = type === 'owner' || type === 'collaborator';
  if (!isKnownType || createdAtMs === null || userId === null) throw new Problem('invalid_query');
  return { isOwner: type === 'owner', createdAtMs, userId };
}
