import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { parseTimestamp } from '@culprit/contract/schemas/timestamps';
import type { listMembers as endpoint, ProjectMember } from '@culprit/contract/workspace/members';
import { invalidCursor } from '../../platform/http/binding/invalid-query.ts';
import { parseId } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { listMemberRows, type MemberPosition } from './members.queries.ts';

interface MembersPage {
  after: MemberPosition | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` for a cursor that no answer gave */
export function checkMembersPage({ query }: { query: QueryOf<typeof endpoint> }): MembersPage {
  return {
    after: query.cursor === undefined ? null : parsePosition(query.cursor),
    limit: query.limit ?? PAGE_SIZE_DEFAULT,
  };
}

/**
 * A page of the people of a project: the owner, then the others by the time they joined (docs/contract/incidents.md
 * 7.5).
 */
export async function listMembers(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, MembersPage>,
): Promise<{ members: ProjectMember[]; next_cursor: string | null }> {
  const { after, limit } = page;
  const rows = await listMemberRows(database, access.projectId, { after, limit: limit + 1 });
  const members = rows.slice(0, limit);
  const last = members.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    members,
    next_cursor: isEnd ? null : encodeCursor([last.membership_type, last.created_at, last.user_id]),
  };
}

function parsePosition(cursor: string): MemberPosition {
  const [type, time = '', id = ''] = decodeCursor(cursor, 3) ?? [];
  const createdAtMs = parseTimestamp(time);
  const userId = parseId([], id);
  const isKnownType = type === 'owner' || type === 'collaborator';
  if (!isKnownType || createdAtMs === null || userId === null) throw invalidCursor();
  return { isOwner: type === 'owner', createdAtMs, userId };
}
