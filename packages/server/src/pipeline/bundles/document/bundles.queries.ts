import type { TopFrame } from '@culprit/contract/incidents/incident-activity';
import type { SymbolicationState } from '@culprit/contract/releases/map-words';
import { arrayLiteral } from '../../../platform/db/array-literal.ts';
import { columnLiterals, unnestColumns } from '../../../platform/db/bulk-rows.ts';
import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { inTransaction, sql } from '../../../platform/db/statement.ts';

/** The bundle row's facts about an incident's document. */
export interface BundleRecord {
  incidentId: string;
  projectId: string;
  status: 'pending' | 'ready' | 'failed';
  failureReason: string | null;
  generation: number;
  objectKey: string | null;
  /** The size of the stored object. */
  sizeBytes: number | null;
  contentSha256: Buffer | null;
  /** Occurrences, blocks and reproducibility that the stored generation shows. */
  occurrenceCount: number;
  blocks: string[];
  isReproducible: boolean | null;
}

/** The columns of a record, from a bundle `b`. */
export const BUNDLE_COLUMNS = `b.incident_id as "incidentId", b.project_id as "projectId", b.status,
  b.failure_reason as "failureReason", b.generation, b.object_key as "objectKey", b.size_bytes as "sizeBytes",
  b.content_sha256 as "contentSha256", b.occurrence_count as "occurrenceCount", b.blocks,
  b.is_reproducible as "isReproducible"`;

/** The bundle rows of incidents, by incident; an incident of which nothing was asked for is missing. */
export async function findBundles(
  database: Queryable,
  incidentIds: readonly string[],
): Promise<Map<string, BundleRecord>> {
  const rows = await database.query<BundleRecord>(
    sql('bundle-find')`select ${BUNDLE_COLUMNS} from bundles b where b.incident_id = any ($1::uuid[])`,
    [incidentIds],
  );
  return new Map(rows.map((row) => [row.incidentId, row]));
}

/** The same, locked for the transaction that stores a generation of each. */
export async function lockBundles(
  transaction: Transaction,
  incidentIds: readonly string[],
): Promise<Map<string, BundleRecord>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await transaction.query<BundleRecord>(
    sql('bundle-lock')`select ${BUNDLE_COLUMNS} from bundles b where b.incident_id = any ($1::uuid[])
        order by b.incident_id for update`,
    [incidentIds],
  );
  return new Map(rows.map((row) => [row.incidentId, row]));
}

/** A generation in its bundle row. */
export interface StoredGeneration {
  incidentId: string;
  generation: number;
  objectKey: string;
  sizeBytes: number;
  contentSha256: Buffer;
  occurrenceCount: number;
  blocks: readonly string[];
  isReproducible: boolean;
  shownOffers: number;
  topFrame: TopFrame | null;
  clientGrouping: string | null;
  /** The state of its stack; null if no source map was requested. */
  symbolication: SymbolicationState | null;
}

/** Stores generations, one of each incident, and marks the objects of those before for deletion. */
export function storeGenerations(transaction: Transaction, generations: readonly StoredGeneration[]): void {
  if (generations.length === 0) return;
  transaction.send(
    STORE,
    columnLiterals(
      STORED_COLUMNS,
      generations.map((each) => ({
        incident_id: each.incidentId,
        generation: each.generation,
        object_key: each.objectKey,
        size_bytes: each.sizeBytes,
        content_sha256: each.contentSha256.toString('hex'),
        occurrence_count: each.occurrenceCount,
        blocks: arrayLiteral(each.blocks),
        is_reproducible: each.isReproducible,
        shown_offers: each.shownOffers,
        top_frame: each.topFrame === null ? null : JSON.stringify(each.topFrame),
        client_grouping: each.clientGrouping,
        symbolication: each.symbolication,
      })),
    ),
  );
}

const STORED_COLUMNS = [
  ['incident_id', 'uuid'],
  ['generation', 'integer'],
  ['object_key', 'text'],
  ['size_bytes', 'integer'],
  ['content_sha256', 'text'],
  ['occurrence_count', 'bigint'],
  ['blocks', 'text'],
  ['is_reproducible', 'boolean'],
  ['shown_offers', 'integer'],
  ['top_frame', 'jsonb'],
  ['client_grouping', 'text'],
  ['symbolication', 'text'],
] as const;

const STORE = sql('bundle-store')`
    with stored as (
      select * from ${unnestColumns(STORED_COLUMNS, 1, 's')}
    ), marked as (
      insert into object_tombstones (object_key, project_id)
      select b.object_key, b.project_id from bundles b join stored using (incident_id)
      where b.object_key is not null
      on conflict do nothing
    )
    update bundles b set status = 'ready', failure_reason = null, generation = s.generation, object_key = s.object_key,
      size_bytes = s.size_bytes, content_sha256 = decode(s.content_sha256, 'hex'),
      occurrence_count = s.occurrence_count, blocks = s.blocks::text[], is_reproducible = s.is_reproducible,
      offers = b.offers | s.shown_offers, top_frame = s.top_frame, client_grouping = s.client_grouping,
      symbolication = s.symbolication,
      first_generated_at = coalesce(b.first_generated_at, culprit_now()), generated_at = culprit_now()
    from stored s where b.incident_id = s.incident_id`;

/** Refreshes that found nothing new still move the time from which the next ones are debounced. */
export function touchBundles(transaction: Transaction, incidentIds: readonly string[]): void {
  if (incidentIds.length === 0) return;
  transaction.send(
    sql('bundle-touch')`
        with held as (
          select incident_id from bundles where incident_id = any ($1::uuid[]) and object_key is not null
          order by incident_id for update
        )
        update bundles b set generated_at = culprit_now() from held where b.incident_id = held.incident_id`,
    [incidentIds],
  );
}

/** Abandons the first generation; a stored document stays unchanged. */
export const failBundle = inTransaction.send<[incidentId: string, reason: string]>(
  'bundle-fail',
  `update bundles set status = 'failed', failure_reason = $2
    where incident_id = $1 and object_key is null`,
);
