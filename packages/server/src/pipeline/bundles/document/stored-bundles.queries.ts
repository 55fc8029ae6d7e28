import { inTransaction, statement } from '../../../platform/db/statement.ts';
import { COUNTED_BUNDLE } from '../../../workspace/billing/counted-bundles.ts';

/** Statements about what an organization's plan lets it store (docs/contract/incidents.md 3.9). */

/** Returns the organization whose plan pays for a project's bundles; null when the project was deleted. */
export const findBundleOrganization = statement.value<[projectId: string], string | null>(
  'bundle-organization',
  'select organization_id from projects where project_id = $1 and deleted_at is null',
  null,
);

/** Leaves an object that no row names to be removed. */
export const markObjectForDeletion = inTransaction.send<[objectKey: string, projectId: string]>(
  'bundle-mark-object',
  `insert into object_tombstones (object_key, project_id) values ($1, $2) on conflict do nothing`,
);

/** The bundles that one statement removes; after a downgrade the rest is removed with the next ones that are stored. */
const REMOVED_MAX = 1000;

/**
 * Removes an organization's oldest stored bundles, by last generation, until no more than `cap` are left; never the one
 * of `keptIncidentId`. One that is being refreshed at this moment is no longer among the oldest.
 */
export const deleteOldestBundles = inTransaction.run<
  [organizationId: string, cap: number, keptIncidentId: string]
>(
  'bundles-remove-oldest',
  `
    with live as (
      select project_id from projects where organization_id = $1 and deleted_at is null
    ), excess as (
      select greatest(0, count(*) - $2::bigint) as bundles
      from bundles b join live using (project_id) where b.status = 'ready' and ${COUNTED_BUNDLE}
    ), oldest as (
      select b.incident_id, b.project_id, b.object_key from bundles b join live using (project_id)
      where b.status = 'ready' and b.incident_id <> $3 and ${COUNTED_BUNDLE}
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
);
