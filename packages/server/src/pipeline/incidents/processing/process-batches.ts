import type { GroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { finishJobs, type Job } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import type { PlanSettings } from '../../../workspace/billing/plan.ts';
import {
  findGroupingSettings,
  type GroupingSettings,
} from '../../../workspace/projects/grouping-settings.queries.ts';
import type { CountedFate } from './account-events.ts';
import { applyEvents } from './apply-events.ts';
import { countFate, recordLag } from './event-metrics.ts';
import { ensureEventPartition } from './evidence.queries.ts';
import { type BatchJobPayload, readBatchJobPayload } from './incidents.jobs.ts';
import {
  findProcessingProject,
  markBatches,
  markPart,
  type ProcessingProject,
} from './processing.queries.ts';
import { decodeBatches, type ReadEvent, type ReadProgress, readEvents } from './read-batches.ts';

export interface ProcessingOptions {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  groupingKey: GroupingKeyMaker;
  progress: ReadProgress;
  /** 4 while bundle work is overdue, else 1 (docs/contract/incidents.md 3.9). */
  refreshIntervalFactor: () => number;
}

/** Events that one transaction is meant to take: enough to share its statements, few enough to keep it short. */
const EVENTS_PER_TRANSACTION = 1500;
/** Batches that one transaction may take, of whatever size. */
const BATCHES_PER_TRANSACTION = 64;

/** The lane that turns stored batches into incidents. */
export function eventsLane(options: ProcessingOptions): LaneWork {
  const knownPartitions = new Set<string>();
  let claimMax = 4;

  async function prepare(jobs: Job[]): Promise<() => Promise<void>> {
    const payloads = distinctPayloads(jobs);
    const [grouping, decoded] = await Promise.all([
      findGroupingSettings(options.database, jobs[0]?.fairnessKey ?? ''),
      decodeBatches(options.objects, payloads),
    ]);
    const keyOf = (event: NormalizedEvent) => options.groupingKey(event, grouping.stackRules);
    const events = readEvents(decoded, keyOf, options.progress);
    await ensurePartitions(options.database, events, knownPartitions);
    // How many events a batch holds depends on how fast they come, so the next batches will hold about as many.
    const batchesWanted = Math.floor((EVENTS_PER_TRANSACTION * jobs.length) / Math.max(1, events.length));
    claimMax = Math.max(1, Math.min(batchesWanted, claimMax * 2, BATCHES_PER_TRANSACTION));
    return async () => {
      try {
        await processEvents(jobs, payloads, events, grouping, options);
      } catch (error) {
        // The day of very late events may have been removed since it was made.
        knownPartitions.clear();
        throw error;
      }
    };
  }

  return {
    get claimMax() {
      return claimMax;
    },
    prepare,
    run: async (jobs) => await (await prepare(jobs))(),
  };
}

/** A job that was delivered twice into one claim is read once: the marker tells transactions apart, not its copies. */
function distinctPayloads(jobs: readonly Job[]): BatchJobPayload[] {
  const payloads = jobs.map((job) => readBatchJobPayload(job.payload));
  return [...new Map(payloads.map((each) => [`${each.batchId} ${each.position}`, each])).values()];
}

/** The day partitions of the events, before the transaction that fills them. */
async function ensurePartitions(
  database: Database,
  events: readonly ReadEvent[],
  known: Set<string>,
): Promise<void> {
  for (const receivedAtMs of new Set(events.map((each) => each.event.receivedAtMs))) {
    const day = new Date(receivedAtMs).toISOString().slice(0, 10);
    if (known.has(day)) continue;
    await ensureEventPartition(database, receivedAtMs);
    known.add(day);
  }
}

/** One transaction for all jobs. Those that failed before come alone (`claimJobs`). */
async function processEvents(
  jobs: Job[],
  payloads: readonly BatchJobPayload[],
  events: readonly ReadEvent[],
  grouping: GroupingSettings,
  options: ProcessingOptions,
): Promise<void> {
  const projectId = jobs[0]?.fairnessKey ?? '';
  const counted = await options.database.transaction(async (transaction) => {
    // A read as the first statement travels with the begin of the transaction.
    const project = await findProcessingProject(transaction, projectId);
    const wasMarkedByUs = await mark(transaction, payloads);
    const unmarked = events.filter(wasMarkedByUs);
    if (project === null || unmarked.length === 0) {
      await finishJobs(transaction, jobs);
      return null;
    }
    const fates = await applyEvents(transaction, project, unmarked, {
      plans: options.plans,
      intervalFactor: options.refreshIntervalFactor(),
      grouping,
    });
    await finishJobs(transaction, jobs);
    return { project, unmarked, fates };
  });
  if (counted !== null) measure(counted);
}

/** Counts what was committed just now. Batches that waited equally long are one observation. */
function measure(counted: {
  project: ProcessingProject;
  unmarked: readonly ReadEvent[];
  fates: readonly CountedFate[];
}): void {
  const { fates } = counted;
  const { nowMs, readAtMs } = counted.project;
  for (const { fate, events: count } of fates) countFate(fate, count);
  const committedAtMs = nowMs + performance.now() - readAtMs;
  const sent = counted.unmarked.filter((each) => each.tokenId !== null);
  for (const receivedAtMs of new Set(sent.map((each) => each.event.receivedAtMs))) {
    recordLag(receivedAtMs, committedAtMs);
  }
}

/** Sets the markers that make processing count once; tells whose events were not marked before. */
async function mark(
  transaction: Transaction,
  payloads: readonly BatchJobPayload[],
): Promise<(event: ReadEvent) => boolean> {
  const whole = payloads.filter((payload) => payload.position === null).map((payload) => payload.batchId);
  const marked = await markBatches(transaction, whole);
  const parts = new Set<string>();
  for (const { batchId, position } of payloads) {
    if (position !== null && (await markPart(transaction, batchId, position)))
      parts.add(`${batchId} ${position}`);
  }
  return (event) => marked.has(event.batchId) || parts.has(`${event.batchId} ${event.record.position}`);
}
