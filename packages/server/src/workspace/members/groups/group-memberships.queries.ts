import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';

/** Statements over memberships to which groups of the provider contribute. */

/** A project in which the groups of a person say something else than they did before. */
export interface GroupDifference {
  project_id: string;
  organization_id: string;
  /** The role that the groups give now; null: none. */
  wanted: 'admin' | 'member' | null;
  /** The role that the groups gave before; null: none. */
  given: 'admin' | 'member' | null;
}

/** The most projects whose memberships one sign-in changes; the next one continues. */
const CHANGES_MAX = 500;

/**
 * Lists the projects in which the groups of a person give another role than before. The person's own projects are
 * excluded.
 */
export const listGroupDifferences = inTransaction.many<
  [userId: string, groups: readonly string[]],
  GroupDifference
>(
  'group-differences',
  `with wanted as (
      select p.project_id, case when bool_or(g.role = 'admin') then 'admin' else 'member' end as role
      from group_grants g
        join projects p on p.organization_id = g.organization_id and p.deleted_at is null
          and (g.project_id is null or g.project_id = p.project_id)
        join organizations o on o.organization_id = g.organization_id and o.owner_user_id <> $1
      where g.group_name = any ($2)
      group by p.project_id
    ), given as (
      select project_id, role from group_memberships where user_id = $1
    )
    select p.project_id, p.organization_id, wanted.role as wanted, given.role as given
    from wanted full join given using (project_id) join projects p using (project_id)
      left join project_members m on m.project_id = p.project_id and m.user_id = $1
    -- A person may have lowered what the groups give.
    where (wanted.role is distinct from given.role or (wanted.role = 'admin' and m.role = 'member'))
      and p.deleted_at is null
    order by p.project_id limit ${CHANGES_MAX}`,
);

/** Returns true if any organization has grants for groups. */
export const hasGroupGrants = statement.exists<[]>('group-grants-any', 'select 1 from group_grants limit 1');

/**
 * Returns the role that people gave a person in a project that groups contribute to; undefined: groups contribute
 * nothing.
 */
export async function findManualRole(
  transaction: Transaction,
  projectId: string,
  userId: string,
): Promise<'admin' | 'member' | null | undefined> {
  const [row] = await transaction.query<{ manual_role: 'admin' | 'member' | null }>(
    sql(
      'group-membership-find',
    )`select manual_role from group_memberships where project_id = $1 and user_id = $2`,
    [projectId, userId],
  );
  return row === undefined ? undefined : row.manual_role;
}

/** Writes down what groups give a member, and what people had given before. */
export async function saveGroupMembership(
  transaction: Transaction,
  membership: {
    projectId: string;
    userId: string;
    role: 'admin' | 'member';
    manualRole: 'admin' | 'member' | null;
  },
): Promise<void> {
  await transaction.query(
    sql(
      'group-membership-save',
    )`insert into group_memberships (project_id, user_id, role, manual_role) values ($1, $2, $3, $4)
        on conflict (project_id, user_id) do update set role = excluded.role`,
    [membership.projectId, membership.userId, membership.role, membership.manualRole],
  );
}

/** Deletes the fact that groups contribute to a membership. */
export const deleteGroupMembership = inTransaction.run<[projectId: string, userId: string]>(
  'group-membership-delete',
  'delete from group_memberships where project_id = $1 and user_id = $2',
);

/** Writes down a role that a person gave, where groups contribute: it stays when the groups give nothing more. */
export const keepManualRole = inTransaction.run<
  [projectId: string, userId: string, role: 'admin' | 'member']
>(
  'group-membership-manual',
  'update group_memberships set manual_role = $3 where project_id = $1 and user_id = $2',
);
