import { knownSearch } from '../paths.ts';

/** The search parameters of the list, in the order in which they are in its address. */
export const LIST_PARAMETERS = [
  'status',
  'severity',
  'severity_min',
  'service',
  'environment',
  'first_seen',
  'spiking',
  'q',
  'sort',
] as const;
export type ListParameter = (typeof LIST_PARAMETERS)[number];
export type ListSearch = { [Name in ListParameter]?: string };

/** The incidents that need a person: urgent or of high priority, unless snoozed; the worst first. */
export const ATTENTION_SEARCH: ListSearch = { q: 'priority:>=high -is:snoozed', sort: 'priority' };

/** The incidents that figures count: sample data are in lists only. */
export const WITHOUT_SAMPLE: ListSearch = { q: '-is:sample' };

export const API_STATUSES = ['active', 'open', 'resolved', 'regressed'] as const;
const STATUSES = [...API_STATUSES, 'all'] as const;
export const SORTS = ['last_seen', 'first_seen', 'occurrences', 'severity', 'priority'] as const;
const SORT_DEFAULT = 'last_seen';
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
/** Spans that stay live in a saved address, in milliseconds. */
export const SPANS: Readonly<Record<string, number>> = {
  '24h': 24 * 3_600_000,
  '7d': 7 * 24 * 3_600_000,
  '30d': 30 * 24 * 3_600_000,
};
export const STATUS_DEFAULT = 'active';
const MINUTE_MS = 60_000;

/** Returns the parameters of an address that are valid: defaults are left out, so that one list has one address. */
export function readListSearch(search: Record<string, unknown>): ListSearch {
  const known = knownSearch(search, LIST_PARAMETERS);
  if (known.status === STATUS_DEFAULT || !isOneOf(STATUSES, known.status)) delete known.status;
  if (!isOneOf(SEVERITIES, known.severity)) delete known.severity;
  if (!isOneOf(SEVERITIES, known.severity_min)) delete known.severity_min;
  if (known.spiking !== 'true') delete known.spiking;
  if (known.sort === SORT_DEFAULT || !isOneOf(SORTS, known.sort)) delete known.sort;
  if (known.first_seen !== undefined && timeOf(known.first_seen, 0) === null) delete known.first_seen;
  return known;
}

/** The time that a span or a written time means. */
export function timeOf(value: string | undefined, nowMs: number): string | null {
  if (value === undefined) return null;
  const span = Object.hasOwn(SPANS, value) ? SPANS[value] : undefined;
  if (span !== undefined) {
    return new Date(Math.floor((nowMs - span) / MINUTE_MS) * MINUTE_MS).toISOString();
  }
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns true if text is one of the words. */
export function isOneOf<const Word extends string>(
  words: readonly Word[],
  word: string | undefined,
): word is Word {
  return words.some((each) => each === word);
}

/** Returns true if two lists are the same one. */
export function isSameList(a: ListSearch, b: ListSearch): boolean {
  return LIST_PARAMETERS.every((name) => a[name] === b[name]);
}
