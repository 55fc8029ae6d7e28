import type { Logger } from 'pino';
import type { Database } from '../../platform/db/database.ts';
import { finishJobs, type Job, postponeJob } from '../../platform/jobs/job-queue.ts';
import type { LaneWork } from '../../platform/jobs/lane.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import type { PurgeThrough, Table } from '../../table.ts';
import { PROJECT_OBJECT_KINDS, projectFolder } from '../../workspace/projects/project-objects.ts';
import { emptyFolder } from './empty-folder.ts';
import {
  countBlocks,
  findPurgeIncidents,
  findPurgeState,
  incidentTables,
  purgeBlocks,
  purgeIncidentRows,
  purgeProjectRow,
  purgeRows,
  purgeStepsOf,
  purgeThrough,
  purgeThroughBlocks,
} from './purge.queries.ts';

export interface CleanupOptions {
  database: Database;
  objects: ObjectStore;
  /** Every table of the schema. */
  tables: readonly Table[];
  log: Logger;
  /** Aborted when the process stops: work that takes long is handed back between two steps. */
  stopping: AbortSignal;
}

/** One step takes far less than a second, so that a stop is not kept waiting. */
const ROWS_PER_STEP = 5000;
const BLOCKS_PER_STEP = 256;
/** An incident can have a thousand rows of users. */
const INCIDENTS_PER_STEP = 50;

/** Empties the storage of deleted projects, one at a time. */
export function cleanupLane(options: CleanupOptions): LaneWork {
  return {
    claimMax: 1,
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
  const projectId = job.fairnessKey;
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
  { database, objects, tables }: Pick<CleanupOptions, 'database' | 'objects' | 'tables'>,
): AsyncGenerator<void> {
  yield* emptyFolders(projectId, objects);
  yield* incidentSteps(projectId, database, incidentTables(tables));
  // All of them before any parent goes.
  for (const table of tables) {
    for (const step of purgeStepsOf(table)) {
      if (typeof step !== 'string') yield* throughSteps(projectId, database, table.name, step);
    }
  }
  for (const table of tables) {
    const { name } = table;
    const way = purgeStepsOf(table);
    if (way.includes('by_blocks')) {
      yield* blockSteps(database, name, (blocks) => purgeBlocks(database, name, projectId, blocks));
    } else if (way.includes('by_project')) {
      let purged = ROWS_PER_STEP;
      while (purged === ROWS_PER_STEP) {
        purged = await purgeRows(database, name, projectId, ROWS_PER_STEP);
        yield;
      }
    }
  }
  // Objects that a worker stored after a long standstill, since the first pass, are named by no row.
  yield* emptyFolders(projectId, objects);
}

async function* emptyFolders(projectId: string, objects: ObjectStore): AsyncGenerator<void> {
  for (const kind of PROJECT_OBJECT_KINDS) yield* emptyFolder(objects, projectFolder(kind, projectId));
}

/** Incidents with everything that hangs on them, some in each transaction: no row is left without its incident. */
async function* incidentSteps(
  projectId: string,
  database: Database,
  tables: readonly Table[],
): AsyncGenerator<void> {
  for (;;) {
    const incidentIds = await findPurgeIncidents(database, projectId, INCIDENTS_PER_STEP);
    if (incidentIds.length === 0) return;
    await database.transaction(async (transaction) => {
      for (const table of tables) await purgeIncidentRows(transaction, table, projectId, incidentIds);
    });
    yield;
  }
}

async function* throughSteps(
  projectId: string,
  database: Database,
  table: string,
  step: PurgeThrough,
): AsyncGenerator<void> {
  const { inBlocksWhere } = step;
  if (inBlocksWhere === undefined) {
    await purgeThrough(database, table, step, projectId);
    yield;
  } else {
    const blockwise = { ...step, inBlocksWhere };
    yield* blockSteps(database, step.through, (blocks) =>
      purgeThroughBlocks(database, table, blockwise, projectId, blocks),
    );
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
