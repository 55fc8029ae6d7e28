import type { Queryable, Transaction } from '../../../platform/db/database.ts';
import { statement } from '../../../platform/db/statement.ts';
import { BUNDLES_METER } from '../../../workspace/billing/meters.ts';
import type { PlanSettings } from '../../../workspace/billing/plan.ts';
import { planInForce } from '../../../workspace/billing/plan-in-force.ts';
import { findPlanRecord } from '../../../workspace/billing/plan-records.queries.ts';
import { consumeAllowanceUpTo, isAllowanceLeft } from '../../../workspace/billing/take-allowance.ts';
import type { BundleRecord } from '../document/bundles.queries.ts';
import { deleteOldestBundles, findBundleOrganization } from '../document/stored-bundles.queries.ts';
import { type BundleTrigger, RENEWING_TRIGGERS } from './bundles.jobs.ts';

/**
 * The permit of a generation: a refresh and one of sample data are free, a first one was taken from the organization's
 * allowance, or neither.
 */
type GenerationPermit =
  | { kind: 'free' }
  | { kind: 'taken'; organizationId: string }
  | { kind: 'refused'; isUsedUp: boolean };

const FREE = { kind: 'free' } as const;
const NOT_WANTED = { kind: 'refused', isUsedUp: false } as const;
const USED_UP = { kind: 'refused', isUsedUp: true } as const;

/**
 * Permits the generations of one project that are about to be stored, in the transaction that locked their bundles; null
 * is one that went away with its incident. Of first ones as many are permitted as the allowance has left.
 */
export async function consumeQuota(
  transaction: Transaction,
  plans: PlanSettings,
  generations: readonly {
    bundle: BundleRecord | null;
    triggers: readonly BundleTrigger[];
    isSample: boolean;
  }[],
): Promise<GenerationPermit[]> {
  const wanted = generations.map(({ bundle, triggers, isSample }) => ({
    bundle: bundle !== null && isWanted(bundle, triggers) ? bundle : null,
    isSample,
  }));
  const firsts = wanted.filter(({ bundle, isSample }) => bundle?.objectKey === null && !isSample);
  const projectId = firsts[0]?.bundle?.projectId;
  const organizationId =
    projectId === undefined ? null : await findBundleOrganization(transaction, projectId);
  let left =
    organizationId === null
      ? 0
      : await consumeAllowanceUpTo(transaction, plans, organizationId, BUNDLES_METER, firsts.length);
  return wanted.map(({ bundle, isSample }) => {
    if (bundle === null) return NOT_WANTED;
    if (bundle.objectKey !== null || isSample) return FREE;
    if (organizationId === null) return NOT_WANTED;
    if (left === 0) return USED_UP;
    left -= 1;
    return { kind: 'taken', organizationId };
  });
}

/** Returns the refusal that is expected, before the work; null when there is none. Takes nothing. */
export async function precheckQuota(
  database: Queryable,
  plans: PlanSettings,
  {
    incidentId,
    bundle,
    triggers,
  }: { incidentId: string; bundle: BundleRecord | null; triggers: readonly BundleTrigger[] },
): Promise<Extract<GenerationPermit, { kind: 'refused' }> | null> {
  if (bundle === null || !isWanted(bundle, triggers)) return NOT_WANTED;
  if (bundle.objectKey !== null) return null;
  const isFree = await isGenerationLeft(database, plans, bundle.projectId);
  return isFree || (await isSampleIncident(database, incidentId)) ? null : USED_UP;
}

const isSampleIncident = statement.exists<[incidentId: string]>(
  'bundle-sample-incident',
  'select 1 from incidents where incident_id = $1 and sample_id is not null',
);

/** Returns true if a first generation could be taken now. */
export async function isGenerationLeft(
  database: Queryable,
  plans: PlanSettings,
  projectId: string,
): Promise<boolean> {
  if (!plans.isEnforced) return true;
  const organizationId = await findBundleOrganization(database, projectId);
  return organizationId !== null && (await isAllowanceLeft(database, plans, organizationId, BUNDLES_METER));
}

/** Returns true if triggers require a document: if the plan left none, only a counted signal or a reader does. */
function isWanted(bundle: BundleRecord, triggers: readonly BundleTrigger[]): boolean {
  const isWithheld =
    bundle.status === 'failed' &&
    (bundle.failureReason === 'monthly_quota_exceeded' || bundle.failureReason === 'bundle_rotated');
  return !isWithheld || triggers.some((trigger) => RENEWING_TRIGGERS.includes(trigger));
}

/**
 * Removes the oldest stored bundles beyond the plan's cap, in the transaction that took and stored one more. The taking
 * lets one such transaction of an organization pass at a time, so that the cap is exact.
 */
export async function rotateBundles(
  transaction: Transaction,
  plans: PlanSettings,
  organizationId: string,
  storedIncidentId: string,
): Promise<void> {
  if (!plans.isEnforced) return;
  const found = await findPlanRecord(transaction, organizationId);
  if (found === null) return;
  const { limits } = planInForce(found.record, plans, found.nowMs);
  await deleteOldestBundles(transaction, organizationId, limits.retainedBundleCap, storedIncidentId);
}
