import { FIX_WAIT_DAYS } from '@culprit/contract/incidents/triage-words';
import type { Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../../platform/jobs/enqueue.ts';
import { SETTLE_FIXES } from './fixes.jobs.ts';

/** Statements on the fixes that resolve their incidents when they are deployed. */

/** Fixes that one job examines, the newest first. */
const FIXES_MAX = 1000;
/** Deployments that are compared with one fix, the newest ones. */
const DEPLOYMENTS_MAX = 20;

const WAITS = `f.project_id = $1 and f.resolves and f.deployed_at is null
  and f.created_at > (select culprit_now()) - interval '${FIX_WAIT_DAYS} days'`;

/** Has the fixes of a project examined after a deployment, if any waits for one. */
export const enqueueFixes = inTransaction.send<[projectId: string]>(
  'fixes-enqueue',
  `with queued as (${enqueue({
    job: SETTLE_FIXES,
    fairnessKey: '$1::uuid',
    from: `where exists (select from incident_fixes f where ${WAITS})`,
  })}) ${WAKE_QUEUED}`,
);

/** A fix that waits, with a deployment of its service since it was proposed. */
interface FixDeployment {
  fixId: string;
  incidentId: string;
  /** The release that will have it. */
  release: string | null;
  /** The deployment or its release names the commit. */
  hasCommit: boolean;
  version: string | null;
  commitSha: string | null;
}

/** True if one of two names of a commit begins with the other; names below 7 characters are none. */
const isCommit = (text: string) => `(starts_with(lower(${text}), f.commit_sha)
  or length(${text}) >= 7 and starts_with(f.commit_sha, lower(${text})))`;

/** The incident that stays of one that was merged, or that incident itself. */
const STAYS = `coalesce((select a.incident_id from incident_aliases a
  where a.from_incident_id = f.incident_id and a.merged_into is not null limit 1), f.incident_id)`;

/**
 * The fixes that wait, each with its deployments, the earliest first; held until the transaction ends. A fix of an
 * incident that was merged into another is one of that other.
 */
export const lockFixDeployments = inTransaction.many<[projectId: string], FixDeployment>(
  'fixes-deployments',
  `with waiting as (
      select f.fix_id, ${STAYS} as incident_id, f.commit_sha, f.release, f.created_at from incident_fixes f
      where ${WAITS} order by f.created_at desc limit ${FIXES_MAX} for update of f skip locked
    )
    select f.fix_id as "fixId", f.incident_id as "incidentId", f.release, d.has_commit as "hasCommit", d.version,
      d.commit_sha as "commitSha"
    from waiting f join incidents i using (incident_id)
    cross join lateral (
      select * from (
        select d.version, d.commit_sha, d.deployed_at,
          coalesce(${isCommit('d.commit_sha')}, false) or coalesce(${isCommit('d.version')}, false)
            or f.commit_sha is not null and exists (
              select from releases r join release_commits c using (project_id, release_id)
              where r.project_id = $1 and r.version = d.version and ${isCommit('c.sha')}) as has_commit
        from deployments d
        where d.project_id = $1 and d.service_name = i.service_name and d.environment = i.environment
          and d.received_at >= f.created_at) d
      where d.has_commit or f.release is not null
      order by d.deployed_at desc limit ${DEPLOYMENTS_MAX}) d
    order by f.created_at, f.fix_id, d.deployed_at`,
);

/** Notes the releases with which held fixes were deployed. */
export function markDeployed(
  transaction: Transaction,
  fixes: readonly { fixId: string; deployedIn: string }[],
): void {
  transaction.send(
    sql('fixes-deployed')`update incident_fixes f set deployed_at = culprit_now(), deployed_in = d.deployed_in
        from unnest($1::uuid[], $2::text[]) as d (fix_id, deployed_in) where f.fix_id = d.fix_id`,
    [fixes.map(({ fixId }) => fixId), fixes.map(({ deployedIn }) => deployedIn)],
  );
}
