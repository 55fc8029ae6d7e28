import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { GROUP_GRANTS_MAX, type GroupGrant } from '@culprit/contract/workspace/group-grants';
import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../../platform/db/statement.ts';
import { prefixedId } from '../../../platform/ids.ts';

/** Statements over what an organization gives to groups of the provider. */

interface GrantRow {
  grant_id: string;
  group_name: string;
  role: 'admin' | 'member';
  project_id: string | null;
  team_id: string | null;
  created_at: number;
}

const COLUMNS = 'grant_id, group_name, role, project_id, team_id, created_at';

/** The grants of an organization, by group. */
export const listGrantRows = statement.many<[organizationId: string], GrantRow, GroupGrant>(
  'group-grants-list',
  `select ${COLUMNS} from group_grants where organization_id = $1
    order by group_name, created_at, grant_id limit ${GROUP_GRANTS_MAX}`,
  grantOf,
);

/**
 * Counts the grants of an organization except that of a group and project. The row of the organization stays locked
 * until the transaction ends; null if the organization was deleted.
 */
export async function countOtherGrants(
  transaction: Transaction,
  organizationId: string,
  { group, projectId }: { group: string; projectId: string | null },
): Promise<number | null> {
  const locked = await transaction.query(
    sql('group-grants-lock')`select 1 from organizations where organization_id = $1 for no key update`,
    [organizationId],
  );
  if (locked.length === 0) return null;
  const [row] = await transaction.query<{ grants: number }>(
    sql('group-grants-count')`select count(*)::int as grants from group_grants
        where organization_id = $1 and not (group_name = $2 and project_id is not distinct from $3)`,
    [organizationId, group, projectId],
  );
  return row?.grants ?? 0;
}

/** Returns true if a live project belongs to an organization. */
export const isProjectOf = inTransaction.exists<[organizationId: string, projectId: string]>(
  'group-grant-project',
  `select 1 from projects where project_id = $2 and organization_id = $1 and deleted_at is null
    for key share`,
);

/** Returns true if a team belongs to an organization. It stays until the transaction ends. */
export const isTeamOf = inTransaction.exists<[organizationId: string, teamId: string]>(
  'group-grant-team',
  'select 1 from teams where team_id = $2 and organization_id = $1 for key share',
);

/** Writes a grant, or gives the one of the same group and project the role and, if one is named, the team. */
export async function saveGrant(
  transaction: Transaction,
  grant: {
    grantId: string;
    organizationId: string;
    group: string;
    role: 'admin' | 'member';
    projectId: string | null;
    /** Undefined: a grant that exists keeps its team. */
    teamId: string | null | undefined;
  },
): Promise<GroupGrant> {
  const [row] = await transaction.query<GrantRow>(
    sql(
      'group-grant-save',
    )`insert into group_grants (grant_id, organization_id, group_name, role, project_id, team_id)
        values ($1, $2, $3, $4, $5, $6)
        on conflict (organization_id, group_name, project_id) do update set role = excluded.role,
          team_id = case when $7 then group_grants.team_id else excluded.team_id end
        returning ${COLUMNS}`,
    [
      grant.grantId,
      grant.organizationId,
      grant.group,
      grant.role,
      grant.projectId,
      grant.teamId ?? null,
      grant.teamId === undefined,
    ],
  );
  if (row === undefined) throw new Error('the grant was not stored');
  return grantOf(row);
}

/** Deletes a grant of an organization; false when it has no such one. */
export const deleteGrantRow = statement.exists<[organizationId: string, grantId: string]>(
  'group-grant-delete',
  'delete from group_grants where organization_id = $1 and grant_id = $2 returning grant_id',
);

function grantOf(row: GrantRow): GroupGrant {
  return {
    grant_id: row.grant_id,
    group: row.group_name,
    role: row.role,
    project_id: row.project_id === null ? null : prefixedId('proj', row.project_id),
    team_id: row.team_id,
    created_at: formatTimestamp(row.created_at),
  };
}
