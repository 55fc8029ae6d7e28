import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often each isolate checks itself. */
const CHECK_INTERVAL_MS = 20_000;
/** Of the time since the check before: below it nobody notices the tenth of a second that a collection may take. */
const QUIET_SHARE = 0.02;
/** A collection releases less than this elsewhere, and costs more than it is worth. */
const GROWTH_MIN_BYTES = 6 * 1024 * 1024;
/** Without a busy time in between: what trickles in at rest. */
const TRICKLE_MAX_BYTES = 24 * 1024 * 1024;

/**
 * Releases memory that the start or a busy time has left: V8 collects when something new does not fit, so an isolate
 * at rest keeps what it once had. Once for each process and each thread.
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
