import type { Occurrences } from '@culprit/contract/incidents/occurrences';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Spans of the trend, shortest first. The shortest one is only shown when it is chosen. */
export const SPANS = { '2 h': 2 * HOUR_MS, '24 h': DAY_MS, '7 d': 7 * DAY_MS, '90 d': 90 * DAY_MS } as const;
export type Span = keyof typeof SPANS;
export const SPAN_NAMES = ['2 h', '24 h', '7 d', '90 d'] as const satisfies readonly Span[];
const SHARE_HELD = 0.8;

/** A span as an address spells it. */
export function spanNamed(name: string | undefined): Span | null {
  return SPAN_NAMES.find((each) => each.replace(' ', '') === name) ?? null;
}

/** The shortest span of at least a day that holds most of all events, by the hours of the last week. */
export function fittingSpan({ counts }: Occurrences, total: number): Span {
  const needed = total * SHARE_HELD;
  // The hour that a span begins in is counted whole.
  if (sum(counts.slice(-(SPANS['24 h'] / HOUR_MS + 1))) >= needed) return '24 h';
  return sum(counts) >= needed ? '7 d' : '90 d';
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, each) => total + each, 0);
}
