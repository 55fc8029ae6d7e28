import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { makeReports, type ReportOptions } from './make-reports.ts';

export interface ReportScheduler {
  /** Stops looking, and waits for the reports that are being made. */
  stop(): Promise<void>;
}

/** Looks for due reports until stopped. Any number of processes can do this. */
export function startReportScheduler(
  options: ReportOptions & { lookIntervalMs: number; log: Logger },
): ReportScheduler {
  const { lookIntervalMs, log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;

  async function look(): Promise<void> {
    try {
      while (!signal.aborted && (await makeReports(options)));
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, 'reports not made');
    }
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      await look();
      await delay(lookIntervalMs, undefined, { signal }).catch(() => {});
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
