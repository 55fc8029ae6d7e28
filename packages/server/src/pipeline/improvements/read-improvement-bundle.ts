import type { ImprovementBundleFailureReason } from '@culprit/contract/incidents/improvements';
import { Problem } from '../../platform/http/binding/problem.ts';
import { parseId, prefixedId } from '../../platform/ids.ts';
import { ObjectMissingError } from '../../platform/objects/object-store.ts';
import type { Runtime } from '../../runtime.ts';
import type { ProjectAccess } from '../../workspace/access/project-access.ts';
import { BUNDLES_METER } from '../../workspace/billing/meters.ts';
import { planOverride } from '../../workspace/billing/plan.ts';
import { isAllowanceLeft } from '../../workspace/billing/take-allowance.ts';
import { readDocument } from '../bundles/document/stored-document.ts';
import { DETECTORS } from './detectors.ts';
import { generatesImprovements } from './improvement-access.ts';
import {
  findImprovementFacts,
  type ImprovementFacts,
  lockImprovementBundle,
  requestImprovementBundles,
} from './improvement-bundles.queries.ts';

/**
 * The three answers of the endpoint (docs/contract/incidents.md 6.5); a ready document is passed on as stored bytes.
 */
type ImprovementBundleAnswer =
  | { kind: 'ready'; bytes: Buffer }
  | { kind: 'pending' }
  | { kind: 'failed'; reason: ImprovementBundleFailureReason; relatedIncidentIds?: string[] };

const FAILURE_REASONS: readonly ImprovementBundleFailureReason[] = [
  'generation_error',
  'automation_disabled',
  'monthly_quota_exceeded',
];

/**
 * Returns the newest document of an improvement of a project, candidates included.
 * @param id as written: the improvement's own or that of its bundle, the only one that a webhook contains
 * @throws Problem `improvement_not_found`
 */
export async function readImprovementBundle(
  runtime: Runtime,
  { projectId }: ProjectAccess,
  id: string,
): Promise<ImprovementBundleAnswer> {
  const { database, objects } = runtime;
  const improvementId = parseId(['bun'], id);
  // A refresh may replace the object and mark it for deletion between the two reads; its successor is there then.
  for (let look = 1; ; look += 1) {
    const facts = improvementId === null ? null : await findImprovementFacts(database, improvementId);
    if (facts === null || facts.projectId !== projectId) throw new Problem('improvement_not_found');
    const { objectKey, sizeBytes } = facts.bundle;
    if (objectKey === null) return await answerWithout(runtime, facts);
    try {
      const bytes = await readDocument(objects, objectKey, sizeBytes);
      return bytes === null ? { kind: 'failed', reason: 'artifact_unreadable' } : { kind: 'ready', bytes };
    } catch (error) {
      if (!(error instanceof ObjectMissingError)) throw error;
      if (look === 2) return { kind: 'failed', reason: 'artifact_unreadable' };
    }
  }
}

async function answerWithout(runtime: Runtime, facts: ImprovementFacts): Promise<ImprovementBundleAnswer> {
  if (DETECTORS[facts.detector].signalType === null) {
    const relatedIncidentIds = facts.relatedIncidentIds.map((id) => prefixedId('inc', id));
    return { kind: 'failed', reason: 'covered_by_incident_bundle', relatedIncidentIds };
  }
  if (facts.status === 'candidate' || facts.status === 'resolved') {
    return { kind: 'failed', reason: 'bundle_not_generated_yet' };
  }
  if (!facts.isAutomated) return { kind: 'failed', reason: 'automation_disabled' };
  const reason = FAILURE_REASONS.find((known) => known === facts.bundle.failureReason);
  if (reason === undefined || (await isQueuedAgain(runtime, facts))) return { kind: 'pending' };
  return { kind: 'failed', reason };
}

/**
 * Queues a document that was withheld, because the meter was used up or the automation was off: it is built when that
 * has ended and a reader requests it, as those of incidents are (docs/contract/incidents.md 3.9).
 */
async function isQueuedAgain(
  { database, plans }: Runtime,
  { improvementId, projectId, organizationId, plan, bundle }: ImprovementFacts,
): Promise<boolean> {
  if (bundle.failureReason === 'generation_error') return false;
  if (!generatesImprovements(plans, planOverride(plans) ?? plan)) return false;
  if (!(await isAllowanceLeft(database, plans, organizationId, BUNDLES_METER))) return false;
  await database.transaction(async (transaction) => {
    await lockImprovementBundle(transaction, improvementId);
    await requestImprovementBundles(transaction, projectId, [improvementId]);
  });
  return true;
}
