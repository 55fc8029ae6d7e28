import { useEffect, useState } from 'react';

/** The time for which parts of the page may still move the one that the address names. */
const SETTLES_MS = 10_000;
const READER_ACTS = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Scrolls the part that the address names to the top when it appears, and keeps it there while other parts appear,
 * until the reader acts.
 * @returns the id of that part, which needs room below it to reach the top; null if the address names none
 */
export function useFragment(): string | null {
  const [id] = useState(() => decodeURIComponent(location.hash.slice(1)));
  useEffect(() => {
    if (id === '') return;
    const main = document.querySelector('main');
    if (main === null) return;
    const aim = () => document.getElementById(id)?.scrollIntoView({ block: 'start' });
    const added = new MutationObserver(aim);
    const moved = new ResizeObserver(aim);
    const end = () => {
      added.disconnect();
      moved.disconnect();
      clearTimeout(timer);
      for (const act of READER_ACTS) window.removeEventListener(act, end);
    };
    const timer = setTimeout(end, SETTLES_MS);
    added.observe(main, { childList: true, subtree: true });
    for (const child of [main, ...main.children]) moved.observe(child);
    for (const act of READER_ACTS) window.addEventListener(act, end, { passive: true });
    aim();
    return end;
  }, [id]);
  return id === '' ? null : id;
}
