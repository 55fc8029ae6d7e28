import { BUNDLES_METER } from '../billing/meters.ts';
import { type PlanSettings, planOverride } from '../billing/plan.ts';
import { isAllowanceLeft, takeAllowance } from '../billing/take-allowance.ts';
import { bundleContentHash, serializeBundle } from '../bundles/bundle-bytes.ts';
import { BUNDLE_ATTEMPTS_MAX } from '../bundles/bundles.jobs.ts';
import type { GatherOptions } from '../bundles/gather-evidence.ts';
import { buryObject } from '../bundles/stored-bundles.queries.ts';
import { insertLifecycleEvents } from '../lifecycle/lifecycle.queries.ts';
import type { Database } from '../platform/db/database.ts';
import { newUuid } from '../platform/ids.ts';
import type { Lane } from '../platform/jobs/job-loop.ts';
import { finishJobs, type Job, type RetryLadder } from '../platform/jobs/job-queue.ts';
import { projectFolder } from '../projects/project-objects.ts';
import { addProjectUsage } from '../projects/project-usage.queries.ts';
import { assembleImprovementBundle } from './assemble-improvement-bundle.ts';
import { gatherImprovement } from './gather-improvement.ts';
import { generatesImprovements } from './improvement-access.ts';
import { isBundleWanted } from './improvement-bundle-due.ts';
import {
  findImprovementFacts,
  type ImprovementFacts,
  lockImprovementBundle,
  noteWithoutBundle,
  storeImprovementBundle,
} from './improvement-bundles.queries.ts';
import { BUILD_IMPROVEMENT_BUNDLE, IMPROVEMENT_BUNDLES_LANE } from './improvements.jobs.ts';

export interface ImprovementBundlesOptions extends Pick<GatherOptions, 'database' | 'objects' | 'constants'> {
  plans: PlanSettings;
  ladder: RetryLadder;
  pollIntervalMs: number;
}

/** The lane that makes and refreshes the documents of improvements, one at a time. */
export function improvementBundlesLane(options: ImprovementBundlesOptions): Lane {
  return {
    name: IMPROVEMENT_BUNDLES_LANE,
    kinds: [BUILD_IMPROVEMENT_BUNDLE],
    claimMax: 1,
    pollIntervalMs: options.pollIntervalMs,
    ladder: options.ladder,
    async run(jobs) {
      for (const job of jobs) await buildImprovementBundle(job, options);
    },
    async giveUp(job, failures) {
      if (failures < BUNDLE_ATTEMPTS_MAX) return false;
      await finishWithout(options.database, job, 'generation_error');
      return true;
    },
  };
}

/**
 * Makes the next generation of an improvement's document: gathers, assembles, stores the object, then makes it count
 * with its ledger row in one transaction. Only the first of an episode takes of the allowance and is told
 * (incidents.md 6.4).
 */
async function buildImprovementBundle(job: Job, options: ImprovementBundlesOptions): Promise<void> {
  const { database, objects, plans } = options;
  const facts = await findImprovementFacts(database, improvementIdOf(job));
  const refusal = facts === null ? 'unwanted' : await refusalOf(database, facts, plans);
  if (facts === null || refusal !== null) {
    await finishWithout(database, job, refusal === 'unwanted' ? null : refusal);
    return;
  }
  const generation = facts.bundle.generation + 1;
  const evidence = await gatherImprovement(facts, generation, options);
  const isFirst = facts.bundle.episode < facts.episode;
  if (evidence === null) {
    await finishWithout(database, job, isFirst ? 'generation_error' : 'unchanged');
    return;
  }
  const document = assembleImprovementBundle(facts, evidence);
  const sha256 = bundleContentHash(document);
  if (!isFirst && facts.bundle.sha256?.equals(sha256) === true) {
    await finishWithout(database, job, 'unchanged');
    return;
  }
  const { improvementId, projectId, episode, occurrenceCount } = facts;
  const objectKey = `${projectFolder('bundles', projectId)}/${improvementId}/${newUuid()}`;
  const bytes = serializeBundle(document);
  await objects.put(objectKey, bytes);
  await database.transaction(async (transaction) => {
    const now = await lockImprovementBundle(transaction, improvementId);
    const isCurrent = now !== null && now.status !== 'resolved' && now.episode === episode;
    let isUsedUp = false;
    if (isCurrent && isFirst) {
      isUsedUp = !(await takeAllowance(transaction, plans, facts.organizationId, BUNDLES_METER)).granted;
    }
    if (!isCurrent || isUsedUp) {
      if (isUsedUp) await noteWithoutBundle(transaction, improvementId, 'monthly_quota_exceeded');
      await buryObject(transaction, objectKey, projectId);
    } else {
      const sizeBytes = bytes.length;
      await storeImprovementBundle(transaction, {
        improvementId,
        episode,
        generation,
        objectKey,
        sizeBytes,
        sha256,
        occurrenceCount,
      });
      if (isFirst) {
        await addProjectUsage(transaction, projectId, BUNDLES_METER, 1);
        const data = { generation, verification: document.verification.synthetic };
        await insertLifecycleEvents(transaction, [
          { projectId, improvementId, kind: 'improvement_bundle.created', data },
        ]);
      }
    }
    await finishJobs(transaction, [job]);
  });
}

/** Why no document is to be made; `unwanted` when there is nothing to say about it. Takes nothing. */
async function refusalOf(
  database: Database,
  facts: ImprovementFacts,
  plans: PlanSettings,
): Promise<'unwanted' | 'automation_disabled' | 'monthly_quota_exceeded' | null> {
  const isFirst = facts.bundle.episode < facts.episode;
  // Whoever asked for a first one has seen that it may be tried; a refresh may have become too early meanwhile.
  const isWanted = isFirst
    ? facts.status === 'open' || facts.status === 'snoozed'
    : isBundleWanted(facts, facts.bundle, facts.nowMs);
  if (!isWanted || !generatesImprovements(plans, planOverride(plans) ?? facts.plan)) return 'unwanted';
  if (!facts.isAutomated) return isFirst ? 'automation_disabled' : 'unwanted';
  if (!isFirst) return null;
  const isLeft = await isAllowanceLeft(database, plans, facts.organizationId, BUNDLES_METER);
  return isLeft ? null : 'monthly_quota_exceeded';
}

/** Ends a job without a document; null leaves the improvement as it is, `unchanged` notes that it was looked at. */
async function finishWithout(
  database: Database,
  job: Job,
  reason: 'unchanged' | 'generation_error' | 'automation_disabled' | 'monthly_quota_exceeded' | null,
): Promise<void> {
  const improvementId = improvementIdOf(job);
  await database.transaction(async (transaction) => {
    if (reason !== null) {
      await lockImprovementBundle(transaction, improvementId);
      await noteWithoutBundle(transaction, improvementId, reason === 'unchanged' ? null : reason);
    }
    await finishJobs(transaction, [job]);
  });
}

function improvementIdOf(job: Job): string {
  if (job.key === null) throw new Error('an improvement bundle job names no improvement');
  return job.key;
}
