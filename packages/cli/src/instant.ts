import { parseIsoTime } from '@culprit/evidence/events/envelope/iso-time';

/** Beginning of a date, whose day the month may not have: JavaScript reads 30 February as 2 March. */
const DATE = /^(\d{4})-(\d{2})-(\d{2})/;

/** Milliseconds, or not a number; what JavaScript cannot read is read as the time of an event is. */
export function instantMs(text: string): number {
  const [, year, month, day] = DATE.exec(text.trim()) ?? [];
  if (day !== undefined && Number(day) > daysOf(Number(year), Number(month))) return Number.NaN;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? (parseIsoTime(text) ?? ms) : ms;
}

function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
