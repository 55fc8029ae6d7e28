import type { Incident } from '@culprit/contract/incidents/incidents';
import { useEffect, useMemo, useRef, useState } from 'react';

/**
 * Keeps rows in place while a person points at them, has scrolled or has chosen some: figures change in place, and a
 * new order is offered instead of imposed (docs/contract/dashboard.md G4).
 * @param name which list it is; another list is shown immediately
 */
export function useSteadyRows(
  name: string,
  rows: readonly Incident[],
  isBusy: () => boolean,
): { rows: readonly Incident[]; changedCount: number; adopt: () => void } {
  const fresh = useMemo(() => rows.map(idOf), [rows]);
  const [shown, setShown] = useState({ name, order: fresh });
  const known = useRef(new Map<string, Incident>());
  const isTaken =
    shown.order === fresh ||
    shown.name !== name ||
    // More rows at the end move nothing.
    shown.order.every((id, index) => fresh[index] === id) ||
    !isBusy();
  const order = isTaken ? fresh : shown.order;
  useEffect(() => {
    if (isTaken && (shown.name !== name || shown.order !== fresh)) setShown({ name, order: fresh });
  });
  const shownRows = useMemo(() => {
    for (const row of rows) known.current.set(row.incident_id, row);
    return order.flatMap((id) => known.current.get(id) ?? []);
  }, [rows, order]);
  const changedCount = useMemo(() => (isTaken ? 0 : countChanges(order, fresh)), [isTaken, order, fresh]);
  return { rows: shownRows, changedCount, adopt: () => setShown({ name, order: fresh }) };
}

/**
 * Returns the number of rows that appeared, disappeared or moved: the fewest that explain how one order became the
 * other.
 */
function countChanges(before: readonly string[], after: readonly string[]): number {
  const placeBefore = new Map(before.map((id, index) => [id, index]));
  const places = after.flatMap((id) => placeBefore.get(id) ?? []);
  // The longest rise among the former places is what stayed: at each length the smallest place it can end with.
  const ends: number[] = [];
  for (const place of places) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    ends[low] = place;
  }
  const came = after.length - places.length;
  const went = before.length - places.length;
  return came + went + places.length - ends.length;
}

function idOf({ incident_id: id }: Incident): string {
  return id;
}
