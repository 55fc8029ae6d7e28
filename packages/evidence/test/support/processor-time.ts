/**
 * What the floor takes on the machine on which the bounds of the tests were set. Other machines, and the same one
 * with a busy sibling core, take up to three times as long for the same work.
 */
const FLOOR_MS = 14;
/** Enough for a clock that counts in whole milliseconds. */
const FLOOR_CHARS = 2_000_000;
const FLOOR_RUNS = 3;
/** The speed of a machine changes within a run, with what else it does. */
const FLOOR_FRESH_MS = 1_000;

const floorText = 'at a.b (/app/src/checkout.ts:12:34) '.repeat(FLOOR_CHARS / 36);
let floor = { ms: FLOOR_MS, measuredAtMs: Number.NEGATIVE_INFINITY };

/**
 * Milliseconds of processor time that this thread spends on the work, as the machine of the bounds would count
 * them: unlike those on the wall, they stay about the same however busy or slow the machine is.
 */
export function processorMs(work: () => void): number {
  const ms = threadMs(work);
  // Below a millisecond the speed of the machine decides nothing.
  return ms < 1 ? ms : (ms * FLOOR_MS) / floorMs();
}

function floorMs(): number {
  if (performance.now() - floor.measuredAtMs > FLOOR_FRESH_MS) {
    const runs = Array.from({ length: FLOOR_RUNS }, () => threadMs(readFloor));
    floor = { ms: Math.min(...runs), measuredAtMs: performance.now() };
  }
  return floor.ms;
}

/** Work of the same kind as what is measured: patterns over text, pieces cut from it. */
function readFloor(): void {
  let pieces = 0;
  for (const { index } of floorText.matchAll(/[\w./]{1,40}(?::\d{1,9}){1,2}|\(|[^x]{1,3}y/g))
    pieces += floorText.slice(index, index + 20).length;
  if (pieces === 0) throw new Error('The floor found nothing in its text.');
}

function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
