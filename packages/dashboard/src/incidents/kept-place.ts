import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { PLACES } from '../api/session.ts';
import type { TableHandle } from './incident-table.tsx';
import type { KeptList, Place } from './kept-list.ts';

/** The row that was opened last, by list, so that coming back finds it. */
export const lastRows = new Map<string, string>();
const KEY = `${PLACES}incidents`;
/** True after this load of the page has read the position of the one before. */
let isRestored = false;

/** Coming back to a list, the keyboard is at the row that was opened. */
export function useFocusOnReturn(
  name: string,
  order: readonly string[],
  table: RefObject<TableHandle | null>,
): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || order.length === 0) return;
    isDone.current = true;
    const index = order.indexOf(lastRows.get(name) ?? '');
    if (index > -1) requestAnimationFrame(() => table.current?.focusRow(index));
  }, [name, order, table]);
}

/** Restores the position of the list after a reload (docs/contract/dashboard.md 4.6). */
export function usePlaceOverReload(name: string, list: KeptList): void {
  const latest = useRef(list);
  latest.current = list;
  const isRead = list.order.length > 0;
  useLayoutEffect(() => {
    const keep = () => {
      const place: Place = { name, row: lastRows.get(name) ?? null, offset: window.scrollY };
      sessionStorage.setItem(KEY, JSON.stringify(place));
    };
    window.addEventListener('pagehide', keep);
    return () => {
      keep();
      window.removeEventListener('pagehide', keep);
    };
  }, [name]);
  useEffect(() => {
    if (isRestored || !isRead) return;
    isRestored = true;
    const kept = sessionStorage.getItem(KEY);
    if (kept === null) return;
    // If it cannot be loaded, the list stays at its top.
    import('./reread.ts').then(({ reread }) => reread(name, kept, () => latest.current)).catch(() => {});
  }, [name, isRead]);
}
