import { requestUnreadBundles } from '../../pipeline/bundles/queue/request-unread-bundles.ts';
import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job, postponeJob } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { Table } from '../../table.ts';
import type { PlanSettings } from '../../workspace/billing/plan.ts';
import { planInForce } from '../../workspace/billing/plan-in-force.ts';
import { longestIncidentDays, retentionWindows } from '../../workspace/billing/retention-windows.ts';
import { deleteExpiredIncidentRows, deleteExpiredIncidents } from './delete-expired-incidents.ts';
import { deleteMarkedObjects, deleteRawObjects } from './delete-expired-objects.ts';
import { mergeRawObjects } from './merge-raw-objects.ts';
import { deleteEventRows, deleteRowsPastWindow } from './old-rows.queries.ts';
import {
  findRetentionTarget,
  lockSharedProject,
  type RetentionTarget,
  recordCleaned,
} from './retention.queries.ts';

export interface RetentionOptions {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  /** Every table of the schema. */
  tables: readonly Table[];
  /** Aborted when the process stops: work that takes long is handed back between two steps. */
  stopping: AbortSignal;
}

/** From when on a project keeps its data, in milliseconds since the epoch. */
interface KeptFrom {
  rawMs: number;
  /** Incidents and everything that goes by their window. */
  incidentsMs: number;
  /** Receipt of the event rows to be removed; null where they go by whole days (`maintenance-tasks.ts`). */
  events: { receivedFromMs: number | null; receivedBeforeMs: number } | null;
}

/** One step takes far less than a second, so that a stop is not kept waiting. */
const ROWS_PER_STEP = 5000;
const DAY_MS = 86_400_000;

/** Removes what live projects keep too long, one project at a time. */
export function retentionLane(options: RetentionOptions): LaneWork {
  return {
    claimMax: 1,
    async run(jobs) {
      for (const job of jobs) await cleanProject(job, options);
    },
  };
}

/**
 * Removes what is past the windows of the plan that is in force now (docs/contract/incidents.md 8), in steps that may
 * each be repeated: an attempt that ended anywhere is followed by one that finds less to do.
 */
export async function cleanProject(job: Job, options: RetentionOptions): Promise<void> {
  const { database } = options;
  const { fairnessKey: projectId } = job;
  const project = await findRetentionTarget(database, projectId);
  if (project === null) {
    await database.transaction((transaction) => finishJobs(transaction, [job]));
    return;
  }
  const keptFrom = keptFromOf(project, options.plans);
  for await (const _step of steps(projectId, project, keptFrom, options)) {
    if (!options.stopping.aborted) continue;
    await postponeJob(database, job, 0);
    return;
  }
  await database.transaction(async (transaction) => {
    // One that is being deleted has lost this job, and what is left of it goes with the project.
    if (!(await lockSharedProject(transaction, projectId))) return;
    await recordCleaned(transaction, projectId, keptFrom.incidentsMs);
    await finishJobs(transaction, [job]);
  });
}

/**
 * Returns the bounds of retention. The clock of incidents stops at the moment up to which everything was counted: an
 * incident must not be deleted because the event that keeps it waits for its worker.
 */
function keptFromOf(project: RetentionTarget, plans: PlanSettings): KeptFrom {
  const { nowMs, countedUntilMs, eventsKeptFromMs } = project;
  const { rawDays, incidentDays } = retentionWindows(
    planInForce(project.planRecord, plans, nowMs).plan,
    plans,
  );
  const incidentsMs = countedUntilMs - incidentDays * DAY_MS;
  // Once a day all of them are looked at, for rows that were written late.
  const isLookedAtToday = eventsKeptFromMs !== null && dayOf(eventsKeptFromMs) === dayOf(incidentsMs);
  return {
    rawMs: nowMs - rawDays * DAY_MS,
    incidentsMs,
    events:
      incidentDays >= longestIncidentDays(plans)
        ? null
        : { receivedFromMs: isLookedAtToday ? eventsKeptFromMs : null, receivedBeforeMs: incidentsMs },
  };
}

async function* steps(
  projectId: string,
  project: RetentionTarget,
  { rawMs, incidentsMs, events }: KeptFrom,
  options: RetentionOptions,
): AsyncGenerator<void> {
  const { database } = options;
  // Before the events go of which they are made.
  yield* repeated((limit) => requestUnreadBundles(database, projectId, limit));
  yield* deleteMarkedObjects(projectId, options);
  yield* deleteRawObjects(projectId, { keptFromMs: rawMs, firstDay: project.rawKeptFrom }, options);
  yield* deleteExpiredIncidents(projectId, incidentsMs, database);
  yield* deleteExpiredIncidentRows(projectId, options);
  if (events !== null) yield* repeated((limit) => deleteEventRows(database, projectId, events, limit));
  for (const { retention } of options.tables) {
    if (typeof retention === 'string' || 'task' in retention) continue;
    const { window } = retention;
    if (window === undefined) continue;
    yield* repeated((limit) => deleteRowsPastWindow(database, window, projectId, incidentsMs, limit));
  }
  // Last, because on a full volume it cannot do anything.
  const { rawMergedUntilMs: fromMs, countedUntilMs } = project;
  yield* mergeRawObjects(projectId, { fromMs, countedUntilMs }, options);
}

/** Steps of removing some rows, until there are no more. */
async function* repeated(remove: (limit: number) => Promise<number>): AsyncGenerator<void> {
  let removed = ROWS_PER_STEP;
  while (removed === ROWS_PER_STEP) {
    removed = await remove(ROWS_PER_STEP);
    yield;
  }
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}
