import type { BundleFailureReason } from '@culprit/contract/incidents/incident-bundle';
import type { Database } from '../../../platform/db/database.ts';
import { Problem } from '../../../platform/http/binding/problem.ts';
import { ObjectMissingError } from '../../../platform/objects/object-store.ts';
import type { Runtime } from '../../../runtime.ts';
import type { PlanSettings } from '../../../workspace/billing/plan.ts';
import { isGenerationLeft } from '../queue/bundle-allowance.ts';
import { requestBundles } from '../queue/request-bundles.ts';
import type { BundleRecord } from './bundles.queries.ts';
import { findCurrentBundle } from './current-bundle.ts';
import { readDocument } from './stored-document.ts';

/**
 * The three answers of the bundle endpoint (docs/contract/incidents.md 2.4); a ready document is passed on as stored
 * bytes.
 */
type BundleAnswer =
  | { kind: 'ready'; bytes: Buffer }
  | { kind: 'pending' }
  | { kind: 'failed'; reason: BundleFailureReason };

const FAILURE_REASONS: readonly BundleFailureReason[] = [
  'generation_error',
  'artifact_unreadable',
  'evidence_expired',
  'monthly_quota_exceeded',
  'bundle_rotated',
];

/**
 * The bundle of an incident whose visibility the caller has checked: the one way to a document for everything that reads
 * one.
 */
export async function readBundle(
  { database, objects, plans }: Pick<Runtime, 'database' | 'objects' | 'plans'>,
  incidentId: string,
): Promise<BundleAnswer> {
  // A refresh may replace the object and mark it for deletion between the two reads; its successor is there then.
  for (let look = 1; ; look += 1) {
    const bundle = await findCurrentBundle(database, incidentId);
    if (bundle === null || bundle.status === 'pending') return { kind: 'pending' };
    if (bundle.status === 'failed' || bundle.objectKey === null) {
      if (await isQueuedAfterReset(database, plans, incidentId, bundle)) return { kind: 'pending' };
      const reason = FAILURE_REASONS.find((known) => known === bundle.failureReason) ?? 'generation_error';
      return { kind: 'failed', reason };
    }
    try {
      const bytes = await readDocument(objects, bundle.objectKey, bundle.sizeBytes);
      return bytes === null ? { kind: 'failed', reason: 'artifact_unreadable' } : { kind: 'ready', bytes };
    } catch (error) {
      if (!(error instanceof ObjectMissingError)) throw error;
      if (look === 2) return { kind: 'failed', reason: 'artifact_unreadable' };
    }
  }
}

/**
 * The `reproduction` block of the stored bundle, or pending.
 * @throws Problem `reproduction_not_found` when there is no document to take it from
 */
export async function readReproduction(runtime: Runtime, incidentId: string): Promise<object> {
  const bundle = await readBundle(runtime, incidentId);
  if (bundle.kind === 'pending') return { status: 'pending' };
  if (bundle.kind === 'failed') throw new Problem('reproduction_not_found');
  const reproduction = reproductionOf(bundle.bytes);
  if (reproduction === null) throw new Problem('reproduction_not_found');
  return reproduction;
}

/**
 * Queues a bundle that is missing because the meter was used up: it is built when there is an allowance again and a
 * reader requests it (docs/contract/incidents.md 3.9). After a reset thousands of them would otherwise be built without
 * a reader.
 */
async function isQueuedAfterReset(
  database: Database,
  plans: PlanSettings,
  incidentId: string,
  { failureReason, projectId }: BundleRecord,
): Promise<boolean> {
  if (failureReason !== 'monthly_quota_exceeded') return false;
  if (!(await isGenerationLeft(database, plans, projectId))) return false;
  await database.transaction(async (transaction) =>
    requestBundles(transaction, projectId, [{ incidentId, trigger: 'read' }]),
  );
  return true;
}

function reproductionOf(bytes: Buffer): object | null {
  try {
    const document: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof document !== 'object' || document === null || !('reproduction' in document)) return null;
    return typeof document.reproduction === 'object' ? document.reproduction : null;
  } catch {
    return null;
  }
}
