import type { Found, FoundItems } from './otlp-items.ts';

/** Events of one request (docs/contract/foreign-protocols.md 8.6). */
export const EVENTS_MAX = 1_000;

export interface ChosenItems<Item> {
  /** In the order of the request. */
  items: readonly Found<Item>[];
  /** Events of the others. */
  overLimit: number;
}

/** The items of as many events as are taken; the dearest ones, where there are more. */
export function chooseItems<Item>({ found }: FoundItems<Item>): ChosenItems<Item> {
  const inOrder = { items: found, overLimit: 0 };
  let events = 0;
  for (const each of found) events += each.events;
  if (events <= EVENTS_MAX) return inOrder;
  const kept = new Set<Found<Item>>();
  let left = EVENTS_MAX;
  let overLimit = 0;
  for (const each of found.toSorted((a, b) => a.rank - b.rank)) {
    if (left > 0) kept.add(each);
    else overLimit += each.events;
    left -= each.events;
  }
  return { items: found.filter((each) => kept.has(each)), overLimit };
}
