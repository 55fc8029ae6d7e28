import { useSyncExternalStore } from 'react';

/** Rows beside those in view that are in the page too, so that scrolling finds them there. */
const BESIDE = 8;
/** The page is drawn again after so many rows, not at each. */
const STEP = 4;

/** The height that bars which stay in view cover above and below. */
interface Covered {
  abovePx: number;
  belowPx: number;
}

/**
 * Which rows of a long list are near the window: from `first` to before `end`. All rows are equally high, which is what
 * makes this so short.
 * @param top where the first row begins, from the start of the page
 */
export function useWindowedRows({
  count,
  rowHeight,
  top,
}: {
  count: number;
  rowHeight: number;
  top: number;
}): {
  first: number;
  end: number;
  /** True while rows are in view for a frame only, which is too short to read them. */
  isPassing: boolean;
} {
  const at = useSyncExternalStore(subscribe, () => Math.floor((seenTop - top) / rowHeight / STEP) * STEP);
  const inView = useSyncExternalStore(subscribe, () => Math.ceil(innerHeight / rowHeight));
  const beside = useSyncExternalStore(subscribe, () => (isFast ? 0 : BESIDE));
  return {
    first: Math.max(0, Math.min(at, count - inView) - beside),
    end: Math.min(count, Math.max(0, at) + inView + STEP + beside),
    isPassing: beside === 0,
  };
}

/** Scrolls as little as it takes to have a row in view. */
export function scrollToRow(rowTop: number, rowHeight: number, { abovePx, belowPx }: Covered): void {
  const least = rowTop + rowHeight + belowPx - innerHeight;
  const most = rowTop - abovePx;
  scrollTo({ top: Math.min(most, Math.max(least, scrollY)) });
}

/** The time without a scroll after which scrolling has ended. `scrollend` also comes after each step of a script. */
const REST_MS = 100;

const listeners = new Set<() => void>();
/** The position at the last event: reading it from the window after a change would force a layout of the page. */
let seenTop = 0;
/** Each frame shows other rows than the one before, so rows beside them would be drawn for nothing. */
let isFast = false;
let rest: ReturnType<typeof setTimeout> | undefined;

function look(): void {
  const before = seenTop;
  seenTop = scrollY;
  isFast = Math.abs(seenTop - before) > innerHeight;
  clearTimeout(rest);
  if (isFast) rest = setTimeout(look, REST_MS);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

for (const type of ['scroll', 'resize']) addEventListener(type, look);
