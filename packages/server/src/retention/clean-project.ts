import type { PlanSettings } from '../billing/plan.ts';
import { planInForce } from '../billing/plan-in-force.ts';
import { longestIncidentDays, retentionWindows } from '../billing/retention-windows.ts';
import { removeOldImprovements } from '../improvements/forget-improvements.ts';
import type { Database } from '../platform/db/database.ts';
import type { Lane } from '../platform/jobs/job-loop.ts';
import { finishJobs, type Job, postponeJob } from '../platform/jobs/job-queue.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { mergeRawObjects } from './merge-raw-objects.ts';
import { removeDeployments, removeEventRows, removeFates, removeServices } from './old-rows.queries.ts';
import { clearEndedIncidents, endIncidents } from './remove-incidents.ts';
import { removeBuriedObjects, removeRawObjects } from './remove-objects.ts';
import { CLEAN_PROJECT, RETENTION_LANE } from './retention.jobs.ts';
import { type AgingProject, findAgingProject, holdProject, noteCleaned } from './retention.queries.ts';

export interface RetentionOptions {
  database: Database;
  objects: ObjectStore;
  plans: PlanSettings;
  /** Waits after failed attempts, in milliseconds. */
  ladder: readonly number[];
  pollIntervalMs: number;
  /** Aborted when the process stops: work that takes long is handed back between two steps. */
  stopping: AbortSignal;
}

/** From when on a project keeps its data, in milliseconds since the epoch. */
interface KeptFrom {
  rawMs: number;
  /** Incidents and everything that goes by their window. */
  incidentsMs: number;
  /** Receipt of the event rows to be removed; null where they go by whole days (`run-chores.ts`). */
  events: { receivedFromMs: number | null; receivedBeforeMs: number } | null;
}

/** One step takes far less than a second, so that a stop is not kept waiting. */
const ROWS_PER_STEP = 5000;
const DAY_MS = 86_400_000;

/** The lane that removes what live projects keep too long, one project at a time. */
export function retentionLane(options: RetentionOptions): Lane {
  return {
    name: RETENTION_LANE,
    kinds: [CLEAN_PROJECT],
    claimMax: 1,
    pollIntervalMs: options.pollIntervalMs,
    ladder: options.ladder,
    async run(jobs) {
      for (const job of jobs) await cleanProject(job, options);
    },
  };
}

/**
 * Removes what is past the windows of the plan that is in force now (incidents.md 8), in steps that may each be
 * repeated: an attempt that ended anywhere is followed by one that finds less to do.
 */
export async function cleanProject(job: Job, options: RetentionOptions): Promise<void> {
  const { database } = options;
  const { projectId } = job;
  const project = await findAgingProject(database, projectId);
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
    if (!(await holdProject(transaction, projectId))) return;
    await noteCleaned(transaction, projectId, keptFrom.incidentsMs);
    await finishJobs(transaction, [job]);
  });
}

/**
 * The clock of incidents stands still at the moment up to which everything was counted: an incident must not go because
 * the event that keeps it waits for its worker.
 */
function keptFromOf(project: AgingProject, plans: PlanSettings): KeptFrom {
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
  project: AgingProject,
  { rawMs, incidentsMs, events }: KeptFrom,
  options: RetentionOptions,
): AsyncGenerator<void> {
  const { database } = options;
  yield* removeBuriedObjects(projectId, options);
  yield* removeRawObjects(projectId, { keptFromMs: rawMs, firstDay: project.rawKeptFrom }, options);
  yield* endIncidents(projectId, incidentsMs, database);
  yield* clearEndedIncidents(projectId, options);
  yield* repeated((limit) => removeOldImprovements(database, projectId, incidentsMs, limit));
  if (events !== null) yield* repeated((limit) => removeEventRows(database, projectId, events, limit));
  yield* repeated((limit) => removeDeployments(database, projectId, incidentsMs, limit));
  yield* repeated((limit) => removeServices(database, projectId, incidentsMs, limit));
  yield* repeated((limit) => removeFates(database, projectId, incidentsMs, limit));
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
