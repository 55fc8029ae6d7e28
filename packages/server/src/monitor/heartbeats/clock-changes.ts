/** Times of day that daylight saving repeats or skips. */

const MINUTE_MS = 60_000;
/** The steps by which clocks are put back, in minutes. */
const PUT_BACK_MINUTES = [60, 30, 120];

/** Returns true if clocks were put back, and showed the time of a moment before. */
export function isRepeated(timeMs: number, timezone: string): boolean {
  const shownAt = (atMs: number) => atMs + offsetMinutes(atMs, timezone) * MINUTE_MS;
  return PUT_BACK_MINUTES.some((minutes) => shownAt(timeMs - minutes * MINUTE_MS) === shownAt(timeMs));
}

/**
 * Returns the moment at which clocks are put forward, if that skips the next time of a schedule.
 * @param timeAt the next time by a clock with an offset that stays the same, in minutes; null: there is none
 */
export function putForward(
  afterMs: number,
  timezone: string,
  timeAt: (offsetMinutes: number) => number | null,
): number | null {
  const before = offsetMinutes(afterMs, timezone);
  const timeMs = timeAt(before);
  if (timeMs === null) return null;
  const skippedMs = (offsetMinutes(timeMs, timezone) - before) * MINUTE_MS;
  if (skippedMs <= 0) return null;
  let [unchangedMs, changedMs] = [afterMs, timeMs];
  while (changedMs - unchangedMs > 1) {
    const middleMs = Math.floor((unchangedMs + changedMs) / 2);
    if (offsetMinutes(middleMs, timezone) === before) unchangedMs = middleMs;
    else changedMs = middleMs;
  }
  return timeMs - changedMs < skippedMs ? changedMs : null;
}

/** Returns the minutes by which a zone is ahead of UTC at a moment. */
function offsetMinutes(atMs: number, timezone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    timeZoneName: 'longOffset',
  }).formatToParts(atMs);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
