import type { GroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import type { Logger } from 'pino';
import { createMappedKeys, keepNeeded, type MapMemory } from '../../../maps/lookup/mapped-keys.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { errorFields } from '../../../platform/error-fields.ts';
import { finishJobs, type Job, releaseJobs } from '../../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../../platform/jobs/lane.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import type { PlanSettings } from '../../../workspace/billing/plan.ts';
import {
  findGroupingSettings,
  type GroupingSettings,
} from '../../../workspace/projects/grouping-settings.queries.ts';
import { type AppliedEvents, applyEvents } from './apply-events.ts';
import { type ClosedDays, createClosedDays } from './closed-days.ts';
import { decideByMappedKeys } from './decide-by-mapped-keys.ts';
import { countFate, recordLag } from './event-metrics.ts';
import { ensureEventPartition } from './evidence.queries.ts';
import { createMembersMemory, type MembersMemory } from './incident-members.ts';
import { type BatchJobPayload, readBatchJobPayload } from './incidents.jobs.ts';
import { createOutlineMemory } from './outlined-facts.ts';
import { markSplit, parkEvents } from './park-events.ts';
import {
  findProcessingProject,
  findYoungBatches,
  markBatches,
  markParts,
  type ProcessingProject,
} from './processing.queries.ts';
import {
  type BatchReading,
  type DecodedBatch,
  type ReadEvent,
  type ReadProgress,
  readBatches,
  readEvents,
  readMappedEvents,
} from './read-batches.ts';
import { createReportKeyMemory, type ReportKeyMemory } from './report-key-memory.ts';

interface ProcessingOptions {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  groupingKey: GroupingKeyMaker;
  /** Absent where nothing is mapped. */
  maps?: MapMemory | null;
  progress: ReadProgress;
  log: Logger;
  /** The memory of ids; absent, one of the usual size. */
  closedDays?: ClosedDays;
}

/** Events that one transaction is meant to take: enough to share its statements, few enough to keep it short. */
const EVENTS_PER_TRANSACTION = 1500;
/** Batches that one transaction may take, of whatever size. */
const BATCHES_PER_TRANSACTION = 64;
/** The time within which a store that can answer late has answered. */
const LATE_MAX_SECONDS = 120;
const LATE_WAIT_MS = 5000;
/** Users and requests of a thousand incidents that have many. */
const MEMBERS_BYTES_MAX = 16 * 1024 * 1024;
/** About 6 MB. */
const REPORT_KEYS_MAX = 20_000;
/** Distinct outlines of events; less than a kilobyte each. */
const OUTLINES_MAX = 20_000;
/** About two million ids a day. */
const CLOSED_DAYS_BYTES_MAX = 48 * 1024 * 1024;
/** Days of projects with fewer are not worth the reading. */
const CLOSED_DAYS_IDS_MIN = 5000;
/** Wait for an object that is there and cannot be read, in times of the attempts so far, and at most. */
const UNREADABLE_WAIT_MS = 1000;
const UNREADABLE_WAIT_MAX_MS = 10_000;

/** The lane that turns stored batches into incidents. */
export function eventsLane(options: ProcessingOptions): LaneWork {
  const knownPartitions = new Set<string>();
  const members = createMembersMemory(MEMBERS_BYTES_MAX);
  const reportKeys = createReportKeyMemory(REPORT_KEYS_MAX);
  const outlines = createOutlineMemory(OUTLINES_MAX);
  const closedDays =
    options.closedDays ?? createClosedDays({ bytesMax: CLOSED_DAYS_BYTES_MAX, idsMin: CLOSED_DAYS_IDS_MIN });
  let claimMax = 4;

  async function prepare(claimed: Job[]): Promise<() => Promise<void>> {
    const [grouping, readings] = await Promise.all([
      findGroupingSettings(options.database, claimed[0]?.fairnessKey ?? ''),
      readBatches(options.objects, distinctPayloads(claimed)),
    ]);
    const { jobs, decoded, lost } = await sortOut(claimed, readings, options);
    if (jobs.length === 0) return async () => {};
    const { groupingKey, progress } = options;
    const memory = grouping.mapsVersion === 0 ? null : (options.maps ?? null);
    const events =
      memory === null
        ? readEvents(
            decoded,
            {
              keyOf: (event: NormalizedEvent) => groupingKey(event, grouping.stackRules),
              rules: grouping.stackRules,
              outlines,
            },
            progress,
          )
        : await readMappedEvents(
            decoded,
            createMappedKeys({ ...options, memory }, claimed[0]?.fairnessKey ?? '', grouping, groupingKey),
            progress,
            (read) => decideByMappedKeys(options.database, claimed[0]?.fairnessKey ?? '', read),
          );
    if (memory !== null) {
      const { database } = options;
      const mapped = events.map(({ fingerprint }) =>
        fingerprint?.kind === 'availability' ? null : fingerprint,
      );
      await keepNeeded({ database, memory }, claimed[0]?.fairnessKey ?? '', mapped);
    }
    await ensurePartitions(options.database, events, knownPartitions);
    await readClosedDays(closedDays, claimed[0]?.fairnessKey ?? '', options);
    // The number of events in a batch depends on how fast they arrive, so the next batches will hold about as many.
    const batchesWanted = Math.floor((EVENTS_PER_TRANSACTION * jobs.length) / Math.max(1, events.length));
    claimMax = Math.max(1, Math.min(batchesWanted, claimMax * 2, BATCHES_PER_TRANSACTION));
    return async () => {
      try {
        await processEvents(
          jobs,
          { decoded, lost, events },
          { grouping, members, reportKeys, closedDays },
          options,
        );
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

/**
 * A job that was delivered twice into one claim is read once: the marker distinguishes transactions, not its copies.
 */
function distinctPayloads(jobs: readonly Job[]): BatchJobPayload[] {
  const payloads = jobs.map((job) => readBatchJobPayload(job.payload));
  return [...new Map(payloads.map((each) => [partKey(each), each])).values()];
}

function partKey({ batchId, position }: Pick<BatchJobPayload, 'batchId' | 'position'>): string {
  return `${batchId} ${position}`;
}

/** Events of a batch that are lost permanently. */
interface LostEvents {
  batch: BatchJobPayload;
  reason: string;
}

/**
 * Returns the jobs whose objects may be readable later to the queue, and sorts the others. Neither counts as a failure:
 * the events are not to blame, and one object that cannot be read delays no other.
 */
async function sortOut(
  claimed: readonly Job[],
  readings: readonly BatchReading[],
  { database, objects, log }: ProcessingOptions,
): Promise<{ jobs: Job[]; decoded: DecodedBatch[]; lost: LostEvents[] }> {
  const decoded: DecodedBatch[] = [];
  const lost: LostEvents[] = [];
  const waiting = new Map<string, { error: string; waitMs: (job: Job) => number }>();
  const faulty = readings.flatMap((each) => (faultOf(each) === null ? [] : [batchOf(each)]));
  const late = objects.mayAnswerLate
    ? await findYoungBatches(database, faulty, LATE_MAX_SECONDS)
    : new Set<string>();
  for (const reading of readings) {
    const fault = faultOf(reading);
    const batch = batchOf(reading);
    // An object that is missing or damaged on the way from such a store may be complete a moment later.
    if (fault !== null && late.has(batch.batchId)) {
      waiting.set(partKey(batch), { error: fault, waitMs: () => LATE_WAIT_MS });
    } else if (reading.kind === 'decoded') decoded.push(reading.decoded);
    else if (reading.kind === 'unreadable') {
      const { error } = reading;
      waiting.set(partKey(batch), {
        error: `object ${batch.objectKey}: ${error.message}`,
        waitMs: ({ attempt }) => Math.min(UNREADABLE_WAIT_MS * attempt, UNREADABLE_WAIT_MAX_MS),
      });
    } else lost.push(reading);
  }
  const unreadable = readings.filter((each) => each.kind === 'unreadable');
  const [first] = unreadable;
  if (first !== undefined) {
    const fields = {
      batches: unreadable.length,
      objectKey: first.batch.objectKey,
      ...errorFields(first.error),
    };
    log.warn(fields, 'objects of events cannot be read');
  }
  const jobs: Job[] = [];
  for (const job of claimed) {
    const wait = waiting.get(partKey(readBatchJobPayload(job.payload)));
    if (wait === undefined) jobs.push(job);
    else {
      const { error, waitMs } = wait;
      await releaseJobs(database, [job], { isCounted: false, waitMs: () => waitMs(job), error });
    }
  }
  return { jobs, decoded, lost };
}

function batchOf(reading: BatchReading): BatchJobPayload {
  return reading.kind === 'decoded' ? reading.decoded.batch : reading.batch;
}

/** Returns the missing or damaged part of an object that the store returned; null if there is none. */
function faultOf(reading: BatchReading): string | null {
  if (reading.kind === 'lost') return reading.reason;
  return reading.kind === 'decoded' ? reading.decoded.damage : null;
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

/** Without the days, a claim looks for its ids in all rows. */
async function readClosedDays(
  closedDays: ClosedDays,
  projectId: string,
  { database, log }: Pick<ProcessingOptions, 'database' | 'log'>,
): Promise<void> {
  try {
    await closedDays.advance(database, projectId);
  } catch (error) {
    log.warn(errorFields(error), 'ids of days that are over cannot be read');
  }
}

/** One transaction for all jobs. Those that failed before come alone (`claimJobs`). */
async function processEvents(
  jobs: Job[],
  read: {
    decoded: readonly DecodedBatch[];
    lost: readonly LostEvents[];
    /** The events of the decoded batches. */
    events: readonly ReadEvent[];
  },
  known: {
    grouping: GroupingSettings;
    members: MembersMemory;
    reportKeys: ReportKeyMemory;
    closedDays: ClosedDays;
  },
  options: ProcessingOptions,
): Promise<void> {
  const projectId = jobs[0]?.fairnessKey ?? '';
  const attempts = (jobs[0]?.failures ?? 0) + 1;
  const { counted, parked } = await options.database.transaction(async (transaction) => {
    // A read as the first statement travels with the begin of the transaction.
    const project = await findProcessingProject(transaction, projectId);
    const wasMarkedByUs = await mark(transaction, read.decoded);
    const unmarked = read.events.filter(wasMarkedByUs);
    const lettersOf = project === null ? [] : await park(transaction, read, attempts);
    if (project === null || unmarked.length === 0) {
      await finishJobs(transaction, jobs);
      return { counted: null, parked: lettersOf };
    }
    const applied = await applyEvents(transaction, project, unmarked, {
      plans: options.plans,
      ...known,
    });
    await finishJobs(transaction, jobs);
    return { counted: { project, unmarked, applied }, parked: lettersOf };
  });
  if (counted !== null) {
    known.reportKeys.note(counted.applied.reportKeys, counted.project.nowMs);
    measure(counted);
  }
  for (const { events, reason, batch } of parked) {
    countFate('dead_letter', events);
    options.log.error({ projectId, batchId: batch.batchId, events, reason }, 'events are lost: dead letters');
  }
}

/** Parks what is lost of batches, whole ones and single events. */
async function park(
  transaction: Transaction,
  { decoded, lost }: { decoded: readonly DecodedBatch[]; lost: readonly LostEvents[] },
  attempts: number,
): Promise<(LostEvents & { events: number })[]> {
  const parked: (LostEvents & { events: number })[] = [];
  const partly = decoded.flatMap(({ batch, damage, records }) =>
    damage === null || records.some(({ position }) => position === batch.position)
      ? []
      : [{ batch, reason: damage, isMarked: true }],
  );
  for (const { batch, reason, isMarked } of [
    ...partly,
    ...lost.map((each) => ({ ...each, isMarked: false })),
  ]) {
    const { batchId, position } = batch;
    if (position === null && !isMarked && (await markSplit(transaction, batchId)) === null) continue;
    const positions = position === null ? null : [position];
    const events = await parkEvents(transaction, batchId, positions, { reason, failures: attempts });
    if (events > 0) parked.push({ batch, reason, events });
  }
  return parked;
}

/** Counts what was committed just now. Batches that waited equally long are one observation. */
function measure(counted: {
  project: ProcessingProject;
  unmarked: readonly ReadEvent[];
  applied: AppliedEvents;
}): void {
  const { fates } = counted.applied;
  const { nowMs, readAtMs } = counted.project;
  for (const { fate, events: count } of fates) countFate(fate, count);
  const committedAtMs = nowMs + performance.now() - readAtMs;
  const sent = counted.unmarked.filter((each) => each.tokenId !== null);
  for (const receivedAtMs of new Set(sent.map((each) => each.event.receivedAtMs))) {
    recordLag(receivedAtMs, committedAtMs);
  }
}

/**
 * Sets the markers that make processing count once; returns the events that were not marked before. A batch with lost
 * events is split, so that the others have separate markers.
 */
async function mark(
  transaction: Transaction,
  decoded: readonly DecodedBatch[],
): Promise<(event: ReadEvent) => boolean> {
  const whole = decoded.filter(({ batch, damage }) => batch.position === null && damage === null);
  const marked = await markBatches(
    transaction,
    whole.map(({ batch }) => batch.batchId),
  );
  const parts = new Set<string>();
  for (const { batch, damage, records } of decoded) {
    const { batchId, position } = batch;
    let positions: number[] = [];
    if (position !== null) positions = records.some((each) => each.position === position) ? [position] : [];
    else if (damage !== null && (await markSplit(transaction, batchId)) !== null) {
      positions = records.map((each) => each.position);
    }
    for (const each of await markParts(transaction, batchId, positions)) {
      parts.add(partKey({ batchId, position: each }));
    }
  }
  return ({ batchId, record: { position } }) =>
    marked.has(batchId) || parts.has(partKey({ batchId, position }));
}
