import type { Deployment, listDeployments as endpoint } from '@culprit/contract/deployments';
import type { QueryOf } from '@culprit/contract/endpoint';
import { formatTimestamp } from '@culprit/contract/timestamps';
import { pageOf, pageParameters, readPage, type TimePage } from '../../../platform/http/time-page.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkDeploymentsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of the deployments of a project, newest first (docs/contract/server-additions.md S9). */
export async function listDeployments(
  { database }: Runtime,
  { access, query, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ deployments: Deployment[]; next_cursor: string | null }> {
  const rows = await database.query<Omit<Deployment, 'deployed_at'> & { deployed_at: number }>(LIST, [
    access.projectId,
    ...pageParameters(page),
    query.service ?? null,
    query.environment ?? null,
  ]);
  const deployments = rows.map((row) => ({ ...row, deployed_at: formatTimestamp(row.deployed_at) }));
  const { shown, nextCursor } = pageOf(deployments, page, (row) => [row.deployed_at, row.deployment_id]);
  return { deployments: shown, next_cursor: nextCursor };
}

const LIST = {
  name: 'deployments-list',
  text: `
    select deployment_id, service_name, environment, version, commit_sha, branch, deployed_at
    from deployments
    where project_id = $1 and ($2::timestamptz is null or (deployed_at, deployment_id) < ($2, $3::uuid))
      and ($5::text is null or service_name = $5) and ($6::text is null or environment = $6)
    order by deployed_at desc, deployment_id desc limit $4`,
};
