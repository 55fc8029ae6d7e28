/** What the floor takes on the machine on which the bounds of the tests were set. */
const FLOOR_MS = 14;
const FLOOR_UNIT = 'at a.b (/app/src/checkout.ts:12:34) ';
const FLOOR_TEXT = FLOOR_UNIT.repeat(55_000);
/** Enough for a clock that counts in steps of four milliseconds. */
const FLOOR_RUNS = 5;
/** The speed of a machine changes within a run, with what else it does. */
const FLOOR_FRESH_MS = 1_000;

let floor = { ms: FLOOR_MS, measuredAtMs: Number.NEGATIVE_INFINITY };

/**
 * Milliseconds of processor time that this thread spends on the work. Where the machine is slower than the one of the
 * bounds, or its sibling core is busy, they are counted as that one would; a faster machine counts its own.
 */
export function processorMs(work: () => void): number {
  const ms = threadMs(work);
  return ms * Math.min(1, FLOOR_MS / floorMs());
}

/** Milliseconds of processor time as this machine counts them: for ratios of two of them. */
export function threadMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function floorMs(): number {
  if (performance.now() - floor.measuredAtMs > FLOOR_FRESH_MS) {
    const allMs = threadMs(() => {
      for (let run = 0; run < FLOOR_RUNS; run += 1) readFloor();
    });
    floor = { ms: allMs / FLOOR_RUNS, measuredAtMs: performance.now() };
  }
  return floor.ms;
}

/** Work of the same kind as what is measured: a pattern over text, pieces cut from it. */
function readFloor(): number {
  let chars = 0;
  for (const { index } of FLOOR_TEXT.matchAll(/[\w./]{1,40}(?::\d{1,9}){1,2}|\(/g))
    chars += FLOOR_TEXT.slice(index, index + 20).length;
  return chars;
}
