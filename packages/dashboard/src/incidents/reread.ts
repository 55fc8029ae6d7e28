import type { KeptList, Place } from './kept-list.ts';
import { readRowHeight } from './row-height.ts';

/** Positions further down are not restored. */
const ROWS_MAX = 1000;
/** The actions of a person who does not wait for the earlier position. */
const GOING_ON = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/**
 * Reads the pages down to where the list was before this load of the page, and scrolls there, unless the person acts in
 * the meantime or another list is shown.
 */
export async function reread(name: string, kept: string, list: () => KeptList): Promise<void> {
  const place = placeIn(kept);
  const [navigation] = performance.getEntriesByType('navigation');
  const isAgain = navigation instanceof PerformanceNavigationTiming && navigation.type !== 'navigate';
  if (place?.name !== name || !isAgain) return;
  // Down to the end of what was in view.
  const rows = Math.min(ROWS_MAX, Math.ceil((place.offset + window.innerHeight) / readRowHeight()));
  let isWanted = true;
  const goOn = () => {
    isWanted = false;
  };
  for (const kind of GOING_ON) window.addEventListener(kind, goOn, { passive: true });
  let hasMore = true;
  // By rows and not by reads: a read ends without a page where the whole list is read again at the same time.
  while (isWanted && hasMore && list().order.length < rows) {
    hasMore = await list().readOn();
    // The rows are there after the next drawing.
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  for (const kind of GOING_ON) window.removeEventListener(kind, goOn);
  if (isWanted) list().goTo(place);
}

function placeIn(kept: string): Place | null {
  try {
    const value: unknown = JSON.parse(kept);
    return isPlace(value) ? value : null;
  } catch {
    return null;
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null) return false;
  const fields = new Map(Object.entries(value));
  const row = fields.get('row');
  return (
    typeof fields.get('name') === 'string' &&
    (row === null || typeof row === 'string') &&
    Number.isFinite(fields.get('offset'))
  );
}
