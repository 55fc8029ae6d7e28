import type { Logger } from 'pino';
import type { Database } from '../platform/db/database.ts';
import type { Lane } from '../platform/jobs/job-loop.ts';
import { finishJobs, type Job, postponeJob } from '../platform/jobs/job-queue.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import { PROJECT_OBJECT_KINDS, projectFolder } from './project-objects.ts';
import { CLEANUP_LANE, PURGE_PROJECT } from './projects.jobs.ts';
import {
  countBlocks,
  findPurgeIncidents,
  findPurgeState,
  PURGED_TABLES,
  purgeBatchParts,
  purgeBlocks,
  purgeImprovementLedger,
  purgeIncidentRows,
  purgeProjectRow,
  purgeRateWindows,
  purgeRows,
  purgeRuleHits,
} from './purge.queries.ts';

export interface CleanupOptions {
  database: Database;
  objects: ObjectStore;
  log: Logger;
  /** Waits after failed attempts, in milliseconds. */
  ladder: readonly number[];
  pollIntervalMs: number;
  /** Aborted when the process stops: work that takes long is handed back between two steps. */
  stopping: AbortSignal;
}

/** One step takes far less than a second, so that a stop is not kept waiting. */
const OBJECTS_PER_STEP = 500;
const ROWS_PER_STEP = 5000;
const BLOCKS_PER_STEP = 256;
/** An incident can have a thousand rows of users. */
const INCIDENTS_PER_STEP = 50;

/** The lane that empties the storage of deleted projects, one at a time. */
export function cleanupLane(options: CleanupOptions): Lane {
  return {
    name: CLEANUP_LANE,
    kinds: [PURGE_PROJECT],
    claimMax: 1,
    pollIntervalMs: options.pollIntervalMs,
    ladder: options.ladder,
    async run(jobs) {
      for (const job of jobs) await purgeProject(job, options);
    },
  };
}

/**
 * Removes every object and every row of a deleted project, in steps that may each be repeated: an attempt that ended
 * anywhere is followed by one that finds less to do. The project's own row goes last, with the job.
 */
export async function purgeProject(job: Job, options: CleanupOptions): Promise<void> {
  const { database } = options;
  const projectId = job.projectId;
  const state = await findPurgeState(database, projectId);
  if (state === 'live') throw new Error('a live project is not emptied');
  if (state === 'deleted') {
    for await (const _step of steps(projectId, options)) {
      if (!options.stopping.aborted) continue;
      await postponeJob(database, job, 0);
      return;
    }
  }
  await database.transaction(async (transaction) => {
    await purgeProjectRow(transaction, projectId, job.jobId);
    await finishJobs(transaction, [job]);
  });
  options.log.info({ projectId }, 'storage of a deleted project emptied');
}

async function* steps(
  projectId: string,
  { database, objects }: Pick<CleanupOptions, 'database' | 'objects'>,
): AsyncGenerator<void> {
  for (const kind of PROJECT_OBJECT_KINDS) {
    let deleted = OBJECTS_PER_STEP;
    while (deleted === OBJECTS_PER_STEP) {
      deleted = await objects.deleteFolder(projectFolder(kind, projectId), OBJECTS_PER_STEP);
      yield;
    }
  }
  yield* incidentSteps(projectId, database);
  yield* blockSteps(database, 'batches', (blocks) => purgeBatchParts(database, projectId, blocks));
  await purgeRateWindows(database, projectId);
  await purgeRuleHits(database, projectId);
  await purgeImprovementLedger(database, projectId);
  for (const { table, way } of PURGED_TABLES) {
    if (way === 'by_blocks') {
      yield* blockSteps(database, table, (blocks) => purgeBlocks(database, table, projectId, blocks));
    } else if (way === 'by_project') {
      let purged = ROWS_PER_STEP;
      while (purged === ROWS_PER_STEP) {
        purged = await purgeRows(database, table, projectId, ROWS_PER_STEP);
        yield;
      }
    }
  }
}

/** Incidents with everything that hangs on them, some in each transaction: no row is left without its incident. */
async function* incidentSteps(projectId: string, database: Database): AsyncGenerator<void> {
  const tables = PURGED_TABLES.filter(({ way }) => way === 'by_incident').map(({ table }) => table);
  for (;;) {
    const incidentIds = await findPurgeIncidents(database, projectId, INCIDENTS_PER_STEP);
    if (incidentIds.length === 0) return;
    await database.transaction(async (transaction) => {
      for (const table of tables) await purgeIncidentRows(transaction, table, incidentIds);
    });
    yield;
  }
}

async function* blockSteps(
  database: Database,
  table: string,
  purge: (blocks: { from: number; to: number }) => Promise<void>,
): AsyncGenerator<void> {
  const blocks = await countBlocks(database, table);
  for (let from = 0; from < blocks; from += BLOCKS_PER_STEP) {
    await purge({ from, to: from + BLOCKS_PER_STEP });
    yield;
  }
}
