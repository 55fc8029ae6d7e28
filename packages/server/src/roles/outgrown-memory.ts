/** The resources that a check measures for a process. */
interface Taken {
  residentBytes: number;
  /** Processor time of all its threads since the check before, as a share of one processor. */
  busyShare: number;
}

const CHECK_INTERVAL_MS = 20_000;
/** Checks in a row: the memory that a busy time left is given back in the first of them, as far as it can be. */
const CHECKS_AT_REST = 3;
/** For an idle process the share is a thousandth; during the collection of a heap a hundredth. */
const REST_SHARE = 0.04;

/**
 * Decides whether a process was busy, keeps far more memory than it had at its start, and has been idle since. The C
 * library returns no page with a small allocation on it, and after a busy time most of a process's memory is on such
 * pages.
 */
export function createOutgrownJudge(options: {
  residentAtStartBytes: number;
  growthMaxBytes: number;
}): (taken: Taken) => boolean {
  let wasBusy = false;
  let checksAtRest = 0;
  return ({ residentBytes, busyShare }) => {
    const isAtRest = busyShare < REST_SHARE;
    wasBusy ||= !isAtRest;
    checksAtRest = isAtRest ? checksAtRest + 1 : 0;
    const growthBytes = residentBytes - options.residentAtStartBytes;
    return wasBusy && checksAtRest >= CHECKS_AT_REST && growthBytes > options.growthMaxBytes;
  };
}

/**
 * Watches this process from now on, as one that has just started.
 * @param growthMaxBytes 0: it is not watched
 * @param onOutgrown is called once
 */
export function watchOutgrownMemory(growthMaxBytes: number, onOutgrown: () => void): void {
  if (growthMaxBytes === 0) return;
  const isOutgrown = createOutgrownJudge({
    residentAtStartBytes: process.memoryUsage.rss(),
    growthMaxBytes,
  });
  let used = process.cpuUsage();
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const busyShare = (user + system) / 1000 / CHECK_INTERVAL_MS;
    if (!isOutgrown({ residentBytes: process.memoryUsage.rss(), busyShare })) return;
    clearInterval(timer);
    onOutgrown();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}
