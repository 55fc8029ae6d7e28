import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { Incident } from '@culprit/contract/incidents/incidents';
import type { Deployment } from '@culprit/contract/releases/deployments';
import type {
  listReleaseIncidents as endpoint,
  getRelease as getEndpoint,
  Release,
  ReleaseCommit,
  ReleaseIncidentKind,
} from '@culprit/contract/releases/releases';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { sql } from '../../../platform/db/statement.ts';
import { pageOf, pageParameters, readPage, type TimePage } from '../../../platform/http/binding/time-page.ts';
import { listCommits } from '../../../releases/releases.queries.ts';
import { requireRelease } from '../../../releases/releases.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { type IncidentRow, RECORD_COLUMNS, recordOf } from '../reading/incidents.queries.ts';
import { listVersionDeployments } from '../reading/list-deployments.ts';

/** A release with its latest deployments and commits. @throws Problem `release_not_found` */
export async function getRelease(
  { database }: Runtime,
  { access: { projectId, recordId } }: ApiRequest<typeof getEndpoint>,
): Promise<{ release: Release; deployments: Deployment[]; commits: ReleaseCommit[] }> {
  const release = await requireRelease(database, projectId, recordId);
  const [deployments, commits] = await Promise.all([
    listVersionDeployments(database, projectId, release.version),
    listCommits(database, projectId, recordId),
  ]);
  return { release, deployments, commits };
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkReleaseIncidentsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['inc'], query);
}

const CONDITIONS: Readonly<Record<ReleaseIncidentKind, string>> = {
  new: 'i.first_release = $5',
  regressed: 'i.regressed_in_release = $5',
  seen: 'i.last_release = $5',
  resolved: `i.status = 'resolved' and i.incident_id in (
    select n.incident_id from incident_resolutions n where n.project_id = $1 and n.version = $5)`,
};

/** A page of the incidents of a release, latest activity first. @throws Problem `release_not_found` */
export async function listReleaseIncidents(
  { database }: Runtime,
  { access: { projectId, recordId }, query, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ incidents: Incident[]; next_cursor: string | null }> {
  const kind = query.kind ?? 'new';
  const { version } = await requireRelease(database, projectId, recordId);
  const rows = await database.query<IncidentRow>(
    sql(`release-incidents-${kind}`)`select ${RECORD_COLUMNS}
        from incidents i join projects p on p.project_id = i.project_id
        where i.project_id = $1 and ${CONDITIONS[kind]}
          and ($2::timestamptz is null
            or (i.seen_step, i.last_seen_at, i.incident_id) < (seen_step($2), $2, $3::uuid))
        order by i.seen_step desc, i.last_seen_at desc, i.incident_id desc limit $4`,
    [projectId, ...pageParameters(page), version],
  );
  const { shown, nextCursor } = pageOf(rows, page, (row) => [
    formatTimestamp(row.last_seen_at),
    row.incident_id,
  ]);
  return { incidents: shown.map(recordOf), next_cursor: nextCursor };
}
