import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { takeChore } from '../retention/chores.queries.ts';
import { countMissing, noteArrival } from './canary-metrics.ts';
import { type CanaryOptions, type CanaryRun, runCanary } from './run-canary.ts';

const CHORE = 'canary';

/**
 * Runs the canary once a minute until stopped, in one of all processes: whoever takes the minute's turn.
 * @param options.intervalSeconds between two runs
 */
export function startCanary(
  options: CanaryOptions & {
    intervalSeconds: number;
    lookIntervalMs: number;
    timeoutMs: number;
    log: Logger;
  },
): { stop(): Promise<void> } {
  const { database, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function look(): Promise<void> {
    try {
      if (!(await takeChore(database, CHORE, options.intervalSeconds))) return;
      report(await runCanary({ ...options, signal }), log);
    } catch (error) {
      if (signal.aborted) return;
      countMissing('intake');
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'canary could not fly');
    }
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      await look();
      await delay(options.lookIntervalMs, undefined, { signal }).catch(() => {});
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
  if (run.toIncident !== null) noteArrival('incident', run.toIncident);
  if (run.missing === null) {
    noteArrival('webhook', run.toWebhook);
    return;
  }
  countMissing(run.missing);
  log.warn({ missing: run.missing }, 'the event of the canary did not arrive in time');
}
