import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createFingerprinter,
  createGroupingKeyMaker,
} from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { bootstrap } from '../../src/admin/bootstrap.ts';
import { bundlesLane } from '../../src/pipeline/bundles/queue/build-bundle.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../../src/pipeline/bundles/queue/bundles.jobs.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { eventsLane } from '../../src/pipeline/incidents/processing/process-batches.ts';
import { FACTS_LANE } from '../../src/pipeline/incidents/searching/facts.jobs.ts';
import { factsLane } from '../../src/pipeline/incidents/searching/take-facts.ts';
import { checkBatch } from '../../src/pipeline/ingest/check-batch.ts';
import type { IntakeAnswer } from '../../src/pipeline/ingest/intake-request.ts';
import { createIntakeWindow } from '../../src/pipeline/ingest/intake-window.ts';
import { type Database, openDatabase } from '../../src/platform/db/database.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { type JobLoop, startJobLoop } from '../../src/platform/jobs/job-loop.ts';
import { LEASE_SECONDS } from '../../src/platform/jobs/job-queue.ts';
import type { LaneWork } from '../../src/platform/jobs/lane.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import type { FileOperations } from '../../src/platform/objects/file-operations.ts';
import type { ObjectStore } from '../../src/platform/objects/object-store.ts';
import { laneOf } from '../../src/roles/lane-loops.ts';
import { laneRow } from '../../src/roles/lanes.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { SELF_HOSTED } from '../support/culprit.ts';
import { removeFirstAlert } from '../support/first-alert.ts';
import { speedClock } from '../support/move-clock.ts';
import { runThrough } from '../support/run-through.ts';
import { createTestDatabase } from '../support/test-database.ts';
import type { FaultPlan } from './fault-plan.ts';
import { faultyDatabase } from './faulty-database.ts';
import { faultyObjects, faultyOperations } from './faulty-objects.ts';

/** The intake and the lanes of the worker in this process, on a real database and real files of their own. */
export interface InProcessPipeline {
  database: Database;
  objectDirectory: string;
  createProject(): Promise<PipelineProject>;
  /** Lets the leases of the dead run out. */
  passLeases(): Promise<void>;
  /** What ends with a process: windows and claimed jobs. Connections are kept, as statements are planned once in each. */
  startLife(plan: FaultPlan, options?: LifeOptions): Promise<Life>;
  stop(): Promise<void>;
}

export interface PipelineProject {
  projectId: string;
  token: string;
}

export interface Life {
  send(token: string, events: readonly unknown[]): Promise<IntakeAnswer>;
  /** Begins to claim jobs. */
  work(): void;
  /** Stops claiming and waits for what is under way; harmless for the dead. */
  end(): Promise<void>;
}

export interface LifeOptions {
  plant?: PlantedDefect;
  /** Waits after failed attempts, by the fast clock. */
  retryDelaysMs?: readonly number[];
}

/** Puts a defect between the pipeline and what it stands on, faults included. */
export interface PlantedDefect {
  database?(sound: Database): Database;
  objects?(sound: ObjectStore): ObjectStore;
  /** Under the objects. */
  operations?(sound: FileOperations): FileOperations;
  /** Waits for what it does behind the pipeline's back. */
  settled?(): Promise<unknown>;
}

/** How much faster the database clock runs, so that waits need no patience. A lease lasts 1.5 s. */
const CLOCK_FACTOR = 20;
const NUDGE_INTERVAL_MS = 25;
const RETRY_DELAYS_MS = [100, 200, 400];
const BASE_URL = 'http://localhost:4800';

export async function startInProcessPipeline(clockFactor = CLOCK_FACTOR): Promise<InProcessPipeline> {
  const url = await createTestDatabase();
  const directory = await mkdtemp(join(tmpdir(), 'culprit-pipeline-'));
  const database = openDatabase({
    url,
    connectionsMax: 8,
    connectTimeoutMs: 10_000,
    applicationName: 'test',
  });
  const clock = await speedClock(database, clockFactor);
  return {
    database,
    objectDirectory: join(directory, 'objects'),
    async createProject() {
      const { project_id, project_token } = await bootstrap(database, {
        email: `owner-${newUuid()}@example.test`,
        projectName: 'shop',
        baseUrl: BASE_URL,
        plans: SELF_HOSTED,
      });
      const projectId = parseId(['proj'], project_id) ?? '';
      // No life serves the lane of alerts.
      await removeFirstAlert(database, projectId);
      return { projectId, token: project_token };
    },
    passLeases: () => clock.jump(LEASE_SECONDS * 1000),
    startLife: (plan, options) => startLife({ pool: database, directory, plan, ...options }),
    async stop() {
      await database.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function startLife(
  options: LifeOptions & { pool: Database; directory: string; plan: FaultPlan },
): Promise<Life> {
  const { plan, plant, retryDelaysMs = RETRY_DELAYS_MS } = options;
  const log = createLogger({
    level: process.env.CULPRIT_TEST_LOG ?? 'silent',
    role: 'test',
    toStandardError: true,
  });
  const operations = faultyOperations(plan);
  const files = await createFileObjectStore({
    directory: join(options.directory, 'objects'),
    writeTimeoutMs: 10_000,
    operations: plant?.operations?.(operations) ?? operations,
  });
  const faulty = { database: faultyDatabase(options.pool, plan), objects: faultyObjects(files, plan) };
  const database = plant?.database?.(faulty.database) ?? faulty.database;
  const objects = plant?.objects?.(faulty.objects) ?? faulty.objects;
  const window = createIntakeWindow({ database, objects, plans: SELF_HOSTED, log });
  let loop: JobLoop | null = null;
  let nudges: NodeJS.Timeout | null = null;

  return {
    send: (token, events) =>
      window.join({
        tokenHash: tokenHash(token),
        origin: null,
        isBeacon: false,
        isPublishedLibrary: false,
        readsWildcards: true,
        content: runThrough(checkBatch(Buffer.from(JSON.stringify({ events })), () => true)),
      }),
    work() {
      const started = startJobLoop({
        database,
        lanes: lanes({ database, objects, log, retryDelaysMs }),
        log,
      });
      loop = started;
      nudges = setInterval(() => started.wake(), NUDGE_INTERVAL_MS);
    },
    async end() {
      if (nudges !== null) clearInterval(nudges);
      await loop?.stop();
      await window.drain();
    },
  };
}

function lanes(options: {
  database: Database;
  objects: ObjectStore;
  log: ReturnType<typeof createLogger>;
  retryDelaysMs: readonly number[];
}) {
  const fingerprint = createFingerprinter({ entriesMax: 1000 });
  const bundles = {
    ...options,
    plans: SELF_HOSTED,
    fingerprint,
    constants: { baseUrl: BASE_URL, appUrl: BASE_URL },
  };
  const events = eventsLane({
    ...options,
    plans: SELF_HOSTED,
    groupingKey: createGroupingKeyMaker({ entriesMax: 1000 }),
    progress: { work() {}, step() {}, rest() {} },
  });
  const lane = (name: string, work: LaneWork) =>
    laneOf({ ...laneRow(name), retryDelaysMs: options.retryDelaysMs }, work, {
      ...options,
      retryScale: 1,
    });
  return [
    lane(EVENTS_LANE, events),
    lane(BUNDLES_LANE, bundlesLane(bundles)),
    lane(REFRESHES_LANE, bundlesLane(bundles)),
    lane(FACTS_LANE, factsLane(options)),
  ];
}
