import { NO_RULE } from '../../../capture/no-rule.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';
import type { PlanRecord } from '../../../workspace/billing/plan-in-force.ts';
import { PLAN_COLUMNS, type PlanRow, planRecordOf } from '../../../workspace/billing/plan-records.queries.ts';

/** Statements of the processing transaction. Bulk rows travel as one JSON text; `json_to_recordset` types them. */

/** Marks batches as processed; those that were marked before are missing from the answer and must be skipped. */
export async function markBatches(
  transaction: Transaction,
  batchIds: readonly string[],
): Promise<Set<string>> {
  const rows = await transaction.query<{ batch_id: string }>(
    sql('batches-mark')`update batches set processed_at = culprit_now()
        where batch_id in (select batch_id from batches where batch_id = any ($1::uuid[]) order by batch_id for update)
          and processed_at is null and split_at is null
        returning batch_id`,
    [[...batchIds]],
  );
  return new Set(rows.map((row) => row.batch_id));
}

/** Marks events of a split batch; those that were marked before are missing from the answer. */
export async function markParts(
  transaction: Transaction,
  batchId: string,
  positions: readonly number[],
): Promise<number[]> {
  if (positions.length === 0) return [];
  const rows = await transaction.query<{ position: number }>(
    sql('batch-parts-mark')`insert into batch_parts (batch_id, position, processed_at)
        select $1::uuid, position, culprit_now() from unnest($2::integer[]) as position order by position
        on conflict do nothing returning position`,
    [batchId, positions],
  );
  return rows.map(({ position }) => position);
}

/** Which of some batches were received less than so many seconds ago. */
export async function findYoungBatches(
  database: Queryable,
  batches: readonly { batchId: string }[],
  seconds: number,
): Promise<Set<string>> {
  if (batches.length === 0) return new Set();
  const rows = await database.query<{ batch_id: string }>(
    sql('batches-young')`select batch_id from batches
        where batch_id = any ($1::uuid[]) and received_at > culprit_now() - make_interval(secs => $2)`,
    [batches.map(({ batchId }) => batchId), seconds],
  );
  return new Set(rows.map((row) => row.batch_id));
}

/** The facts of its project that a processing transaction needs; null when the project was deleted. */
export interface ProcessingProject {
  projectId: string;
  organizationId: string;
  planRecord: PlanRecord;
  /** The number of times that a release of it was deleted. */
  releaseDeletions: number;
  /** The database clock as it was read, and the monotonic clock of this thread at that moment. */
  nowMs: number;
  readAtMs: number;
}

export async function findProcessingProject(
  transaction: Transaction,
  projectId: string,
): Promise<ProcessingProject | null> {
  const [row] = await transaction.query<
    PlanRow & { organization_id: string; release_deletions: number; now: number }
  >(
    sql(
      'processing-project',
    )`select p.organization_id, p.release_deletions, ${PLAN_COLUMNS}, culprit_now() as now
        from projects p join organizations o on o.organization_id = p.organization_id
        where p.project_id = $1 and p.deleted_at is null for key share of p`,
    [projectId],
  );
  if (row === undefined) return null;
  return {
    projectId,
    organizationId: row.organization_id,
    planRecord: planRecordOf(row),
    releaseDeletions: row.release_deletions,
    nowMs: row.now,
    readAtMs: performance.now(),
  };
}

/** Adds to the hourly counters of outcomes, to which event intake adds as well. */
export function addFates(
  transaction: Transaction,
  projectId: string,
  fates: readonly { tokenId: string; hourMs: number; fate: string; ruleId: string | null; events: number }[],
): void {
  if (fates.length === 0) return;
  transaction.send(
    sql('fates-add')`insert into event_fates as e (token_id, hour, fate, rule_id, project_id, events)
        select token_id, hour, fate, coalesce(rule_id, '${NO_RULE}'), $1, events
        from json_to_recordset($2::json) as f (token_id uuid, hour timestamptz, fate text, rule_id uuid, events bigint)
        order by token_id, hour, fate, rule_id
        on conflict (token_id, hour, fate, rule_id) do update set events = e.events + excluded.events`,
    [
      projectId,
      JSON.stringify(
        fates.map((each) => ({
          token_id: each.tokenId,
          hour: new Date(each.hourMs).toISOString(),
          fate: each.fate,
          rule_id: each.ruleId,
          events: each.events,
        })),
      ),
    ],
  );
}
