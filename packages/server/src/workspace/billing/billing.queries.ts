import type { Queryable } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';
import { COUNTED_BUNDLE } from './counted-bundles.ts';

/** The organization a person owns; null when they own none (docs/contract/account.md 1.7). */
export const findOwnedOrganization = statement.value<[userId: string], string | null>(
  'billing-owned-organization',
  `select organization_id from organizations where owner_user_id = $1
    order by created_at, organization_id limit 1`,
  null,
);

/** Returns the address for messages about an organization: its owner's; null when the organization is gone. */
export const findOwnerAddress = statement.value<[organizationId: string], string | null>(
  'billing-owner-address',
  `select u.email from organizations o join users u on u.user_id = o.owner_user_id
    where o.organization_id = $1`,
  null,
);

/** Counts what an organization has at the moment: live projects, and bundles stored in them. */
export async function countHoldings(
  database: Queryable,
  organizationId: string,
): Promise<{ activeProjects: number; storedBundles: number }> {
  const [row] = await database.query<{ active_projects: number; stored_bundles: number }>(
    sql('billing-holdings')`
        with live as (
          select project_id from projects where organization_id = $1 and deleted_at is null
        )
        select (select count(*)::integer from live) as active_projects,
          (select count(*)::integer from bundles b join live using (project_id)
            where b.status = 'ready' and ${COUNTED_BUNDLE})
            as stored_bundles`,
    [organizationId],
  );
  return { activeProjects: row?.active_projects ?? 0, storedBundles: row?.stored_bundles ?? 0 };
}
