import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { ProjectMember } from '@culprit/contract/workspace/members';
import { PEOPLE_MAX, type Person } from '@culprit/contract/workspace/people';
import type { Queryable } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import type { RecordTable } from '../access/access.queries.ts';

/** The table in which the binder finds a member that a request names. */
export const MEMBER_RECORDS: RecordTable = {
  from: 'project_members pm',
  projectId: 'pm.project_id',
  recordId: 'pm.user_id',
};

/** Statements over the people of a project. Each is bound to the project. */

interface MemberRow {
  user_id: string;
  email: string;
  role: ProjectMember['role'];
  /** Milliseconds since the epoch. */
  created_at: number;
}

const COLUMNS = 'm.user_id, u.email, m.role, m.created_at';

/** The position of a member in the list: the owner is first, the others are in the order in which they joined. */
export interface MemberPosition {
  isOwner: boolean;
  createdAtMs: number;
  userId: string;
}

/** A page of people in the order of the list; `after` is the last one of the page before. */
export async function listMemberRows(
  database: Queryable,
  projectId: string,
  page: { after: MemberPosition | null; limit: number },
): Promise<ProjectMember[]> {
  const rows = await database.query<MemberRow>(
    sql('members-list')`select ${COLUMNS} from project_members m join users u on u.user_id = m.user_id
        where m.project_id = $1
          and ($2::boolean is null or (m.role <> 'owner', m.created_at, m.user_id) > (not $2, $3::timestamptz, $4::uuid))
        order by m.role <> 'owner', m.created_at, m.user_id limit $5`,
    [
      projectId,
      page.after?.isOwner ?? null,
      page.after === null ? null : new Date(page.after.createdAtMs),
      page.after?.userId ?? null,
      page.limit,
    ],
  );
  return rows.map(memberOf);
}

/** The people of a project as assignments name them, the owner first, then by name. */
export const listPeopleRows = statement.many<[projectId: string], Omit<Person, 'is_me'>>(
  'people-list',
  `select u.user_id, u.name, u.email, u.handle, m.role
    from project_members m join users u on u.user_id = m.user_id
    where m.project_id = $1
    order by m.role <> 'owner', lower(coalesce(u.name, u.handle)), u.user_id limit ${PEOPLE_MAX}`,
);

/** One person of the project, locked until the transaction ends; null when they are no member of it. */
export const lockMember = inTransaction.one<[projectId: string, userId: string], MemberRow, ProjectMember>(
  'member-lock',
  `select ${COLUMNS} from project_members m join users u on u.user_id = m.user_id
    where m.project_id = $1 and m.user_id = $2 for update of m`,
  memberOf,
);

/** Gives a collaborator, locked by `lockMember`, another role. */
export const updateMemberRole = inTransaction.run<
  [projectId: string, userId: string, role: 'admin' | 'member']
>(
  'member-role-update',
  `update project_members set role = $3 where project_id = $1 and user_id = $2 and role <> 'owner'`,
);

/** Deletes the membership of a collaborator, locked by `lockMember`. */
export const deleteMember = inTransaction.run<[projectId: string, userId: string]>(
  'member-delete',
  `delete from project_members where project_id = $1 and user_id = $2 and role <> 'owner'`,
);

/** Makes a person a collaborator of a project; false when they are a member already. */
export const insertCollaborator = inTransaction.exists<
  [projectId: string, userId: string, role: 'admin' | 'member']
>(
  'member-insert',
  `insert into project_members (project_id, user_id, role) values ($1, $2, $3)
    on conflict do nothing returning user_id`,
);

/** Returns true if the person with an address, in lower case, is in the project, as the owner or otherwise. */
export const isMemberAddress = inTransaction.exists<[projectId: string, email: string]>(
  'member-by-address',
  `select 1 from users u join project_members m on m.user_id = u.user_id
    where lower(u.email) = $2 and m.project_id = $1`,
);

function memberOf(row: MemberRow): ProjectMember {
  return {
    user_id: row.user_id,
    email: row.email,
    role: row.role,
    membership_type: row.role === 'owner' ? 'owner' : 'collaborator',
    avatar_url: null,
    created_at: formatTimestamp(row.created_at),
  };
}
