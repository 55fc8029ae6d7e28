/** A span of time whose use is counted together; the end is the start of the next one. */
export interface UsageWindow {
  startMs: number;
  endMs: number;
}

/** The calendar month in UTC that contains a moment: the window of Free (docs/contract/account.md 6.4). */
export function calendarMonth(atMs: number): UsageWindow {
  const month = monthOf(atMs);
  return { startMs: monthStart(month, 1, 0), endMs: monthStart(month + 1, 1, 0) };
}

/**
 * The month that began at the plan's own day and time: the window of a paid plan (docs/contract/account.md 6.4). A day
 * that a month lacks is its last one. A moment before the plan began belongs to its first window.
 */
export function monthSince(planStartedAtMs: number, atMs: number): UsageWindow {
  const anchor = new Date(planStartedAtMs);
  const day = anchor.getUTCDate();
  const timeOfDayMs = planStartedAtMs - Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth(), day);
  const month = monthOf(Math.max(atMs, planStartedAtMs));
  const isBegun = monthStart(month, day, timeOfDayMs) <= Math.max(atMs, planStartedAtMs);
  const first = isBegun ? month : month - 1;
  return { startMs: monthStart(first, day, timeOfDayMs), endMs: monthStart(first + 1, day, timeOfDayMs) };
}

/** Months since the year 0. */
function monthOf(atMs: number): number {
  const at = new Date(atMs);
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}

function monthStart(month: number, day: number, timeOfDayMs: number): number {
  const year = Math.floor(month / 12);
  const lastDay = new Date(Date.UTC(year, (month % 12) + 1, 0)).getUTCDate();
  return Date.UTC(year, month % 12, Math.min(day, lastDay)) + timeOfDayMs;
}
