import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The interval at which each isolate checks itself. */
const CHECK_INTERVAL_MS = 20_000;
/**
 * The share of the time since the last check: below it, the tenth of a second that a collection may take is not
 * noticeable.
 */
const QUIET_SHARE = 0.02;
/** A collection releases less than this elsewhere, and costs more than it is worth. */
const GROWTH_MIN_BYTES = 6 * 1024 * 1024;
/** The limit without a busy time in between: memory that accumulates in an idle process. */
const TRICKLE_MAX_BYTES = 24 * 1024 * 1024;

/**
 * Starts to release memory that the start or a busy time has left: V8 collects when a new object does not fit, so an
 * idle isolate keeps what it once had. Called once for each process and each thread.
 */
export function startReleasingMemory(): void {
  let wasBusy = true;
  let keptBytes = 0;
  let seen = performance.eventLoopUtilization();

  function check(): void {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, seen);
    seen = now;
    if (utilization > QUIET_SHARE) {
      wasBusy = true;
      return;
    }
    const growth = getHeapStatistics().total_physical_size - keptBytes;
    if (growth < (wasBusy ? GROWTH_MIN_BYTES : TRICKLE_MAX_BYTES)) return;
    collect();
    wasBusy = false;
    keptBytes = getHeapStatistics().total_physical_size;
  }

  setInterval(check, CHECK_INTERVAL_MS).unref();
}

/** Everything that can be collected, compiled code that was not used for a while included. */
function collect(): void {
  // The function is in contexts that are made while the flag is set.
  setFlagsFromString('--expose-gc');
  const collector: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collector === 'function') {
    collector({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
}
