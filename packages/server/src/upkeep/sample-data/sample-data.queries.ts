import type { SampleData } from '@culprit/contract/workspace/sample-data';
import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import { REMOVE_SAMPLE_DATA } from './sample-data.jobs.ts';

/** Statements over the sample data of projects. */

/** Returns what a project has of sample data: those that stay before those that are being removed. */
export const findSampleData = statement.one<
  [projectId: string],
  { is_removing: boolean; is_adding: boolean; incidents: number; received_at: number },
  SampleData
>(
  'sample-data',
  `select s.removing_since is not null as is_removing, s.received_at,
      exists (select from batches b where b.batch_id = s.batch_id and b.processed_at is null and b.split_at is null)
        as is_adding,
      (select count(*) from incidents i where i.project_id = s.project_id and i.sample_id = s.sample_id)::integer
        as incidents
    from sample_data s where s.project_id = $1
    order by s.removing_since nulls first limit 1`,
  (row) => ({
    state: row.is_removing ? 'removing' : row.is_adding ? 'adding' : 'present',
    incidents: row.incidents,
    added_at: new Date(row.received_at).toISOString(),
  }),
);

/** Returns what the events of a project need; null when it was deleted. */
export const findSampleTarget = statement.one<[projectId: string], { userKey: Buffer; nowMs: number }>(
  'sample-data-project',
  `select user_key as "userKey", culprit_now() as "nowMs" from projects
    where project_id = $1 and deleted_at is null`,
);

/** Returns false if the project has sample data already. */
export const insertSampleData = inTransaction.exists<
  [projectId: string, sampleId: string, batchId: string, receivedAt: Date, userId: string | null]
>(
  'sample-data-insert',
  `insert into sample_data (project_id, sample_id, batch_id, received_at, added_by_user_id)
    values ($1, $2, $3, $4, $5)
    on conflict (project_id) where removing_since is null do nothing returning 1`,
);

/** Marks the sample data of a project for removal, with the job that removes them. */
export const markForRemoval = statement.run<[projectId: string]>(
  'sample-data-mark',
  `with marked as (
      update sample_data set removing_since = culprit_now() where project_id = $1 and removing_since is null
      returning project_id, sample_id
    ), queued as (${enqueue({
      job: REMOVE_SAMPLE_DATA,
      fairnessKey: 'project_id',
      key: 'sample_id::text',
      payload: `jsonb_build_object('sampleId', sample_id)`,
      from: 'from marked',
      whenQueued: 'stays',
    })})
    ${WAKE_QUEUED}`,
);

/** Sample data that are being removed. */
interface LeavingSample {
  batchId: string;
  receivedAtMs: number;
  /** Its events wait for a worker, or are being counted. */
  isWaiting: boolean;
}

/** Locks sample data that are marked; null when they are gone. */
export const lockLeavingSample = inTransaction.one<[projectId: string, sampleId: string], LeavingSample>(
  'sample-data-lock',
  `select s.batch_id as "batchId", s.received_at as "receivedAtMs", exists (
        select from batches b where b.batch_id = s.batch_id and b.processed_at is null
          and (b.split_at is null or b.event_count >
            (select count(*) from batch_parts p where p.batch_id = b.batch_id)
              + (select count(*) from dead_letters d where d.batch_id = b.batch_id))) as "isWaiting"
    from sample_data s where s.project_id = $1 and s.sample_id = $2 and s.removing_since is not null for update`,
);

/** Locks the incidents of sample data. */
export const lockSampleIncidents = inTransaction.many<
  [projectId: string, sampleId: string],
  { incident_id: string },
  string
>(
  'sample-data-incidents',
  `select incident_id from incidents where project_id = $1 and sample_id = $2 order by incident_id for update`,
  (row) => row.incident_id,
);

/** Removes the deployments and the rows of events of sample data. */
export function deleteSampleEvents(
  transaction: Transaction,
  projectId: string,
  { batchId, receivedAtMs }: Pick<LeavingSample, 'batchId' | 'receivedAtMs'>,
): void {
  const found = [projectId, new Date(receivedAtMs), batchId];
  transaction.send(DELETE_DEPLOYMENTS, found);
  transaction.send(DELETE_EVENTS, found);
}

const DELETE_DEPLOYMENTS = sql('sample-data-deployments')`delete from deployments d using events e
    where e.project_id = $1 and e.received_at = $2 and e.batch_id = $3 and d.project_id = $1 and d.event_id = e.event_id`;

const DELETE_EVENTS = sql(
  'sample-data-events',
)`delete from events where project_id = $1 and received_at = $2 and batch_id = $3`;

/** Removes services that only sample data had: no client sent events of them, and no incident of theirs is left. */
export const deleteSampleServices = inTransaction.send<[projectId: string, names: readonly string[]]>(
  'sample-data-services',
  `with old as (
      select service_id from services s where project_id = $1 and name = any ($2::text[])
        and not exists (select from incidents i where i.service_id = s.service_id)
        and not exists (select from client_counts c where c.project_id = $1 and c.service_id = s.service_id)
      for update skip locked
    )
    delete from services s using old where s.service_id = old.service_id`,
);

/** The last row of sample data. */
export const deleteSampleData = inTransaction.send<[projectId: string, sampleId: string]>(
  'sample-data-delete',
  'delete from sample_data where project_id = $1 and sample_id = $2',
);
