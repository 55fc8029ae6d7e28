import { assembleBundle } from '@culprit/evidence/bundles/document/assemble-bundle';
import { writeBundle } from '@culprit/evidence/bundles/document/bundle-bytes';
import type { BundleDocument } from '@culprit/evidence/bundles/document/bundle-document';
import { clientGroupingOf } from '@culprit/evidence/bundles/document/client-grouping';
import { topFrameOf } from '@culprit/evidence/bundles/document/top-frame';
import { chooseEvidence } from '@culprit/evidence/bundles/evidence/choose-evidence';
import { shownOffers } from '@culprit/evidence/bundles/evidence/offers';
import { usedContext } from '@culprit/evidence/bundles/evidence/used-context';
import type { Logger } from 'pino';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { finishJobs, type Job, postponeJob } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import { ObjectStoreUnavailableError } from '../../../platform/objects/object-store.ts';
import { BUNDLES_METER } from '../../../workspace/billing/meters.ts';
import type { PlanSettings } from '../../../workspace/billing/plan.ts';
import { addProjectUsage } from '../../../workspace/projects/project-usage.queries.ts';
import { insertLifecycleEvents, type LifecycleEvent } from '../../ledger/lifecycle.queries.ts';
import { attachContextRows } from '../../ledger/timeline.queries.ts';
import { newBundleKey } from '../document/bundle-keys.ts';
import {
  type BundleRecord,
  failBundle,
  findBundles,
  lockBundles,
  type StoredGeneration,
  storeGenerations,
  touchBundles,
} from '../document/bundles.queries.ts';
import { markObjectForDeletion } from '../document/stored-bundles.queries.ts';
import { storeDocument } from '../document/stored-document.ts';
import { findBundleIncidents, findSampleLocations } from '../evidence/bundle-evidence.queries.ts';
import {
  type BundleTarget,
  type Gathered,
  type GatherOptions,
  gatherEvidence,
} from '../evidence/gather-evidence.ts';
import { keepLostContents, readStoredDocument } from '../evidence/keep-lost-contents.ts';
import { keepMappedFrames, mayHaveLostFrames } from '../evidence/keep-mapped-frames.ts';
import { consumeQuota, precheckQuota, rotateBundles } from './bundle-allowance.ts';
import { type BundleTrigger, BYPASS_TRIGGERS } from './bundles.jobs.ts';
import { incidentIdOf } from './give-up-bundle.ts';
import { isNotableRefresh } from './notable-refresh.ts';
import { refreshWaitsMs } from './request-bundles.ts';

interface BundleLaneOptions extends GatherOptions {
  plans: PlanSettings;
  log: Logger;
}

/** Jobs of one claim, which share their statements and their transaction. */
const JOBS_MAX = 16;
/** The limit of occurrences in memory: those of many incidents that were seen once, or of few that were seen often. */
const SAMPLES_MAX = 16;

/** Builds and refreshes bundles: those of a few incidents of one project together. */
export function bundlesLane(options: BundleLaneOptions): LaneWork {
  return {
    // If a plan limits them, each takes its share of the allowance and of the storage for itself.
    claimMax: options.plans.isEnforced ? 1 : JOBS_MAX,
    run: (jobs) => buildBundles(jobs, options),
  };
}

/**
 * Builds the next generation of the bundles that jobs are about: gathers, assembles, stores the objects, then makes them
 * count with their ledger rows in one transaction. Content equal to the stored one makes no new generation
 * (docs/contract/incidents.md 3.9). What fails for one incident fails its job alone.
 */
async function buildBundles(claimed: readonly Job[], options: BundleLaneOptions): Promise<void> {
  const { database } = options;
  const bundles = await findBundles(database, claimed.map(incidentIdOf));
  const jobs = await postponeEarly(claimed, bundles, database);
  if (jobs.length === 0) return;
  const refused: Ended[] = [];
  const wanted: Job[] = [];
  for (const job of jobs) {
    const bundle = bundles.get(incidentIdOf(job)) ?? null;
    const refusal = await precheckQuota(database, options.plans, {
      incidentId: incidentIdOf(job),
      bundle,
      triggers: triggersOf(job),
    });
    if (refusal === null) wanted.push(job);
    else refused.push({ job, failure: refusal.isUsedUp ? 'monthly_quota_exceeded' : null });
  }
  const incidents = await findBundleIncidents(database, wanted.map(incidentIdOf));
  const samples = await findSampleLocations(database, wanted.map(incidentIdOf));
  const works: BundleWork[] = [];
  for (const job of wanted) {
    const incidentId = incidentIdOf(job);
    const incident = incidents.get(incidentId);
    const stored = bundles.get(incidentId) ?? null;
    if (incident === undefined) refused.push({ job, failure: null });
    else {
      const generationNumber = (stored?.generation ?? 0) + 1;
      const own = samples.get(incidentId) ?? { kept: [], lost: [] };
      works.push({ job, stored, target: { incidentId, incident, samples: own, generationNumber } });
    }
  }
  if (refused.length > 0) await finish({ ended: refused, unchanged: [], built: [] }, options);
  const failures: unknown[] = [];
  for (const chunk of chunksOf(works)) {
    const outcome = await buildChunk(chunk, options);
    await finish(outcome, options);
    failures.push(...outcome.failures);
  }
  if (failures.length === 0) return;
  // The jobs that succeeded are no longer held. An unreachable store counts as a failure of no job.
  throw failures.find((error) => error instanceof ObjectStoreUnavailableError) ?? failures[0];
}

/** Gives back the refreshes that came before their time; returns the others. */
async function postponeEarly(
  jobs: readonly Job[],
  bundles: ReadonlyMap<string, BundleRecord>,
  database: Database,
): Promise<Job[]> {
  const mayBeEarly = jobs.filter(
    (job) =>
      (bundles.get(incidentIdOf(job))?.objectKey ?? null) !== null &&
      !triggersOf(job).some((trigger) => BYPASS_TRIGGERS.includes(trigger)),
  );
  const waits = await refreshWaitsMs(database, mayBeEarly.map(incidentIdOf));
  const due: Job[] = [];
  for (const job of jobs) {
    const waitMs = waits.get(incidentIdOf(job));
    if (waitMs === undefined) due.push(job);
    else await postponeJob(database, job, waitMs);
  }
  return due;
}

/** A job with what its bundle is made of. */
interface BundleWork {
  job: Job;
  stored: BundleRecord | null;
  target: BundleTarget;
}

function chunksOf(works: readonly BundleWork[]): BundleWork[][] {
  const chunks: BundleWork[][] = [];
  let samples = SAMPLES_MAX;
  for (const work of works) {
    samples += work.target.samples.kept.length;
    const chunk = chunks.at(-1);
    if (chunk !== undefined && samples <= SAMPLES_MAX) chunk.push(work);
    else {
      chunks.push([work]);
      samples = work.target.samples.kept.length;
    }
  }
  return chunks;
}

/** A job that ends without a document. */
interface Ended {
  job: Job;
  /** The reason why there is none; null if it is no longer requested. */
  failure: 'monthly_quota_exceeded' | 'evidence_expired' | null;
}

/**
 * The block whose appearance is no news: the deploy that introduces a release is reported separately
 * (docs/contract/incidents.md 3.9).
 */
const QUIET_BLOCK = 'releases';

/** A document whose object is stored. */
interface Built {
  job: Job;
  object: { key: string; sizeBytes: number; contentSha256: Buffer };
  generation: number;
  isVerification: boolean;
  isSample: boolean;
  /** Blocks that it shows. */
  shown: string[];
  after: Pick<
    StoredGeneration,
    'occurrenceCount' | 'isReproducible' | 'shownOffers' | 'topFrame' | 'clientGrouping' | 'symbolication'
  >;
  context: Parameters<typeof attachContextRows>[1];
}

interface Outcome {
  ended: Ended[];
  /** Their documents are as they were. */
  unchanged: Job[];
  built: Built[];
}

async function buildChunk(
  works: readonly BundleWork[],
  options: BundleLaneOptions,
): Promise<Outcome & { failures: unknown[] }> {
  const outcome: Outcome & { failures: unknown[] } = { ended: [], unchanged: [], built: [], failures: [] };
  const gather = await gatherEvidence(
    works.map(({ target }) => target),
    options,
  );
  const puts: Promise<Built[]>[] = [];
  for (const { job, stored, target } of works) {
    try {
      const gathered = await gather(target);
      if (gathered.kind === 'expired') {
        outcome.ended.push({ job, failure: 'evidence_expired' });
        continue;
      }
      const document = await documentOf(gathered, stored, options);
      const { bytes, contentSha256 } = writeBundle(document);
      // A document that the plan's cap removed is no longer there to be the same.
      if (
        stored !== null &&
        stored.objectKey !== null &&
        stored.contentSha256?.equals(contentSha256) === true
      ) {
        outcome.unchanged.push(job);
        continue;
      }
      const key = newBundleKey(job.fairnessKey, target.incidentId);
      const built = builtOf(
        { job, target, gathered, document },
        { key, sizeBytes: bytes.length, contentSha256 },
      );
      puts.push(
        storeDocument(options.objects, key, bytes).then(
          () => [built],
          (error: unknown) => {
            outcome.failures.push(error);
            return [];
          },
        ),
      );
    } catch (error) {
      outcome.failures.push(error);
    }
  }
  return { ...outcome, built: (await Promise.all(puts)).flat() };
}

/** Returns the document of the evidence, with the parts that only the stored document still has. */
async function documentOf(
  { evidence, lost }: Extract<Gathered, { kind: 'gathered' }>,
  stored: BundleRecord | null,
  { objects }: BundleLaneOptions,
): Promise<BundleDocument> {
  const document = await withKeptFrames(assembleBundle(evidence), stored, objects);
  if (lost.eventIds.size === 0 || stored === null || stored.objectKey === null) return document;
  const before = await readStoredDocument(objects, stored.objectKey, stored.sizeBytes);
  return before === null ? document : keepLostContents(document, before, lost);
}

/** Frames that a source map mapped stay when the map is gone. */
async function withKeptFrames(
  document: BundleDocument,
  stored: BundleRecord | null,
  objects: BundleLaneOptions['objects'],
): Promise<BundleDocument> {
  if (stored === null || stored.objectKey === null || !mayHaveLostFrames(document)) return document;
  const before = await readStoredDocument(objects, stored.objectKey, stored.sizeBytes);
  return before === null ? document : keepMappedFrames(document, before);
}

function builtOf(
  made: {
    job: Job;
    target: BundleTarget;
    gathered: Extract<Gathered, { kind: 'gathered' }>;
    document: BundleDocument;
  },
  object: Built['object'],
): Built {
  const { job, target, gathered, document } = made;
  const { incidentId, incident } = target;
  return {
    job,
    object,
    generation: target.generationNumber,
    isVerification: incident.isVerification,
    isSample: incident.isSample,
    shown: Object.entries(document.context).flatMap(([name, block]) =>
      block === null || name === QUIET_BLOCK ? [] : [name],
    ),
    after: {
      occurrenceCount: incident.occurrenceCount,
      isReproducible: document.reproduction.possible,
      shownOffers: shownOffers(document),
      topFrame: topFrameOf(document),
      clientGrouping: clientGroupingOf(document),
      symbolication: document.context.symbolication?.state ?? null,
    },
    context: usedContext(chooseEvidence(gathered.evidence)).map((event) => ({
      incidentId,
      event,
      isSignal: gathered.signalIds.has(event.eventId),
    })),
  };
}

/** Ends jobs with everything that follows from what became of them, in one transaction. */
async function finish({ ended, unchanged, built }: Outcome, options: BundleLaneOptions): Promise<void> {
  const jobs = [...ended.map(({ job }) => job), ...unchanged, ...built.map(({ job }) => job)];
  if (jobs.length === 0) return;
  await options.database.transaction(async (transaction) => {
    // Jobs are locked before bundles, as where refreshes are asked for.
    const [, before] = await Promise.all([
      finishJobs(transaction, jobs),
      lockBundles(
        transaction,
        built.map(({ job }) => incidentIdOf(job)),
      ),
    ]);
    for (const { job, failure } of ended) {
      if (failure !== null) failBundle(transaction, incidentIdOf(job), failure);
    }
    // A stored document whose evidence is gone stays. Readers cause another attempt only after the interval.
    touchBundles(transaction, [...unchanged, ...ended.map(({ job }) => job)].map(incidentIdOf));
    if (built.length > 0) await store(transaction, built, before, options);
  });
}

/**
 * Makes stored objects the current generations of their bundles, as far as the plan permits.
 * @param before the locked bundles
 */
async function store(
  transaction: Transaction,
  built: readonly Built[],
  before: ReadonlyMap<string, BundleRecord>,
  { plans }: BundleLaneOptions,
): Promise<void> {
  const permits = await consumeQuota(
    transaction,
    plans,
    built.map(({ job, isSample }) => ({
      bundle: before.get(incidentIdOf(job)) ?? null,
      triggers: triggersOf(job),
      isSample,
    })),
  );
  const generations: StoredGeneration[] = [];
  const context: Built['context'][number][] = [];
  const lifecycle: LifecycleEvent[] = [];
  const taken: { projectId: string; organizationId: string; incidentId: string }[] = [];
  for (const [index, { job, object, generation, isVerification, shown, after, ...rest }] of built.entries()) {
    const incidentId = incidentIdOf(job);
    const projectId = job.fairnessKey;
    const earlier = before.get(incidentId);
    const permit = permits[index];
    if (earlier === undefined || permit === undefined || permit.kind === 'refused') {
      const isUsedUp = permit?.kind === 'refused' && permit.isUsedUp;
      if (isUsedUp) failBundle(transaction, incidentId, 'monthly_quota_exceeded');
      markObjectForDeletion(transaction, object.key, projectId);
      continue;
    }
    // Blocks that were ever shown: one that comes and goes with the primary event is news the first time only.
    const blocks = [...new Set([...earlier.blocks, ...shown])].sort();
    const { key: objectKey, ...size } = object;
    generations.push({ incidentId, generation, objectKey, ...size, ...after, blocks });
    context.push(...rest.context);
    const isFirst = earlier.generation === 0;
    const facts = { before: earlier, after: { ...after, blocks }, triggers: triggersOf(job) };
    if (isFirst || isNotableRefresh(facts)) {
      const kind = isFirst ? 'bundle.created' : 'bundle.updated';
      lifecycle.push({ projectId, incidentId, kind, data: { generation, verification: isVerification } });
    }
    if (permit.kind === 'taken') taken.push({ projectId, organizationId: permit.organizationId, incidentId });
  }
  storeGenerations(transaction, generations);
  attachContextRows(transaction, context);
  insertLifecycleEvents(transaction, lifecycle);
  const [first] = taken;
  if (first === undefined) return;
  addProjectUsage(transaction, first.projectId, BUNDLES_METER, taken.length);
  for (const { organizationId, incidentId } of taken) {
    await rotateBundles(transaction, plans, organizationId, incidentId);
  }
}

const TRIGGERS: readonly BundleTrigger[] = [
  'created',
  'regressed',
  'severity',
  'deploy',
  'signal',
  'backlog',
  'release',
  'grouping',
  'context',
  'offer',
  'read',
];

function triggersOf(job: Job): BundleTrigger[] {
  return TRIGGERS.filter((trigger) => Object.hasOwn(job.payload, trigger));
}
