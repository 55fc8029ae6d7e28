import type {
  addSampleData as addEndpoint,
  removeSampleData as removeEndpoint,
  SampleData,
} from '@culprit/contract/workspace/sample-data';
import { storeBatch } from '../../pipeline/ingest/batch-parts.ts';
import { insertBatch } from '../../pipeline/ingest/ingest.queries.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { Problem } from '../../platform/http/binding/problem.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { recordAudit } from '../../workspace/audit/record-audit.ts';
import { lockSharedProject } from '../retention/retention.queries.ts';
import { findSampleData, findSampleTarget, insertSampleData, markForRemoval } from './sample-data.queries.ts';
import { sampleRecords } from './sample-events.ts';

const NONE: SampleData = { state: 'none', incidents: 0, added_at: null };

/** Returns what a project has of sample data. */
export async function describeSampleData(database: Queryable, projectId: string): Promise<SampleData> {
  return (await findSampleData(database, projectId)) ?? NONE;
}

/**
 * Adds sample data to a project, unless it has some (docs/contract/server-additions.md S32): a batch of events that this
 * service created, for the ordinary processing of events. Its origin is in the header of the object, so that no client
 * can send one.
 * @throws Problem `project_not_found`, ObjectStoreUnavailableError
 */
export async function addSampleData(
  { database, objects }: Runtime,
  request: ApiRequest<typeof addEndpoint>,
): Promise<SampleData> {
  const { projectId } = request.access;
  const { userId } = request.caller;
  const known = await describeSampleData(database, projectId);
  if (known.state === 'adding' || known.state === 'present') return known;
  const target = await findSampleTarget(database, projectId);
  if (target === null) throw new Problem('project_not_found');
  const { nowMs, userKey } = target;
  const sampleId = newUuid();
  const records = sampleRecords(sampleId, nowMs, userKey);
  const batch = await storeBatch(
    objects,
    { projectId, receivedAtMs: nowMs, requests: [{ sampleId }], records },
    // It belongs to no token: nothing is counted and nothing is charged.
    { tokenIds: [], tokenEvents: [] },
  );
  const isAdded = await database.transaction(async (transaction) => {
    if (!(await lockSharedProject(transaction, projectId))) throw new Problem('project_not_found');
    const receivedAt = new Date(nowMs);
    // Another request may have added some since.
    if (!(await insertSampleData(transaction, projectId, sampleId, batch.batch_id, receivedAt, userId)))
      return false;
    await insertBatch(transaction, batch);
    return true;
  });
  if (isAdded) await audit(database, request, 'sample_data.added');
  return await describeSampleData(database, projectId);
}

/** Removes the sample data of a project; the job that the same statement enqueues does it. */
export async function removeSampleData(
  { database }: Runtime,
  request: ApiRequest<typeof removeEndpoint>,
): Promise<SampleData> {
  const { projectId } = request.access;
  const known = await describeSampleData(database, projectId);
  if (known.state === 'none' || known.state === 'removing') return known;
  await markForRemoval(database, projectId);
  await audit(database, request, 'sample_data.removed');
  return await describeSampleData(database, projectId);
}

async function audit(
  database: Queryable,
  request: ApiRequest<typeof addEndpoint> | ApiRequest<typeof removeEndpoint>,
  action: string,
): Promise<void> {
  const { access, caller } = request;
  const subject = `project:${access.projectId}`;
  await recordAudit(database, request, { ...access, action, actorUserId: caller.userId, subject });
}
