import type { Logger } from 'pino';
import { startHeartbeat } from '../installation/processes/heartbeat.ts';
import { MAP_DEFAULTS } from '../maps/map-settings.ts';
import { openDatabase } from '../platform/db/database.ts';
import { WORK_PATIENCE } from '../platform/db/server-watch.ts';
import type { MailSettings } from '../platform/mail/mail-transport.ts';
import { addUp, type Metric, readMetrics } from '../platform/metrics/metrics.ts';
import { openObjectStore } from '../platform/objects/open-object-store.ts';
import type { OutboundPolicy } from '../platform/outbound/outbound-policy.ts';
import { deriveKeys } from '../platform/secrets/keys.ts';
import type { Secret } from '../platform/secrets/secret.ts';
import { startBackgroundServices } from './background-services.ts';
import { wakeTargetOf } from './lane-loops.ts';
import { requireLaneRows } from './lanes.ts';
import type { DeliverySettings } from './settings.ts';
import { TABLES } from './tables.ts';
import type { ThreadDuty, ThreadSettings } from './thread-settings.ts';
import { superviseThread } from './thread-supervisor.ts';
import { startWakeRouter } from './wake-router.ts';

export interface WorkerRole {
  /** The metrics of its main thread and its worker threads together. */
  metrics(): Promise<Metric[]>;
  /** Stops claiming, finishes the jobs under way, ends the threads. */
  stop(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export interface WorkerSettings extends Omit<ThreadSettings, 'duty' | 'progress'> {
  duties: readonly ThreadDuty[];
  /** The program of its threads; the file next to this one unless it is set. */
  threadProgram?: URL;
  /** The further work of its main thread. Absent: this worker runs threads only. */
  background?: {
    mail: MailSettings;
    dataKey: Secret<Buffer>;
    /** The policy for calls to addresses from users. */
    outbound: OutboundPolicy;
    deliveries: DeliverySettings;
  };
  /** Database connections of the main thread at most. */
  connectionsMax?: number;
  /** The interval at which this process reports that it is running, and its release; absent: never. */
  heartbeat?: { intervalMs: number; version: string };
}

/**
 * Some ten tasks start with each minute, and most have no one waiting for them: one after the other they need one
 * connection.
 */
const TASKS_SHARING_WAIT_MS = 100;

/**
 * Runs the worker threads and replaces those that hang or die; their jobs count a failed attempt. The main thread runs
 * the background services.
 */
export async function startWorker(settings: WorkerSettings, log: Logger): Promise<WorkerRole> {
  requireLaneRows();
  const { threadProgram, connectionsMax = CONNECTIONS_MAX, ...rest } = settings;
  const { duties, background, heartbeat: beats, ...common } = rest;
  const { databaseUrl, objectStore, plans, constants, retryScale } = common;
  const database = openDatabase({
    url: databaseUrl,
    connectionsMax,
    ...WORK_PATIENCE,
    sharingWaitMs: TASKS_SHARING_WAIT_MS,
    applicationName: 'culprit-worker',
  });
  const supervisors = duties.map((duty) =>
    superviseThread({ ...common, duty }, database, log, threadProgram),
  );
  await Promise.all(supervisors.map((supervisor) => supervisor.ready));
  const services =
    background === undefined
      ? null
      : await startBackgroundServices(
          {
            database,
            objects: await openObjectStore(objectStore),
            tables: TABLES,
            outbound: background.outbound,
            keys: deriveKeys(background.dataKey),
            plans,
            maps: settings.maps ?? MAP_DEFAULTS,
            ...constants,
            log,
          },
          { mail: background.mail, deliveries: background.deliveries, retryScale },
        );
  const router = startWakeRouter({
    database,
    databaseUrl,
    targets: [
      ...supervisors.map((supervisor) => wakeTargetOf(supervisor.duty, supervisor.wake)),
      ...(services?.targets ?? []),
    ],
    retryScale,
    log,
  });
  const metrics = async () =>
    await addUp(await Promise.all([readMetrics(), ...supervisors.map((each) => each.metrics())]));
  const heartbeat =
    beats === undefined ? null : startHeartbeat({ database, role: 'worker', metrics, log, ...beats });
  return {
    metrics,
    async stop() {
      // In parallel: if the database does not answer, each of them waits for as long as a connection can take.
      await Promise.all([
        heartbeat?.stop(),
        router.stop(),
        services?.stop(),
        ...supervisors.map((supervisor) => supervisor.stop()),
      ]);
      await database.close();
    },
  };
}
