import { createSignal } from '../ui/signal.ts';

/** The zone that every time is shown in; null is the browser's own. */
export const timeZone = createSignal<string | null>(null);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** From here on a date says more than a number of days. */
const RELATIVE_MAX_MS = 30 * DAY_MS;

/** "now", "42 s", "8 min", "3 h", "5 d"; from 30 days on the date. */
export function relativeTime(iso: string, nowMs: number): string {
  const ageMs = nowMs - Date.parse(iso);
  if (Number.isNaN(ageMs)) return iso;
  const distance = Math.abs(ageMs);
  if (distance >= RELATIVE_MAX_MS) return dateOnly(iso);
  const words = distanceWords(distance);
  return ageMs < -10_000 ? `in ${words}` : words;
}

function distanceWords(ms: number): string {
  if (ms < 10_000) return 'now';
  if (ms < MINUTE_MS) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  if (ms < 2 * DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / DAY_MS)} d`;
}

/** Returns "8 min ago"; a date without "ago". */
export function ago(iso: string, nowMs: number): string {
  const words = relativeTime(iso, nowMs);
  return /^\d+ (?:s|min|h|d)$/.test(words) ? `${words} ago` : words;
}

/** "24 Mar 2026, 10:30:00.000 UTC+1": with the zone written, and milliseconds where events are compared. */
export function absoluteTime(iso: string, options: { withMs?: boolean; zone?: string } = {}): string {
  const zone = options.zone ?? timeZone.get();
  return formatterOf(zone, options.withMs === true ? 'exact' : 'time').format(new Date(iso));
}

export function dateOnly(iso: string, zone = timeZone.get()): string {
  return formatterOf(zone, 'date').format(new Date(iso));
}

/** Returns day, hour and minute: for places of a plot. One of several neighbours has the zone. */
export function shortTime(iso: string, { withZone = false } = {}): string {
  return formatterOf(timeZone.get(), withZone ? 'short-zoned' : 'short').format(new Date(iso));
}

/** Hours, minutes and seconds, with milliseconds on request. */
export function clockTime(iso: string, withMs = false): string {
  return formatterOf(timeZone.get(), withMs ? 'clock-exact' : 'clock').format(new Date(iso));
}

/** Local, UTC and relative: what a time says when it is pointed at. */
export function timeTitle(iso: string, nowMs: number): string {
  return `${absoluteTime(iso, { withMs: true })}\n${absoluteTime(iso, { withMs: true, zone: 'UTC' })}\n${ago(iso, nowMs)}`;
}

type Form = 'time' | 'exact' | 'short' | 'short-zoned' | 'date' | 'clock' | 'clock-exact';

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string | null, form: Form): Intl.DateTimeFormat {
  const key = `${zone ?? ''} ${form}`;
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(undefined, {
    ...PARTS[form],
    ...(zone === null ? {} : { timeZone: zone }),
  });
  formatters.set(key, made);
  return made;
}

const DATE = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
const SHORT = {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;
const PARTS: Readonly<Record<Form, Intl.DateTimeFormatOptions>> = {
  date: DATE,
  clock: CLOCK,
  short: SHORT,
  'short-zoned': { ...SHORT, timeZoneName: 'shortOffset' },
  'clock-exact': { ...CLOCK, fractionalSecondDigits: 3 },
  time: { ...DATE, ...CLOCK, timeZoneName: 'shortOffset' },
  exact: { ...DATE, ...CLOCK, fractionalSecondDigits: 3, timeZoneName: 'shortOffset' },
};
