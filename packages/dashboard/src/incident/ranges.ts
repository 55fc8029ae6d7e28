import type { Occurrences } from '@culprit/contract/incidents/occurrences';
import { plural } from '../format/numbers.ts';
import { shortTime } from '../format/times.ts';
import type { Picked } from '../ui/plots/plot-figure.tsx';

/** A part of the trend, in milliseconds since the epoch. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/** A range as an address spells it. */
export function rangeName({ fromMs, toMs }: TimeRange): string {
  return `${new Date(fromMs).toISOString()}~${new Date(toMs).toISOString()}`;
}

/** The range that an address names; null for none, or for what is no range. */
export function rangeNamed(name: string | undefined): TimeRange | null {
  const [fromMs = Number.NaN, toMs = Number.NaN] = (name ?? '').split('~').map((each) => Date.parse(each));
  return fromMs < toMs ? { fromMs, toMs } : null;
}

/** The times of places in the trend. */
export function timesOf({ from, bucket_seconds: seconds }: Occurrences, [first, last]: Picked): TimeRange {
  const start = Date.parse(from);
  return { fromMs: start + first * seconds * 1000, toMs: start + (last + 1) * seconds * 1000 };
}

/** The places in the trend that are of a range; null where the trend has none of it. */
export function placesOf(
  { from, bucket_seconds: seconds, counts }: Occurrences,
  { fromMs, toMs }: TimeRange,
): Picked | null {
  const place = (ms: number) => (ms - Date.parse(from)) / (seconds * 1000);
  const first = Math.max(0, Math.floor(place(fromMs)));
  const last = Math.min(counts.length, Math.ceil(place(toMs))) - 1;
  return first > last ? null : [first, last];
}

/** "12 events from Nov 22, 15:00 to Nov 22, 18:00". */
export function rangeWords(data: Occurrences, range: TimeRange): string {
  const places = placesOf(data, range);
  if (places === null) return spanWords(range);
  const events = data.counts.slice(places[0], places[1] + 1).reduce((total, each) => total + each, 0);
  return `${plural(events, 'event')} from ${spanWords(range)}`;
}

export function spanWords({ fromMs, toMs }: TimeRange): string {
  const words = (ms: number) => shortTime(new Date(ms).toISOString());
  return `${words(fromMs)} to ${words(toMs)}`;
}

export function isWithin({ fromMs, toMs }: TimeRange, iso: string): boolean {
  const at = Date.parse(iso);
  return at >= fromMs && at < toMs;
}

/** Returns true if a moment is not before a range. */
export function isAfter(iso: string | undefined, { fromMs }: TimeRange): boolean {
  return iso !== undefined && Date.parse(iso) >= fromMs;
}
