import { useSyncExternalStore } from 'react';

/** Rows beside those in view that are in the page too, so that quick scrolling finds them there. */
const BESIDE = 8;
/** The page is drawn again after so many rows, not at each. */
const STEP = 4;

/** What bars that stay in view cover above and below. */
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
} {
  const at = useSyncExternalStore(
    subscribe,
    () => Math.floor((window.scrollY - top) / rowHeight / STEP) * STEP,
  );
  const inView = useSyncExternalStore(subscribe, () => Math.ceil(window.innerHeight / rowHeight));
  return {
    first: Math.max(0, Math.min(at, count - inView) - BESIDE),
    end: Math.min(count, Math.max(0, at) + inView + STEP + BESIDE),
  };
}

/** Scrolls as little as it takes to have a row in view. */
export function scrollToRow(rowTop: number, rowHeight: number, { abovePx, belowPx }: Covered): void {
  const least = rowTop + rowHeight + belowPx - window.innerHeight;
  const most = rowTop - abovePx;
  const to = Math.min(most, Math.max(least, window.scrollY));
  if (to !== window.scrollY) window.scrollTo({ top: to });
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true });
  window.addEventListener('resize', listener);
  return () => {
    window.removeEventListener('scroll', listener);
    window.removeEventListener('resize', listener);
  };
}
