import type { Queryable, Transaction } from '../../../platform/db/database.ts';

/** Statements about what an organization's plan lets it store (docs/contract/incidents.md 3.9). */

/** Returns the organization whose plan pays for a project's bundles; null when the project was deleted. */
export async function findBundleOrganization(database: Queryable, projectId: string): Promise<string | null> {
  const [row] = await database.query<{ organization_id: string }>(
    {
      name: 'bundle-organization',
      text: 'select organization_id from projects where project_id = $1 and deleted_at is null',
    },
    [projectId],
  );
  return row?.organization_id ?? null;
}

/** Leaves an object that no row names to be removed. */
export function markObjectForDeletion(transaction: Transaction, objectKey: string, projectId: string): void {
  transaction.send(
    {
      name: 'bundle-mark-object',
      text: `insert into object_tombstones (object_key, project_id) values ($1, $2) on conflict do nothing`,
    },
    [objectKey, projectId],
  );
}

/** The bundles that one statement removes; after a downgrade the rest is removed with the next ones that are stored. */
const REMOVED_MAX = 1000;

/**
 * Removes an organization's oldest stored bundles, by last generation, until no more than `cap` are left; never the one
 * of `keptIncidentId`. One that is being refreshed at this moment is no longer among the oldest.
 */
export async function deleteOldestBundles(
  transaction: Transaction,
  organizationId: string,
  cap: number,
  keptIncidentId: string,
): Promise<void> {
  await transaction.query(
    {
      name: 'bundles-remove-oldest',
      text: `
        with live as (
          select project_id from projects where organization_id = $1 and deleted_at is null
        ), excess as (
          select greatest(0, count(*) - $2::bigint) as bundles
          from bundles b join live using (project_id) where b.status = 'ready'
        ), oldest as (
          select b.incident_id, b.project_id, b.object_key from bundles b join live using (project_id)
          where b.status = 'ready' and b.incident_id <> $3
          order by b.generated_at, b.incident_id
          limit (select least(bundles, ${REMOVED_MAX}) from excess)
          for update of b skip locked
        ), marked as (
          insert into object_tombstones (object_key, project_id)
          select object_key, project_id from oldest where object_key is not null
          on conflict do nothing
        )
        update bundles b set status = 'failed', failure_reason = 'bundle_rotated', object_key = null,
          size_bytes = null, content_sha256 = null
        from oldest where b.incident_id = oldest.incident_id`,
    },
    [organizationId, cap, keptIncidentId],
  );
}
