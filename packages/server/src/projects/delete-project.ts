import type { DeletedProject } from '@culprit/contract/projects';
import { recordAudit } from '../audit/record-audit.ts';
import type { PlanSettings } from '../billing/plan.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import type { RequestContext } from '../platform/http/bind-endpoint.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { CLEANUP_LANE, PURGE_PROJECT, PURGE_WAIT_SECONDS } from './projects.jobs.ts';
import { readProjectRecord } from './read-project.ts';
import { requireProject } from './require-project.ts';

/**
 * Deletes a project of its owner: at once for everybody who looks, its storage by a job (incidents.md 7.3).
 * @throws Problem `project_not_found`, also for the second of two calls, `forbidden`
 */
export async function deleteProject(
  options: { database: Database; plans: PlanSettings },
  member: Member,
  id: string,
  request: Pick<RequestContext, 'log' | 'clientAddress'>,
): Promise<DeletedProject> {
  const { database, plans } = options;
  const { userId } = member;
  const { projectId, organizationId } = await requireProject(database, plans, userId, id, 'owner');
  const record = await readProjectRecord(database, plans, userId, projectId);
  const isDeleted = await database.transaction((transaction) => markProjectDeleted(transaction, projectId));
  if (!isDeleted) throw new Problem('project_not_found');
  await recordAudit(database, request, {
    action: 'project.deleted',
    actorUserId: userId,
    organizationId,
    projectId,
    subject: `project:${projectId}`,
  });
  return record;
}

/**
 * Ends a project inside the caller's transaction; false when it has ended already. With the commit everything below it
 * is gone for readers, its tokens are worth nothing, its queued work is dropped, and the job that empties its storage
 * is there. Intake and workers hold the row `for key share` while they write, so nothing of theirs comes later; a worker
 * that still holds one of its jobs cannot finish it any more.
 *
 * Locks the project, then its jobs. Whoever deletes several goes by ascending id.
 * @param projectId bare
 */
export async function markProjectDeleted(transaction: Queryable, projectId: string): Promise<boolean> {
  const marked = await transaction.query(
    {
      name: 'project-mark-deleted',
      // An update alone takes a lock that `for key share` does not feel.
      text: `with held as (
          select project_id from projects where project_id = $1 and deleted_at is null for update
        )
        update projects p set deleted_at = culprit_now() from held where p.project_id = held.project_id
        returning p.project_id`,
    },
    [projectId],
  );
  if (marked.length === 0) return false;
  await transaction.query(
    {
      name: 'project-drop-jobs',
      // In the order in which workers lock the jobs they finish.
      text: `with held as (select job_id from jobs where project_id = $1 order by job_id for update)
        delete from jobs using held where jobs.job_id = held.job_id`,
    },
    [projectId],
  );
  await transaction.query(
    {
      name: 'project-queue-purge',
      text: `insert into jobs (lane, kind, project_id, key, run_at)
        values ($2, $3, $1::uuid, $1::uuid::text, culprit_now() + make_interval(secs => $4))`,
    },
    [projectId, CLEANUP_LANE, PURGE_PROJECT, PURGE_WAIT_SECONDS],
  );
  return true;
}
