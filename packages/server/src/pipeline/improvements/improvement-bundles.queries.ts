import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql, statement } from '../../platform/db/statement.ts';
import { enqueue, WAKE_QUEUED } from '../../platform/jobs/enqueue.ts';
import type { Plan } from '../../workspace/billing/plan.ts';
import {
  type EventLocation,
  type LocationRow,
  locationOf,
  placeColumns,
} from '../bundles/evidence/bundle-evidence.queries.ts';
import type { Detector } from './detectors.ts';
import { BUILD_IMPROVEMENT_BUNDLE, IMPROVEMENT_BUNDLES_LANE } from './improvements.jobs.ts';

/** Statements about the documents of improvements. */

/**
 * Queues the building of documents inside the caller's transaction, after the locks of their rows. One job for each: a
 * queued one absorbs the request, one under way checks again afterwards.
 */
export async function requestImprovementBundles(
  transaction: Transaction,
  projectId: string,
  improvementIds: readonly string[],
): Promise<void> {
  if (improvementIds.length === 0) return;
  await transaction.query(REQUEST, [projectId, [...improvementIds]]);
}

const REQUEST = sql('improvement-bundles-request')`with queued as (${enqueue({
  job: { lane: IMPROVEMENT_BUNDLES_LANE, kind: BUILD_IMPROVEMENT_BUNDLE },
  fairnessKey: '$1::uuid',
  key: 'wanted::text',
  from: 'from unnest($2::uuid[]) as wanted order by wanted',
  whenQueued: { update: 'set revision = j.revision + 1 where j.leased_until is not null' },
})})
    ${WAKE_QUEUED}`;

/** An improvement as its document shows it. Times are milliseconds since the epoch. */
export interface ImprovementFacts {
  improvementId: string;
  projectId: string;
  projectSlug: string;
  organizationId: string;
  /** By the organization's own terms. */
  plan: Plan;
  isAutomated: boolean;
  serviceId: string;
  serviceName: string;
  environment: string;
  detector: Detector;
  key: string;
  fingerprint: string;
  status: 'candidate' | 'open' | 'resolved' | 'snoozed';
  severity: number;
  confidencePercent: number;
  title: string;
  summary: string;
  occurrenceCount: number;
  firstDetectedAtMs: number;
  lastDetectedAtMs: number;
  episode: number;
  bundle: {
    episode: number;
    generation: number;
    objectKey: string | null;
    sizeBytes: number | null;
    sha256: Buffer | null;
    occurrenceCount: number;
    checkedAtMs: number | null;
    failureReason: string | null;
  };
  relatedIncidentIds: readonly string[];
  nowMs: number;
}

/** The facts of an improvement in a live project; null when it is gone. */
export async function findImprovementFacts(
  database: Queryable,
  improvementId: string,
): Promise<ImprovementFacts | null> {
  const [row] = await database.query<{
    project_id: string;
    slug: string;
    organization_id: string;
    plan: Plan;
    is_automated: boolean;
    service_id: string;
    service_name: string;
    environment: string;
    detector: Detector;
    detector_key: string;
    fingerprint: string;
    status: ImprovementFacts['status'];
    severity: number;
    confidence_percent: number;
    title: string;
    summary: string;
    occurrence_count: number;
    first_detected_at: number;
    last_detected_at: number;
    episode: number;
    bundle_episode: number;
    bundle_generation: number;
    bundle_object_key: string | null;
    bundle_size_bytes: number | null;
    bundle_sha256: Buffer | null;
    bundle_occurrence_count: number;
    bundle_checked_at: number | null;
    bundle_failure_reason: string | null;
    related_incident_ids: string[];
    now: number;
  }>(
    sql(
      'improvement-facts',
    )`select i.project_id, p.slug, p.organization_id, effective_plan(o, culprit_now()) as plan,
          p.automated_improvement_bundles_enabled as is_automated,
          i.service_id, i.service_name, i.environment, i.detector, i.detector_key,
          encode(i.fingerprint, 'hex') as fingerprint, i.status, i.severity, i.confidence_percent, i.title, i.summary,
          i.occurrence_count, i.first_detected_at, i.last_detected_at, i.episode, i.bundle_episode, i.bundle_generation,
          i.bundle_object_key, i.bundle_size_bytes, i.bundle_sha256, i.bundle_occurrence_count, i.bundle_checked_at,
          i.bundle_failure_reason, i.related_incident_ids, culprit_now() as now
        from improvements i
        join projects p on p.project_id = i.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        where i.improvement_id = $1`,
    [improvementId],
  );
  if (row === undefined) return null;
  return {
    improvementId,
    projectId: row.project_id,
    projectSlug: row.slug,
    organizationId: row.organization_id,
    plan: row.plan,
    isAutomated: row.is_automated,
    serviceId: row.service_id,
    serviceName: row.service_name,
    environment: row.environment,
    detector: row.detector,
    key: row.detector_key,
    fingerprint: row.fingerprint,
    status: row.status,
    severity: row.severity,
    confidencePercent: row.confidence_percent,
    title: row.title,
    summary: row.summary,
    occurrenceCount: row.occurrence_count,
    firstDetectedAtMs: row.first_detected_at,
    lastDetectedAtMs: row.last_detected_at,
    episode: row.episode,
    bundle: {
      episode: row.bundle_episode,
      generation: row.bundle_generation,
      objectKey: row.bundle_object_key,
      sizeBytes: row.bundle_size_bytes,
      sha256: row.bundle_sha256,
      occurrenceCount: row.bundle_occurrence_count,
      checkedAtMs: row.bundle_checked_at,
      failureReason: row.bundle_failure_reason,
    },
    relatedIncidentIds: row.related_incident_ids,
    nowMs: row.now,
  };
}

/** Returns the places of an improvement's observations whose objects exist. */
export const findImprovementSamples = statement.many<
  [improvementId: string],
  LocationRow & { role: 'latest' | 'heaviest' },
  EventLocation & { role: 'latest' | 'heaviest' }
>(
  'improvement-samples',
  `select s.role, ${placeColumns('s')}, false as is_origin_bound
    from improvement_samples s join batches b using (batch_id)
    where s.improvement_id = $1 order by s.effective_at, s.event_id, s.role`,
  (row) => ({ role: row.role, ...locationOf(row) }),
);

/**
 * Locks the row and returns the facts that the transaction which stores a document must check again; null when it was
 * deleted.
 */
export async function lockImprovementBundle(
  transaction: Transaction,
  improvementId: string,
): Promise<{ status: ImprovementFacts['status']; episode: number } | null> {
  const [row] = await transaction.query<{
    status: ImprovementFacts['status'];
    episode: number;
  }>(
    sql(
      'improvement-bundle-lock',
    )`select status, episode from improvements where improvement_id = $1 for update`,
    [improvementId],
  );
  return row ?? null;
}

/** Stores a generation and marks the object of the one before for deletion. */
export async function storeImprovementBundle(
  transaction: Transaction,
  bundle: {
    improvementId: string;
    episode: number;
    generation: number;
    objectKey: string;
    sizeBytes: number;
    sha256: Buffer;
    occurrenceCount: number;
  },
): Promise<void> {
  await transaction.query(
    sql('improvement-bundle-store')`
        with marked as (
          insert into object_tombstones (object_key, project_id)
          select bundle_object_key, project_id from improvements
          where improvement_id = $1 and bundle_object_key is not null
          on conflict do nothing
        )
        update improvements set bundle_episode = $2, bundle_generation = $3, bundle_object_key = $4,
          bundle_size_bytes = $5, bundle_sha256 = $6, bundle_occurrence_count = $7, bundle_failure_reason = null,
          bundle_created_at = coalesce(bundle_created_at, culprit_now()), bundle_updated_at = culprit_now(),
          bundle_checked_at = culprit_now()
        where improvement_id = $1`,
    [
      bundle.improvementId,
      bundle.episode,
      bundle.generation,
      bundle.objectKey,
      bundle.sizeBytes,
      bundle.sha256,
      bundle.occurrenceCount,
    ],
  );
}

/**
 * Notes that a document was examined and not stored. For an episode without one `reason` names the cause; a refresh
 * that found nothing new, or failed, leaves the stored one unchanged.
 */
export const recordWithoutBundle = inTransaction.run<[improvementId: string, reason: string | null]>(
  'improvement-bundle-without',
  `update improvements set bundle_checked_at = culprit_now(),
      bundle_failure_reason = case when bundle_episode < episode then $2 end,
      bundle_occurrence_count = case when bundle_episode < episode then bundle_occurrence_count
        else occurrence_count end
    where improvement_id = $1`,
);
