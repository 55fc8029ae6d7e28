import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import type { ProjectMember } from '@culprit/contract/workspace/members';
import { PEOPLE_MAX, type Person } from '@culprit/contract/workspace/people';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
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
    {
      name: 'members-list',
      text: `select ${COLUMNS} from project_members m join users u on u.user_id = m.user_id
        where m.project_id = $1
          and ($2::boolean is null or (m.role <> 'owner', m.created_at, m.user_id) > (not $2, $3::timestamptz, $4::uuid))
        order by m.role <> 'owner', m.created_at, m.user_id limit $5`,
    },
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
export async function listPeopleRows(
  database: Queryable,
  projectId: string,
): Promise<Omit<Person, 'is_me'>[]> {
  return await database.query<Omit<Person, 'is_me'>>(
    {
      name: 'people-list',
      text: `select u.user_id, u.name, u.email, u.handle, m.role
        from project_members m join users u on u.user_id = m.user_id
        where m.project_id = $1
        order by m.role <> 'owner', lower(coalesce(u.name, u.handle)), u.user_id limit ${PEOPLE_MAX}`,
    },
    [projectId],
  );
}

/** One person of the project, locked until the transaction ends; null when they are no member of it. */
export async function lockMember(
  transaction: Transaction,
  projectId: string,
  userId: string,
): Promise<ProjectMember | null> {
  const [row] = await transaction.query<MemberRow>(
    {
      name: 'member-lock',
      text: `select ${COLUMNS} from project_members m join users u on u.user_id = m.user_id
        where m.project_id = $1 and m.user_id = $2 for update of m`,
    },
    [projectId, userId],
  );
  return row === undefined ? null : memberOf(row);
}

/** Gives a collaborator, locked by `lockMember`, another role. */
export async function updateMemberRole(
  transaction: Transaction,
  projectId: string,
  userId: string,
  role: 'admin' | 'member',
): Promise<void> {
  await transaction.query(
    {
      name: 'member-role-update',
      text: `update project_members set role = $3 where project_id = $1 and user_id = $2 and role <> 'owner'`,
    },
    [projectId, userId, role],
  );
}

/** Deletes the membership of a collaborator, locked by `lockMember`. */
export async function deleteMember(
  transaction: Transaction,
  projectId: string,
  userId: string,
): Promise<void> {
  await transaction.query(
    {
      name: 'member-delete',
      text: `delete from project_members where project_id = $1 and user_id = $2 and role <> 'owner'`,
    },
    [projectId, userId],
  );
}

/** Makes a person a collaborator of a project; false when they are a member already. */
export async function insertCollaborator(
  transaction: Transaction,
  projectId: string,
  userId: string,
  role: 'admin' | 'member',
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'member-insert',
      text: `insert into project_members (project_id, user_id, role) values ($1, $2, $3)
        on conflict do nothing returning user_id`,
    },
    [projectId, userId, role],
  );
  return rows.length > 0;
}

/** Returns true if the person with an address, in lower case, is in the project, as the owner or otherwise. */
export async function isMemberAddress(
  transaction: Transaction,
  projectId: string,
  email: string,
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'member-by-address',
      text: `select 1 from users u join project_members m on m.user_id = u.user_id
        where lower(u.email) = $2 and m.project_id = $1`,
    },
    [projectId, email],
  );
  return rows.length > 0;
}

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
