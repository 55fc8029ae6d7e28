import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sharedAccessPlan } from '../projects/require-project.ts';

/** What the bundle row says of an incident's document. */
export interface BundleRecord {
  projectId: string;
  status: 'pending' | 'ready' | 'failed';
  failureReason: string | null;
  generation: number;
  objectKey: string | null;
  /** Of the stored object. */
  sizeBytes: number | null;
  contentSha256: Buffer | null;
  /** Occurrences, blocks and reproducibility that the stored generation shows. */
  occurrenceCount: number;
  blocks: string[];
  isReproducible: boolean | null;
}

interface BundleRow {
  project_id: string;
  status: BundleRecord['status'];
  failure_reason: string | null;
  generation: number;
  object_key: string | null;
  size_bytes: number | null;
  content_sha256: Buffer | null;
  occurrence_count: number;
  blocks: string[];
  is_reproducible: boolean | null;
}

/** The bundle row of an incident; null before anything was asked for. */
export async function findBundle(database: Queryable, incidentId: string): Promise<BundleRecord | null> {
  const [row] = await database.query<BundleRow>(
    {
      name: 'bundle-find',
      text: `select project_id, status, failure_reason, generation, object_key, size_bytes, content_sha256, occurrence_count,
        blocks, is_reproducible from bundles where incident_id = $1`,
    },
    [incidentId],
  );
  return row === undefined ? null : recordOf(row);
}

/** The same, locked for the transaction that stores a generation. */
export async function lockBundle(transaction: Queryable, incidentId: string): Promise<BundleRecord | null> {
  const [row] = await transaction.query<BundleRow>(
    {
      name: 'bundle-lock',
      text: `select project_id, status, failure_reason, generation, object_key, size_bytes, content_sha256, occurrence_count,
        blocks, is_reproducible from bundles where incident_id = $1 for update`,
    },
    [incidentId],
  );
  return row === undefined ? null : recordOf(row);
}

function recordOf(row: BundleRow): BundleRecord {
  return {
    projectId: row.project_id,
    status: row.status,
    failureReason: row.failure_reason,
    generation: row.generation,
    objectKey: row.object_key,
    sizeBytes: row.size_bytes,
    contentSha256: row.content_sha256,
    occurrenceCount: row.occurrence_count,
    blocks: row.blocks,
    isReproducible: row.is_reproducible,
  };
}

/** Stores a generation and buries the object of the one before. */
export async function storeGeneration(
  transaction: Queryable,
  bundle: {
    incidentId: string;
    generation: number;
    objectKey: string;
    sizeBytes: number;
    contentSha256: Buffer;
    occurrenceCount: number;
    blocks: readonly string[];
    isReproducible: boolean;
    shownOffers: number;
  },
): Promise<void> {
  await transaction.query(
    {
      name: 'bundle-store',
      text: `
        with buried as (
          insert into object_tombstones (object_key, project_id)
          select object_key, project_id from bundles where incident_id = $1 and object_key is not null
          on conflict do nothing
        )
        update bundles set status = 'ready', failure_reason = null, generation = $2, object_key = $3, size_bytes = $4,
          content_sha256 = $5, occurrence_count = $6, blocks = $7, is_reproducible = $8, offers = offers | $9,
          first_generated_at = coalesce(first_generated_at, culprit_now()), generated_at = culprit_now()
        where incident_id = $1`,
    },
    [
      bundle.incidentId,
      bundle.generation,
      bundle.objectKey,
      bundle.sizeBytes,
      bundle.contentSha256,
      bundle.occurrenceCount,
      [...bundle.blocks],
      bundle.isReproducible,
      bundle.shownOffers,
    ],
  );
}

/** A refresh that found nothing new still moves the time from which the next one is debounced. */
export async function touchBundle(transaction: Queryable, incidentId: string): Promise<void> {
  await transaction.query(
    {
      name: 'bundle-touch',
      text: 'update bundles set generated_at = culprit_now() where incident_id = $1 and object_key is not null',
    },
    [incidentId],
  );
}

/** Gives up the first generation; a stored document stays what it is. */
export async function failBundle(transaction: Queryable, incidentId: string, reason: string): Promise<void> {
  await transaction.query(
    {
      name: 'bundle-fail',
      text: `update bundles set status = 'failed', failure_reason = $2
        where incident_id = $1 and object_key is null`,
    },
    [incidentId, reason],
  );
}

/** A person's place at an incident; null when they have none, or it does not exist. */
export async function findIncidentAccess(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  incidentId: string,
): Promise<{ isSuspended: boolean } | null> {
  const [row] = await database.query<{ is_suspended: boolean }>(
    {
      name: 'bundle-incident-access',
      text: `select shared_access_suspended(m.role, o, $3) as is_suspended from incidents i
        join projects p on p.project_id = i.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        join project_members m on m.project_id = i.project_id and m.user_id = $1
        where i.incident_id = $2`,
    },
    [userId, incidentId, sharedAccessPlan(plans)],
  );
  return row === undefined ? null : { isSuspended: row.is_suspended };
}
