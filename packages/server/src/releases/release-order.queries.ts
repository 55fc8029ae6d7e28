import type { OrderedRelease } from '@culprit/evidence/incidents/release-order';
import type { Queryable } from '../platform/db/database.ts';
import { sql } from '../platform/db/statement.ts';

/** Releases that are compared to find the latest of a service. */
const COMPARED_MAX = 200;

interface OrderRow {
  version: string;
  release_id: string;
  first_at: number;
}

/**
 * Returns the facts that the order of releases needs about some versions; one without a record has neither time nor id.
 */
export async function findOrder(
  database: Queryable,
  projectId: string,
  versions: ReadonlySet<string>,
): Promise<(version: string) => OrderedRelease> {
  const rows =
    versions.size === 0
      ? []
      : await database.query<OrderRow>(
          sql('releases-order')`select version, release_id, first_at from releases
              where project_id = $1 and version = any ($2::text[])`,
          [projectId, [...versions]],
        );
  const known = new Map(rows.map((row) => [row.version, orderOf(row)]));
  return (version) => known.get(version) ?? { version, firstAtMs: null, releaseId: null };
}

/** Releases that were seen in a service in the last 90 days, or deployed there, newest first. */
export async function findServiceReleases(
  database: Queryable,
  projectId: string,
  place: { serviceName: string; environment: string },
): Promise<OrderedRelease[]> {
  const rows = await database.query<OrderRow>(
    sql('releases-of-service')`select r.version, r.release_id, r.first_at
        from release_services s join releases r on r.project_id = s.project_id and r.release_id = s.release_id
        where s.project_id = $1 and s.service_name = $2 and s.environment = $3
          and greatest(s.first_at, s.last_seen_at) > (select culprit_now()) - interval '90 days'
        order by r.first_at desc, r.release_id desc limit ${COMPARED_MAX}`,
    [projectId, place.serviceName, place.environment],
  );
  return rows.map(orderOf);
}

function orderOf(row: OrderRow): OrderedRelease {
  return { version: row.version, firstAtMs: row.first_at, releaseId: row.release_id };
}
