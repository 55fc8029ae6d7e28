import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { errorFields } from '../../platform/error-fields.ts';
import type { Runtime } from '../../runtime.ts';
import { leaseTask } from '../../upkeep/retention/maintenance.queries.ts';
import { insertRun } from './canary.queries.ts';
import { countMissing, recordArrival } from './canary-metrics.ts';
import { type CanaryOptions, type CanaryRun, runCanary } from './run-canary.ts';

const TASK = 'canary';

/**
 * Runs the canary once a minute until stopped, in one of all processes: the first one that leases the task.
 * @param options.intervalSeconds between two runs
 */
export function startCanary(
  options: CanaryOptions &
    Pick<Runtime, 'log'> & {
      intervalSeconds: number;
      pollIntervalMs: number;
      timeoutMs: number;
    },
): { stop(): Promise<void> } {
  const { database, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function poll(): Promise<void> {
    try {
      if (!(await leaseTask(database, TASK, options.intervalSeconds))) return;
      const run = await runCanary({ ...options, signal });
      report(run, log);
      await note(database, run);
    } catch (error) {
      if (signal.aborted) return;
      countMissing('intake');
      log.warn(errorFields(error), 'canary could not run');
      await note(database, { missing: 'intake', toIncident: null }).catch(() => {});
    }
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      await poll();
      await delay(options.pollIntervalMs, undefined, { signal }).catch(() => {});
    }
  }

  const ended = loop();
  return {
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

function report(run: CanaryRun, log: Logger): void {
  if (run.toIncident !== null) recordArrival('incident', run.toIncident);
  if (run.missing === null) {
    recordArrival('webhook', run.toWebhook);
    return;
  }
  countMissing(run.missing);
  log.warn({ missing: run.missing }, 'the event of the canary did not arrive in time');
}

/** For the operator page and the doctor, which see no process's metrics. */
async function note(database: CanaryOptions['database'], run: CanaryRun): Promise<void> {
  await insertRun(database, {
    missing: run.missing,
    incidentMs: msOf(run.toIncident),
    webhookMs: run.missing === null ? msOf(run.toWebhook) : null,
  });
}

function msOf(seconds: number | null): number | null {
  return seconds === null ? null : Math.max(0, Math.round(seconds * 1000));
}
