import { NO_RULE } from '../../../capture/no-rule.ts';
import { arrayLiteral } from '../../../platform/db/array-literal.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import type { PlanRecord } from '../../../workspace/billing/plan-in-force.ts';
import { PLAN_COLUMNS, type PlanRow, planRecordOf } from '../../../workspace/billing/plan-records.queries.ts';

/** Statements of the processing transaction. Bulk rows travel as one JSON text; `json_to_recordset` types them. */

/** Marks batches as processed; those that were marked before are missing from the answer and must be skipped. */
export async function markBatches(
  transaction: Transaction,
  batchIds: readonly string[],
): Promise<Set<string>> {
  const rows = await transaction.query<{ batch_id: string }>(
    {
      name: 'batches-mark',
      text: `update batches set processed_at = culprit_now()
        where batch_id in (select batch_id from batches where batch_id = any ($1::uuid[]) order by batch_id for update)
          and processed_at is null and split_at is null
        returning batch_id`,
    },
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
    {
      name: 'batch-parts-mark',
      text: `insert into batch_parts (batch_id, position, processed_at)
        select $1::uuid, position, culprit_now() from unnest($2::integer[]) as position order by position
        on conflict do nothing returning position`,
    },
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
    {
      name: 'batches-young',
      text: `select batch_id from batches
        where batch_id = any ($1::uuid[]) and received_at > culprit_now() - make_interval(secs => $2)`,
    },
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
    {
      name: 'processing-project',
      text: `select p.organization_id, p.release_deletions, ${PLAN_COLUMNS}, culprit_now() as now
        from projects p join organizations o on o.organization_id = p.organization_id
        where p.project_id = $1 and p.deleted_at is null for key share of p`,
    },
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

/**
 * Returns those of the ids that the project has from the seven days before a receipt (docs/contract/ingestion.md 3.8).
 * Until the transaction ends, no other one counts events of the project: it would not see the rows that this one adds.
 */
export async function findKnownIds(
  transaction: Transaction,
  projectId: string,
  idHashes: readonly bigint[],
  receivedAtMs: number,
): Promise<ReadonlySet<bigint>> {
  if (idHashes.length === 0) return new Set();
  transaction.send(
    {
      name: 'event-ids-hold',
      text: `select pg_advisory_xact_lock(hashtext('culprit.event.ids'), hashtext($1::uuid::text))`,
    },
    [projectId],
  );
  // In order, so that one look finds the pages of the one before.
  const inOrder = [...idHashes].sort((a, b) => (a < b ? -1 : 1));
  const [row] = await transaction.query<{ known: string[] | null }>(
    {
      name: 'event-ids-known',
      text: `
        select array_agg(h.id_hash::text) as known from unnest($2::bigint[]) as h (id_hash)
        cross join lateral (
          (select from events e
            where e.id_hash = h.id_hash and e.project_id = $1
              and e.received_at >= $3::timestamptz - interval '7 days'
            limit 1)
          union all
          (select from event_ids e
            where e.project_id = $1 and e.id_hash = h.id_hash
              and e.received_at >= $3::timestamptz - interval '7 days')
          limit 1
        ) k`,
    },
    [projectId, arrayLiteral(inOrder), new Date(receivedAtMs)],
  );
  return new Set(row?.known?.map(BigInt));
}

/** An event id that no row of an event has. */
export interface KeptId {
  idHash: bigint;
  receivedAtMs: number;
}

/** Remembers ids of events that get no row and that no incident counts. */
export function keepEventIds(transaction: Transaction, projectId: string, ids: readonly KeptId[]): void {
  if (ids.length === 0) return;
  transaction.send(
    {
      name: 'event-ids-keep',
      text: `insert into event_ids as e (project_id, id_hash, received_at, signal_key)
        select $1, k.id_hash, k.received_at, 0 from unnest($2::bigint[], $3::timestamptz[]) as k (id_hash, received_at)
        order by k.id_hash
        on conflict (project_id, id_hash) do update
          set received_at = excluded.received_at, signal_key = excluded.signal_key`,
    },
    [
      projectId,
      arrayLiteral(ids.map(({ idHash }) => idHash)),
      arrayLiteral(ids.map(({ receivedAtMs }) => new Date(receivedAtMs).toISOString())),
    ],
  );
}

/** Adds to the hourly counters of outcomes, to which event intake adds as well. */
export function addFates(
  transaction: Transaction,
  projectId: string,
  fates: readonly { tokenId: string; hourMs: number; fate: string; ruleId: string | null; events: number }[],
): void {
  if (fates.length === 0) return;
  transaction.send(
    {
      name: 'fates-add',
      text: `insert into event_fates as e (token_id, hour, fate, rule_id, project_id, events)
        select token_id, hour, fate, coalesce(rule_id, '${NO_RULE}'), $1, events
        from json_to_recordset($2::json) as f (token_id uuid, hour timestamptz, fate text, rule_id uuid, events bigint)
        order by token_id, hour, fate, rule_id
        on conflict (token_id, hour, fate, rule_id) do update set events = e.events + excluded.events`,
    },
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
