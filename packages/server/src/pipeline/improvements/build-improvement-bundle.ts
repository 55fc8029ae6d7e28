import { writeBundle } from '@culprit/evidence/bundles/document/bundle-bytes';
import type { Database } from '../../platform/db/database.ts';
import { newUuid } from '../../platform/ids.ts';
import { finishJobs, type Job } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import { BUNDLES_METER } from '../../workspace/billing/meters.ts';
import { type PlanSettings, planOverride } from '../../workspace/billing/plan.ts';
import { consumeAllowance, isAllowanceLeft } from '../../workspace/billing/take-allowance.ts';
import { projectFolder } from '../../workspace/projects/project-objects.ts';
import { addProjectUsage } from '../../workspace/projects/project-usage.queries.ts';
import { markObjectForDeletion } from '../bundles/document/stored-bundles.queries.ts';
import { storeDocument } from '../bundles/document/stored-document.ts';
import type { GatherOptions } from '../bundles/evidence/gather-evidence.ts';
import { insertLifecycleEvents } from '../ledger/lifecycle.queries.ts';
import { assembleImprovementBundle } from './assemble-improvement-bundle.ts';
import { gatherImprovement } from './gather-improvement.ts';
import { finishWithoutBundle, improvementIdOf } from './give-up-improvement-bundle.ts';
import { generatesImprovements } from './improvement-access.ts';
import { isBundleWanted } from './improvement-bundle-due.ts';
import {
  findImprovementFacts,
  type ImprovementFacts,
  lockImprovementBundle,
  recordWithoutBundle,
  storeImprovementBundle,
} from './improvement-bundles.queries.ts';

interface ImprovementBundlesOptions extends Pick<GatherOptions, 'database' | 'objects' | 'constants'> {
  plans: PlanSettings;
}

/** Makes and refreshes the documents of improvements, one at a time. */
export function improvementBundlesLane(options: ImprovementBundlesOptions): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await buildImprovementBundle(job, options);
    },
  };
}

/**
 * Builds the next generation of an improvement's document: gathers, assembles, stores the object, then makes it count
 * with its ledger row in one transaction. Only the first of an episode takes from the allowance and is reported
 * (docs/contract/incidents.md 6.4).
 */
async function buildImprovementBundle(job: Job, options: ImprovementBundlesOptions): Promise<void> {
  const { database, objects, plans } = options;
  const facts = await findImprovementFacts(database, improvementIdOf(job));
  const refusal = facts === null ? 'unwanted' : await refusalOf(database, facts, plans);
  if (facts === null || refusal !== null) {
    await finishWithoutBundle(database, job, refusal === 'unwanted' ? null : refusal);
    return;
  }
  const generation = facts.bundle.generation + 1;
  const evidence = await gatherImprovement(facts, generation, options);
  const isFirst = facts.bundle.episode < facts.episode;
  if (evidence === null) {
    await finishWithoutBundle(database, job, isFirst ? 'generation_error' : 'unchanged');
    return;
  }
  const document = assembleImprovementBundle(facts, evidence);
  const { bytes, contentSha256: sha256 } = writeBundle(document);
  if (!isFirst && facts.bundle.sha256?.equals(sha256) === true) {
    await finishWithoutBundle(database, job, 'unchanged');
    return;
  }
  const { improvementId, projectId, episode, occurrenceCount } = facts;
  const objectKey = `${projectFolder('bundles', projectId)}/${improvementId}/${newUuid()}`;
  await storeDocument(objects, objectKey, bytes);
  await database.transaction(async (transaction) => {
    const now = await lockImprovementBundle(transaction, improvementId);
    const isCurrent = now !== null && now.status !== 'resolved' && now.episode === episode;
    let isUsedUp = false;
    if (isCurrent && isFirst) {
      isUsedUp = !(await consumeAllowance(transaction, plans, facts.organizationId, BUNDLES_METER)).granted;
    }
    if (!isCurrent || isUsedUp) {
      if (isUsedUp) await recordWithoutBundle(transaction, improvementId, 'monthly_quota_exceeded');
      markObjectForDeletion(transaction, objectKey, projectId);
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
        addProjectUsage(transaction, projectId, BUNDLES_METER, 1);
        const data = { generation, verification: document.verification.synthetic };
        insertLifecycleEvents(transaction, [
          { projectId, improvementId, kind: 'improvement_bundle.created', data },
        ]);
      }
    }
    await finishJobs(transaction, [job]);
  });
}

/** Returns the reason why no document should be built; `unwanted` when the reason is not reported. Takes nothing. */
async function refusalOf(
  database: Database,
  facts: ImprovementFacts,
  plans: PlanSettings,
): Promise<'unwanted' | 'automation_disabled' | 'monthly_quota_exceeded' | null> {
  const isFirst = facts.bundle.episode < facts.episode;
  // The request for a first one has already checked that it may be tried; a refresh may have become too early since.
  const isWanted = isFirst
    ? facts.status === 'open' || facts.status === 'snoozed'
    : isBundleWanted(facts, facts.bundle, facts.nowMs);
  if (!isWanted || !generatesImprovements(plans, planOverride(plans) ?? facts.plan)) return 'unwanted';
  if (!facts.isAutomated) return isFirst ? 'automation_disabled' : 'unwanted';
  if (!isFirst) return null;
  const isLeft = await isAllowanceLeft(database, plans, facts.organizationId, BUNDLES_METER);
  return isLeft ? null : 'monthly_quota_exceeded';
}
