/** The one form of a time in answers and cursors. Takes milliseconds since the epoch. */
export function formatTimestamp(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** The form of `SecondTimestamp`, fractions cut off. Takes milliseconds since the epoch. */
export function formatSecondTimestamp(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, -5)}Z`;
}

/** Milliseconds of a time in exactly the form of `formatTimestamp`; null for any other text. */
export function parseTimestamp(text: string): number | null {
  if (text.length !== 24) return null;
  const timeMs = Date.parse(text);
  return !Number.isNaN(timeMs) && formatTimestamp(timeMs) === text ? timeMs : null;
}

const REQUEST_TIMESTAMP =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/;

/**
 * Milliseconds of a time a client wrote (docs/contract/incidents.md 0); null for a date alone, a time without offset
 * and days or hours that do not exist. Digits finer than a millisecond are cut off.
 */
export function parseRequestTimestamp(text: string): number | null {
  if (text.length > 64) return null;
  const match = REQUEST_TIMESTAMP.exec(text);
  if (match === null) return null;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  // Year 0 is outside the range of the database.
  if (year < 1 || hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59)
    return null;
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return null;
  local.setUTCHours(hour, minute, second, Number((match[7] ?? '').padEnd(3, '0').slice(0, 3)));
  const offsetMs = (offsetHours * 60 + offsetMinutes) * 60_000;
  return local.getTime() - (match[8] === '-' ? -offsetMs : offsetMs);
}
