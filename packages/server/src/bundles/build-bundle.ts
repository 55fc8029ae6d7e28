import type { Logger } from 'pino';
import { BUNDLES_METER } from '../billing/meters.ts';
import type { PlanSettings } from '../billing/plan.ts';
import { insertLifecycleEvents } from '../lifecycle/lifecycle.queries.ts';
import { attachContextRows } from '../lifecycle/timeline.queries.ts';
import type { Database, Queryable } from '../platform/db/database.ts';
import { newUuid } from '../platform/ids.ts';
import type { Lane } from '../platform/jobs/job-loop.ts';
import { finishJobs, type Job, postponeJob } from '../platform/jobs/job-queue.ts';
import { projectFolder } from '../projects/project-objects.ts';
import { addProjectUsage } from '../projects/project-usage.queries.ts';
import { assembleBundle } from './assemble-bundle.ts';
import { foreseeRefusal, permitGeneration, rotateBundles } from './bundle-allowance.ts';
import { bundleContentHash, serializeBundle } from './bundle-bytes.ts';
import type { BundleDocument } from './bundle-document.ts';
import { BUILD_BUNDLE, BUNDLE_ATTEMPTS_MAX, type BundleTrigger, BYPASS_TRIGGERS } from './bundles.jobs.ts';
import {
  type BundleRecord,
  failBundle,
  findBundle,
  lockBundle,
  storeGeneration,
  touchBundle,
} from './bundles.queries.ts';
import { chooseEvidence } from './choose-evidence.ts';
import { type Gathered, type GatherOptions, gatherEvidence } from './gather-evidence.ts';
import { keepLostContents, readStoredDocument } from './keep-lost-contents.ts';
import { isNotableRefresh } from './notable-refresh.ts';
import { shownOffers } from './offers.ts';
import { refreshWaitMs } from './request-bundles.ts';
import { buryObject } from './stored-bundles.queries.ts';
import { usedContext } from './used-context.ts';

export interface BundleLaneOptions extends GatherOptions {
  plans: PlanSettings;
  ladder: readonly number[];
  log: Logger;
}

/** A lane that builds and refreshes bundles, one incident at a time. */
export function bundlesLane(name: string, pollIntervalMs: number, options: BundleLaneOptions): Lane {
  return {
    name,
    kinds: [BUILD_BUNDLE],
    claimMax: 1,
    pollIntervalMs,
    ladder: options.ladder,
    async run(jobs) {
      for (const job of jobs) await buildBundle(job, options);
    },
    giveUp: (job, failures) => giveUpBundle(options.database, job, failures),
  };
}

/** After five attempts the generation is given up; a stored document stays, and what came later is tried anew. */
export async function giveUpBundle(database: Database, job: Job, failures: number): Promise<boolean> {
  if (failures < BUNDLE_ATTEMPTS_MAX) return false;
  await database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    await failBundle(transaction, incidentIdOf(job), 'generation_error');
  });
  return true;
}

/**
 * Builds the next generation of an incident's bundle: gathers, assembles, stores the object, then makes it count with
 * its ledger row in one transaction. Content equal to the stored one makes no new generation (incidents.md 3.9).
 */
async function buildBundle(job: Job, options: BundleLaneOptions): Promise<void> {
  const incidentId = incidentIdOf(job);
  if (!triggersOf(job).some((trigger) => BYPASS_TRIGGERS.includes(trigger))) {
    const waitMs = await refreshWaitMs(options.database, incidentId);
    if (waitMs > 0) {
      await postponeJob(options.database, job, waitMs);
      return;
    }
  }
  const stored = await findBundle(options.database, incidentId);
  const triggers = triggersOf(job);
  const refusal = await foreseeRefusal(options.database, options.plans, stored, triggers);
  if (refusal !== null) {
    await options.database.transaction(async (transaction) => {
      await finishJobs(transaction, [job]);
      if (refusal.isUsedUp) await failBundle(transaction, incidentId, 'monthly_quota_exceeded');
    });
    return;
  }
  const generation = (stored?.generation ?? 0) + 1;
  const gathered = await gatherEvidence(incidentId, generation, options);
  if (gathered.kind !== 'gathered') {
    await finishWithout(job, incidentId, gathered, options);
    return;
  }
  const document = await documentOf(gathered, stored, options);
  const contentSha256 = bundleContentHash(document);
  // A document that the plan's cap removed is no longer there to be the same.
  const isUnchanged =
    stored !== null && stored.objectKey !== null && stored.contentSha256?.equals(contentSha256) === true;
  let object: { key: string; bytes: Buffer } | null = null;
  if (!isUnchanged) {
    object = {
      key: `${projectFolder('bundles', job.projectId)}/${incidentId}/${newUuid()}`,
      bytes: serializeBundle(document),
    };
    await options.objects.put(object.key, object.bytes);
  }
  await options.database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    if (object === null) {
      await touchBundle(transaction, incidentId);
      return;
    }
    const before = await lockBundle(transaction, incidentId);
    const permit = await permitGeneration(transaction, options.plans, before, triggers);
    if (before === null || permit.kind === 'refused') {
      const isUsedUp = permit.kind === 'refused' && permit.isUsedUp;
      if (isUsedUp) await failBundle(transaction, incidentId, 'monthly_quota_exceeded');
      await buryObject(transaction, object.key, job.projectId);
      return;
    }
    await store(transaction, job, { ...gathered, before }, document, {
      ...object,
      contentSha256,
      generation,
    });
    if (permit.kind === 'taken') {
      await addProjectUsage(transaction, job.projectId, BUNDLES_METER, 1);
      await rotateBundles(transaction, options.plans, permit.organizationId, incidentId);
    }
  });
}

/** What the evidence shows, with what only the stored document can show any more. */
async function documentOf(
  { evidence, lost }: Extract<Gathered, { kind: 'gathered' }>,
  stored: BundleRecord | null,
  { objects }: BundleLaneOptions,
): Promise<BundleDocument> {
  const document = assembleBundle(evidence);
  if (lost.eventIds.size === 0 || stored === null || stored.objectKey === null) return document;
  const before = await readStoredDocument(objects, stored.objectKey);
  return before === null ? document : keepLostContents(document, before, lost);
}

async function store(
  transaction: Queryable,
  job: Job,
  {
    evidence,
    incident,
    signalIds,
    before,
  }: Extract<Gathered, { kind: 'gathered' }> & { before: BundleRecord },
  document: BundleDocument,
  object: { key: string; bytes: Buffer; contentSha256: Buffer; generation: number },
): Promise<void> {
  const incidentId = incidentIdOf(job);
  const shown = Object.entries(document.context).flatMap(([name, block]) => (block === null ? [] : [name]));
  const after = {
    occurrenceCount: incident.occurrenceCount,
    // Blocks that were ever shown: one that comes and goes with the primary event is news the first time only.
    blocks: [...new Set([...before.blocks, ...shown])].sort(),
    isReproducible: document.reproduction.possible,
  };
  await storeGeneration(transaction, {
    incidentId,
    generation: object.generation,
    objectKey: object.key,
    sizeBytes: object.bytes.length,
    contentSha256: object.contentSha256,
    shownOffers: shownOffers(document),
    ...after,
  });
  const context = usedContext(chooseEvidence(evidence));
  await attachContextRows(
    transaction,
    incidentId,
    context.map((event) => ({ event, isSignal: signalIds.has(event.eventId) })),
  );
  const isFirst = before.generation === 0;
  if (isFirst || isNotableRefresh({ before, after, triggers: triggersOf(job) })) {
    const data = { generation: object.generation, verification: incident.isVerification };
    const kind = isFirst ? 'bundle.created' : 'bundle.updated';
    await insertLifecycleEvents(transaction, [{ projectId: job.projectId, incidentId, kind, data }]);
  }
}

async function finishWithout(
  job: Job,
  incidentId: string,
  gathered: Gathered,
  options: BundleLaneOptions,
): Promise<void> {
  await options.database.transaction(async (transaction) => {
    await finishJobs(transaction, [job]);
    if (gathered.kind === 'expired') await failBundle(transaction, incidentId, 'evidence_expired');
  });
}

function incidentIdOf(job: Job): string {
  if (job.key === null) throw new Error('a bundle job names no incident');
  return job.key;
}

const TRIGGERS: readonly BundleTrigger[] = [
  'created',
  'regressed',
  'severity',
  'deploy',
  'signal',
  'backlog',
  'context',
  'offer',
  'read',
];

function triggersOf(job: Job): BundleTrigger[] {
  return TRIGGERS.filter((trigger) => Object.hasOwn(job.payload, trigger));
}
