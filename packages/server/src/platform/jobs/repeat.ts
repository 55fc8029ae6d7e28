import type { Logger } from 'pino';
import { errorFields } from '../error-fields.ts';

/** Work that fails every second, as in an outage, is a warning once in a while. */
const WARNING_INTERVAL_MS = 60_000;

/** Work that is repeated for as long as its process runs. */
interface Repetition {
  /** Runs it now; nothing while it runs already. */
  wake(): void;
  /** Starts no further run and waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * Runs `work` immediately and then every `intervalMs`, never twice at a time: a process that lives for less than the
 * interval does its share too. The work watches `stopping`, so that a stop does not wait for all of it.
 */
export function startRepeating(options: {
  /** The description of the work in the log. */
  name: string;
  intervalMs: number;
  work: (stopping: AbortSignal) => Promise<void>;
  log: Logger;
}): Repetition {
  const { name, intervalMs, work, log } = options;
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let warnedAtMs = Number.NEGATIVE_INFINITY;

  function onFailure(error: unknown): void {
    const isRepeated = performance.now() - warnedAtMs < WARNING_INTERVAL_MS;
    if (!isRepeated) warnedAtMs = performance.now();
    log[isRepeated ? 'debug' : 'warn']({ task: name, ...errorFields(error) }, 'periodic task failed');
  }

  function run(): void {
    if (stopping.signal.aborted) return;
    running ??= work(stopping.signal)
      .catch(onFailure)
      .finally(() => {
        running = null;
      });
  }

  const timer = setInterval(run, intervalMs);
  timer.unref();
  run();
  return {
    wake: run,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
