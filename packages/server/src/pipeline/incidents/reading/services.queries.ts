import type { Deployment } from '@culprit/evidence/incidents/regression';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import { enqueueFixes } from '../notes/deployed-fixes.queries.ts';

/** Statements over services and their deployments, as the processing transaction needs them. */

export interface ObservedService {
  name: string;
  environment: string;
  runtime: string | null;
  framework: string | null;
  seenAtMs: number;
  /** Used when the row is new. */
  serviceId: string;
}

/** Ids of services by `name` and `environment`; rows are made and refreshed as needed. */
export async function ensureServices(
  transaction: Transaction,
  projectId: string,
  observedServices: readonly ObservedService[],
): Promise<Map<string, string>> {
  if (observedServices.length === 0) return new Map();
  const rows = await transaction.query<{ service_id: string; name: string; environment: string }>(
    ENSURE_SERVICES,
    [
      projectId,
      JSON.stringify(
        observedServices.map((each) => ({
          service_id: each.serviceId,
          name: each.name,
          environment: each.environment,
          runtime: each.runtime,
          framework: each.framework,
          last_seen_at: new Date(each.seenAtMs).toISOString(),
        })),
      ),
    ],
  );
  return new Map(rows.map((row) => [serviceKey(row.name, row.environment), row.service_id]));
}

export function serviceKey(name: string, environment: string): string {
  return `${name}\u0000${environment}`;
}

// `last_seen_at` moves at most once a minute, so that a busy service is not rewritten by every batch. One that was not
// seen for long may have gone since the look: then its row is made anew, and the id that was found means nothing.
const ENSURE_SERVICES = sql('services-ensure')`
    with seen as (
      select * from json_to_recordset($2::json) as s (service_id uuid, name text, environment text, runtime text,
        framework text, last_seen_at timestamptz)
    ), known as (
      select k.service_id, k.name, k.environment,
        k.last_seen_at < s.last_seen_at - interval '60 s'
          or (s.runtime is not null and s.runtime is distinct from k.runtime)
          or (s.framework is not null and s.framework is distinct from k.framework) as is_stale
      from seen s join services k on k.project_id = $1 and k.name = s.name and k.environment = s.environment
    ), written as (
      insert into services as k (service_id, project_id, name, environment, runtime, framework, last_seen_at)
      select s.service_id, $1, s.name, s.environment, s.runtime, s.framework, s.last_seen_at
      from seen s left join known on known.name = s.name and known.environment = s.environment
      where known.service_id is null or known.is_stale
      order by s.name, s.environment
      on conflict (project_id, name, environment) do update set
        runtime = coalesce(excluded.runtime, k.runtime),
        framework = coalesce(excluded.framework, k.framework),
        last_seen_at = greatest(k.last_seen_at, excluded.last_seen_at)
      returning service_id, name, environment
    )
    select service_id, name, environment from written
    union select service_id, name, environment from known where not is_stale`;

export interface NewDeployment {
  deploymentId: string;
  serviceName: string;
  environment: string;
  version: string | null;
  commitSha: string | null;
  branch: string | null;
  deployedAtMs: number;
  eventId: string;
  receivedAtMs: number;
  /** True for a deployment of a new release that no deploy reported. */
  isInferred: boolean;
}

/**
 * Stores deployments; repeats are ignored (docs/contract/incidents.md 5.8). One that is inferred is stored only where no
 * other has its version, and what a deploy says itself takes its place.
 * @returns the event ids of those that were new
 */
export async function insertDeployments(
  transaction: Transaction,
  projectId: string,
  deployments: readonly NewDeployment[],
): Promise<Set<string>> {
  if (deployments.length === 0) return new Set();
  const rows = await transaction.query<{ event_id: string }>(
    sql('deployments-insert')`with sent as (
          select * from json_to_recordset($2::json) as d (deployment_id uuid, service_name text, environment text,
            version text, commit_sha text, branch text, deployed_at timestamptz, event_id text, received_at timestamptz,
            is_inferred boolean)
        ), replaced as (
          update deployments d set deployed_at = s.deployed_at, commit_sha = s.commit_sha, branch = s.branch,
            event_id = s.event_id, received_at = s.received_at, is_inferred = false
          from (
            select distinct on (service_name, environment, version) * from sent where not is_inferred
            order by service_name, environment, version, deployed_at
          ) s
          where d.project_id = $1 and d.service_name = s.service_name and d.environment = s.environment
            and d.version = s.version and d.is_inferred
          returning s.deployment_id, d.event_id
        ), inserted as (
          insert into deployments (deployment_id, project_id, service_name, environment, version, commit_sha, branch,
            deployed_at, event_id, received_at, is_inferred)
          select deployment_id, $1, service_name, environment, version, commit_sha, branch, deployed_at, event_id,
            received_at, is_inferred
          from sent s
          where s.deployment_id not in (select deployment_id from replaced)
            and (not s.is_inferred
              or not exists (select from deployments d where d.project_id = $1 and d.service_name = s.service_name
                and d.environment = s.environment and d.version = s.version)
              and not exists (select from sent o where o.service_name = s.service_name
                and o.environment = s.environment and o.version = s.version and not o.is_inferred))
          on conflict do nothing returning event_id
        )
        select event_id from inserted union all select event_id from replaced`,
    [
      projectId,
      JSON.stringify(
        deployments.map((each) => ({
          deployment_id: each.deploymentId,
          service_name: each.serviceName,
          environment: each.environment,
          version: each.version,
          commit_sha: each.commitSha,
          branch: each.branch,
          deployed_at: new Date(each.deployedAtMs).toISOString(),
          event_id: each.eventId,
          received_at: new Date(each.receivedAtMs).toISOString(),
          is_inferred: each.isInferred,
        })),
      ),
    ],
  );
  if (rows.length > 0) enqueueFixes(transaction, projectId);
  return new Set(rows.map((row) => row.event_id));
}

/**
 * Returns the deployments of services while signals occurred, by `serviceKey`, newest first: the 20 newest deployments
 * at or before the latest signal, and the two newest at or before the earliest one.
 */
export async function findDeployments(
  database: Queryable,
  projectId: string,
  services: readonly { name: string; environment: string; earliestMs: number; latestMs: number }[],
): Promise<Map<string, Deployment[]>> {
  const rows = await database.query<{
    service_name: string;
    environment: string;
    deployment_id: string;
    version: string | null;
    commit_sha: string | null;
    branch: string | null;
    deployed_at: number;
  }>(
    {
      name: 'deployments-find',
      // The inner select hides how few services there are: a plan for them alone takes longer to make than to run.
      text: `
        select distinct d.service_name, d.environment, d.deployment_id, d.version, d.commit_sha, d.branch,
          d.deployed_at
        from unnest((select $2::text[]), $3::text[], $4::timestamptz[], $5::timestamptz[])
          as s (name, environment, earliest, latest)
        cross join lateral (
          (select * from deployments d
            where d.project_id = $1 and d.service_name = s.name and d.environment = s.environment
              and d.deployed_at <= s.latest
            order by d.deployed_at desc, d.deployment_id desc limit 20)
          union all
          (select * from deployments d
            where d.project_id = $1 and d.service_name = s.name and d.environment = s.environment
              and d.deployed_at <= s.earliest
            order by d.deployed_at desc, d.deployment_id desc limit 2)
        ) d
        order by d.deployed_at desc, d.deployment_id desc`,
    },
    [
      projectId,
      services.map((each) => each.name),
      services.map((each) => each.environment),
      services.map((each) => new Date(each.earliestMs)),
      services.map((each) => new Date(each.latestMs)),
    ],
  );
  const found = new Map<string, Deployment[]>();
  for (const row of rows) {
    const key = serviceKey(row.service_name, row.environment);
    const list = found.get(key) ?? [];
    list.push({
      deploymentId: row.deployment_id,
      version: row.version,
      commitSha: row.commit_sha,
      branch: row.branch,
      deployedAtMs: row.deployed_at,
    });
    found.set(key, list);
  }
  return found;
}
