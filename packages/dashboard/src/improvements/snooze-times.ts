const HOUR_MS = 3_600_000;
const MORNING_HOUR = 9;
const MONDAY = 1;
const DAYS_MAX = 90;

/** Times at which something comes back, as people say them. Mornings are those of this browser's zone. */
export function snoozeTimes(now: Date): { label: string; at: Date }[] {
  return [
    { label: 'For 1 hour', at: new Date(now.getTime() + HOUR_MS) },
    { label: 'Until tomorrow, 9:00', at: morningIn(now, 1) },
    { label: 'Until Monday, 9:00', at: morningIn(now, (MONDAY + 7 - now.getDay()) % 7 || 7) },
  ];
}

/** The first and the last day that can be chosen, as a date field writes them. */
export function snoozeDays(now: Date): { first: string; last: string } {
  return { first: dayOf(morningIn(now, 1)), last: dayOf(morningIn(now, DAYS_MAX - 1)) };
}

/** The morning of a day that a date field wrote; null while it is none. */
export function morningOf(day: string): Date | null {
  const [year = Number.NaN, month = Number.NaN, date = Number.NaN] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date, MORNING_HOUR);
  return Number.isNaN(at.getTime()) ? null : at;
}

function morningIn(now: Date, days: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING_HOUR);
}

function dayOf(at: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}
