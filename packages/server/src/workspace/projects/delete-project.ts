import type { DeletedProject, deleteProject as endpoint } from '@culprit/contract/workspace/projects';
import type { Transaction } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { enqueue } from '../../platform/jobs/enqueue.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { getProject } from './get-project.ts';
import { CLEANUP_LANE, PURGE_PROJECT, PURGE_WAIT_SECONDS } from './projects.jobs.ts';

/**
 * Deletes a project of its owner: it disappears immediately, and a job empties its storage (docs/contract/incidents.md
 * 7.3).
 * @throws Problem `project_not_found` for the second of two concurrent calls
 */
export async function deleteProject(
  runtime: Runtime,
  request: ApiRequest<typeof endpoint>,
): Promise<DeletedProject> {
  const { database } = runtime;
  const { access, caller } = request;
  const { projectId } = access;
  const record = await getProject(runtime, caller.userId, projectId);
  const isDeleted = await database.transaction((transaction) => markProjectDeleted(transaction, projectId));
  if (!isDeleted) throw new Problem('project_not_found');
  await recordAudit(database, request, {
    ...access,
    action: 'project.deleted',
    actorUserId: caller.userId,
    subject: `project:${projectId}`,
  });
  return record;
}

/**
 * Ends a project inside the caller's transaction; false when it has ended already. With the commit everything below it
 * is gone for readers, its tokens are worth nothing, its queued work is dropped, and the job that empties its storage
 * exists. The event intake and workers hold the row `for key share` while they write, so nothing of theirs comes later;
 * a worker that still holds one of its jobs can no longer finish it.
 *
 * Locks the project, then its jobs. A caller that deletes several must do so by ascending id.
 * @param projectId bare
 */
export async function markProjectDeleted(transaction: Transaction, projectId: string): Promise<boolean> {
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
      text: `with held as (select job_id from jobs where fairness_key = $1 order by job_id for update)
        delete from jobs using held where jobs.job_id = held.job_id`,
    },
    [projectId],
  );
  await transaction.query(QUEUE_PURGE, [projectId, PURGE_WAIT_SECONDS]);
  return true;
}

const QUEUE_PURGE = {
  name: 'project-queue-purge',
  text: enqueue({
    job: { lane: CLEANUP_LANE, kind: PURGE_PROJECT },
    fairnessKey: '$1::uuid',
    key: '$1::uuid::text',
    runAt: 'culprit_now() + make_interval(secs => $2)',
  }),
};
