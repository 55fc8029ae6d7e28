import type { Logger } from 'pino';
import { MAP_DEFAULTS } from '../../src/maps/map-settings.ts';
import { createLogger } from '../../src/platform/log.ts';
import { openObjectStore } from '../../src/platform/objects/open-object-store.ts';
import { deriveKeys } from '../../src/platform/secrets/keys.ts';
import { runSchedule } from '../../src/roles/run-schedules.ts';
import { SCHEDULES } from '../../src/roles/schedules.ts';
import { TABLES } from '../../src/roles/tables.ts';
import type { WorkerRuntime } from '../../src/roles/worker-runtime.ts';
import type { PlanSettings } from '../../src/workspace/billing/plan.ts';
import type { TestCulprit } from './culprit.ts';

/** What the background services of a worker of this service work with. */
export async function workerRuntime(
  culprit: TestCulprit,
  plans: PlanSettings,
  log: Logger = createLogger({ level: 'fatal', role: 'test' }),
): Promise<WorkerRuntime> {
  const { database, outbound, dataKey, baseUrl } = culprit;
  const objects = await openObjectStore(culprit.objectStore);
  return {
    database,
    objects,
    outbound,
    keys: deriveKeys(dataKey),
    tables: TABLES,
    plans,
    maps: MAP_DEFAULTS,
    baseUrl,
    appUrl: baseUrl,
    log,
  };
}

/** Runs the periodic tasks that one of all workers runs, if they are due. */
export async function runLeaderTasks(runtime: WorkerRuntime): Promise<void> {
  for (const row of SCHEDULES) {
    if (row.runBy === 'one leader') await runSchedule(row, runtime);
  }
}
