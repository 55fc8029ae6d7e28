/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z; both ends fit `timestamptz`. */
const MIN_MS = -62_135_596_800_000;
const MAX_MS = 253_402_300_799_999;

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Reads a date-time of ISO 8601, RFC 3339 or RFC 9557 (docs/contract/ingestion.md 1.2): calendar, week or ordinal date,
 * extended or basic; `T`, `t` or a blank; hours with optional minutes and seconds, of which the last has a fraction of
 * any length; `Z`, an offset, or nothing, which means UTC; a zone and other annotations in brackets, which are skipped.
 * Hour 24 and second 60 are the start of the next day and minute. Instants outside the years 1 to 9999 are read as the
 * first or last one of these.
 *
 * A date alone is no time, nor is one that does not exist. Linear in the length of the text.
 * @returns milliseconds since the epoch, further digits cut off, or null
 */
export function parseIsoTime(text: string): number | null {
  const date = readDate(text);
  if (date === null || !isDateEnd(text.charCodeAt(date.end))) return null;
  const time = readTimeOfDay(text, date.end + 1);
  if (time === null) return null;
  const offset = readOffset(text, time.end);
  if (offset === null || !isAnnotated(text, offset.end)) return null;
  return Math.min(Math.max(date.value * DAY_MS + time.value - offset.value, MIN_MS), MAX_MS);
}

/** The value that was read, and the index after it. */
interface Read {
  value: number;
  end: number;
}

/** Days since the epoch. */
function readDate(text: string): Read | null {
  const year = readYear(text);
  if (year === null) return null;
  const isExtended = isHyphen(text.charCodeAt(year.end));
  // A signed year has no fixed length, so only a hyphen ends it.
  if (!isExtended && year.end !== 4) return null;
  const start = isExtended ? year.end + 1 : year.end;
  if (text.charCodeAt(start) === UPPER_W) return readWeekDate(text, start + 1, year.value, isExtended);
  const digits = digitsEnd(text, start) - start;
  if (digits === 3) return dayOfYear(year.value, numberAt(text, start, 3), start + 3);
  const month = numberAt(text, start, 2);
  if (digits !== (isExtended ? 2 : 4) || (isExtended && !isHyphen(text.charCodeAt(start + 2)))) return null;
  const dayAt = isExtended ? start + 3 : start + 2;
  const day = numberAt(text, dayAt, 2);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year.value, month)) return null;
  return { value: daysToYear(year.value) + daysToMonth(year.value, month) + day - 1, end: dayAt + 2 };
}

/** Four digits, or a sign and up to ten, as JavaScript and Java write years beyond 9999. */
function readYear(text: string): Read | null {
  const sign = signAt(text, 0);
  const start = sign === 0 ? 0 : 1;
  const end = sign === 0 ? 4 : digitsEnd(text, start);
  const year = numberAt(text, start, end - start);
  return year < 0 || end - start < 4 || end - start > 10 ? null : { value: sign < 0 ? -year : year, end };
}

/** Week 1 is the one with the fourth of January; weeks begin on Monday. */
function readWeekDate(text: string, start: number, year: number, isExtended: boolean): Read | null {
  const week = numberAt(text, start, 2);
  const dayAt = isExtended ? start + 3 : start + 2;
  if (isExtended && !isHyphen(text.charCodeAt(start + 2))) return null;
  const day = numberAt(text, dayAt, 1);
  const first = firstWeek(year);
  const weeks = (firstWeek(year + 1) - first) / 7;
  if (week < 1 || week > weeks || day < 1 || day > 7) return null;
  return { value: first + (week - 1) * 7 + day - 1, end: dayAt + 1 };
}

/** The Monday of week 1. */
function firstWeek(year: number): number {
  const fourth = daysToYear(year) + 3;
  // The epoch was a Thursday.
  return fourth - ((((fourth + 3) % 7) + 7) % 7);
}

function dayOfYear(year: number, day: number, end: number): Read | null {
  if (day < 1 || day > (isLeapYear(year) ? 366 : 365)) return null;
  return { value: daysToYear(year) + day - 1, end };
}

/** Milliseconds since midnight; a fraction is one of the smallest unit that is written. */
function readTimeOfDay(text: string, start: number): Read | null {
  const clock = readClock(text, start);
  if (clock === null) return null;
  const { unitMs } = clock;
  let { value, end } = clock;
  const mark = text.charCodeAt(end);
  if (mark === DOT || mark === COMMA) {
    const from = end + 1;
    end = digitsEnd(text, from);
    if (end === from) return null;
    const digits = Math.min(end - from, FRACTION_DIGITS_USED);
    value += Math.floor((numberAt(text, from, digits) * unitMs) / 10 ** digits);
  }
  const isPastMidnight = value > DAY_MS && numberAt(text, start, 2) === 24;
  return isPastMidnight ? null : { value, end };
}

/** That of an hour goes far below a millisecond, and its product is exact in a double. */
const FRACTION_DIGITS_USED = 9;

/** `hh`, `hh:mm`, `hh:mm:ss`, `hhmm` or `hhmmss`, with the length of the last unit. */
function readClock(text: string, start: number): (Read & { unitMs: number }) | null {
  const hour = numberAt(text, start, 2);
  if (hour < 0 || hour > 24) return null;
  let end = start + 2;
  let value = hour * HOUR_MS;
  let unitMs = HOUR_MS;
  const isExtended = text.charCodeAt(end) === COLON;
  while (unitMs > SECOND_MS) {
    if (isExtended ? text.charCodeAt(end) !== COLON : !isDigit(text.charCodeAt(end))) break;
    const at = isExtended ? end + 1 : end;
    const part = numberAt(text, at, 2);
    unitMs /= 60;
    if (part < 0 || part > (unitMs === SECOND_MS ? 60 : 59)) return null;
    value += part * unitMs;
    end = at + 2;
  }
  return { value, end, unitMs };
}

/** Milliseconds east of UTC; nothing is UTC. One blank may precede an offset. */
function readOffset(text: string, start: number): Read | null {
  const at = text.charCodeAt(start) === BLANK ? start + 1 : start;
  if ((text.charCodeAt(at) | 32) === LOWER_Z) return { value: 0, end: at + 1 };
  const sign = signAt(text, at);
  if (sign === 0) return at === start ? { value: 0, end: start } : null;
  const clock = readClock(text, at + 1);
  return clock === null || clock.value >= DAY_MS ? null : { value: sign * clock.value, end: clock.end };
}

/** Returns true if only annotations such as `[Europe/Berlin]` and `[!u-ca=gregory]` follow. */
function isAnnotated(text: string, start: number): boolean {
  let at = start;
  while (text.charCodeAt(at) === OPEN_BRACKET) {
    const from = at + 1;
    at = from;
    while (isAnnotation(text.charCodeAt(at))) at += 1;
    if (at === from || text.charCodeAt(at) !== CLOSE_BRACKET) return false;
    at += 1;
  }
  return at === text.length;
}

/** Letters, digits and `!+-./:=_~`. */
function isAnnotation(code: number): boolean {
  const lower = code | 32;
  return (code >= DASH && code <= COLON) || (lower >= LOWER_A && lower <= LOWER_Z) || OTHER_MARKS.has(code);
}

/** The number of so many digits, or -1. */
function numberAt(text: string, start: number, digits: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at += 1) {
    const code = text.charCodeAt(at);
    if (!isDigit(code)) return -1;
    value = value * 10 + code - ZERO;
  }
  return value;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function signAt(text: string, at: number): -1 | 0 | 1 {
  const code = text.charCodeAt(at);
  if (code === PLUS) return 1;
  return isHyphen(code) ? -1 : 0;
}

function isDateEnd(code: number): boolean {
  return code === BLANK || (code | 32) === LOWER_T;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code <= ZERO + 9;
}

/** ISO 8601 names a hyphen and a minus, and lets one character be both where there is but one. */
function isHyphen(code: number): boolean {
  return code === DASH || code === HYPHEN || code === MINUS;
}

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

function daysToMonth(year: number, month: number): number {
  return (DAYS_BEFORE_MONTH[month - 1] ?? 0) + (month > 2 && isLeapYear(year) ? 1 : 0);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** From the epoch to the first of January. */
function daysToYear(year: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  return before * 365 + leapDays - DAYS_BEFORE_1970;
}

/** From 0001-01-01. */
const DAYS_BEFORE_1970 = 719_162;
const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const ZERO = 48;
const COLON = 58;
const DASH = 45;
const HYPHEN = 0x2010;
const MINUS = 0x2212;
const DOT = 46;
const COMMA = 44;
const PLUS = 43;
const BLANK = 32;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const UPPER_W = 87;
const LOWER_A = 97;
const LOWER_T = 116;
const LOWER_Z = 122;
const OTHER_MARKS: ReadonlySet<number> = new Set([...'!+=_~'].map((mark) => mark.charCodeAt(0)));
