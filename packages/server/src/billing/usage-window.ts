import type { Plan } from './plan.ts';

/**
 * Start of the usage window that contains `atMs` (account.md 6.4): the UTC calendar month on Free, else the month that
 * began at the plan's own day and time; a day that a month lacks is its last one.
 */
export function usageWindowStartMs(plan: Plan, planStartedAtMs: number, atMs: number): number {
  const at = new Date(atMs);
  const thisMonth = at.getUTCFullYear() * 12 + at.getUTCMonth();
  if (plan === 'free') return monthStart(thisMonth, 1, 0);
  const anchor = new Date(planStartedAtMs);
  const timeOfDayMs =
    planStartedAtMs - Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth(), anchor.getUTCDate());
  const start = monthStart(thisMonth, anchor.getUTCDate(), timeOfDayMs);
  return start <= atMs ? start : monthStart(thisMonth - 1, anchor.getUTCDate(), timeOfDayMs);
}

function monthStart(month: number, day: number, timeOfDayMs: number): number {
  const year = Math.floor(month / 12);
  const lastDay = new Date(Date.UTC(year, (month % 12) + 1, 0)).getUTCDate();
  return Date.UTC(year, month % 12, Math.min(day, lastDay)) + timeOfDayMs;
}
