import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { Deployment, listDeployments as endpoint } from '@culprit/contract/releases/deployments';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { sql, statement } from '../../../platform/db/statement.ts';
import { pageOf, pageParameters, readPage, type TimePage } from '../../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkDeploymentsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

type DeploymentRow = Omit<Deployment, 'deployed_at'> & { deployed_at: number };

function deploymentOf(row: DeploymentRow): Deployment {
  return { ...row, deployed_at: formatTimestamp(row.deployed_at) };
}

/** A page of the deployments of a project, newest first (docs/contract/server-additions.md S9). */
export async function listDeployments(
  { database }: Runtime,
  { access, query, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ deployments: Deployment[]; next_cursor: string | null }> {
  const rows = await database.query<DeploymentRow>(LIST, [
    access.projectId,
    ...pageParameters(page),
    query.service ?? null,
    query.environment ?? null,
  ]);
  const deployments = rows.map(deploymentOf);
  const { shown, nextCursor } = pageOf(deployments, page, (row) => [row.deployed_at, row.deployment_id]);
  return { deployments: shown, next_cursor: nextCursor };
}

const COLUMNS = `d.deployment_id, d.service_name, d.environment, d.version, d.commit_sha, d.branch, d.deployed_at,
  r.release_id`;
const FROM = `deployments d
  left join releases r on r.project_id = d.project_id and r.version = coalesce(d.version, d.commit_sha)`;

const SHOWN_MAX = 20;

/** The latest deployments of a version. */
export const listVersionDeployments = statement.many<
  [projectId: string, version: string],
  DeploymentRow,
  Deployment
>(
  'deployments-of-version',
  `select ${COLUMNS} from ${FROM}
        where d.project_id = $1 and coalesce(d.version, d.commit_sha) = $2
        order by d.deployed_at desc, d.deployment_id desc limit ${SHOWN_MAX}`,
  deploymentOf,
);

const LIST = sql('deployments-list')`
    select ${COLUMNS}
    from ${FROM}
    where d.project_id = $1 and ($2::timestamptz is null or (d.deployed_at, d.deployment_id) < ($2, $3::uuid))
      and ($5::text is null or d.service_name = $5) and ($6::text is null or d.environment = $6)
    order by d.deployed_at desc, d.deployment_id desc limit $4`;
