/** 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z; both ends fit `timestamptz`. */
const MIN_MS = -62_135_596_800_000;
const MAX_MS = 253_402_300_799_999;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Reads an ISO 8601 date-time in the extended form (docs/contract/ingestion.md 1.2): seconds and their fraction of up
 * to nine digits are optional, `Z`, `±hh:mm`, `±hhmm`, `±hh` or nothing follows, and nothing means UTC. A date alone,
 * a date that does not exist, hour 24 and second 60 are no times; instants outside the years 1 to 9999 neither.
 * @returns milliseconds since the epoch, further digits cut off, or null
 */
export function parseIsoTime(text: string): number | null {
  return readTime(text, false);
}

/** As `parseIsoTime`, but `Z` or an offset must be there: the form of queries, bodies and RFC 3339 fields. */
export function parseQueryTime(text: string): number | null {
  return readTime(text, true);
}

function readTime(text: string, offsetRequired: boolean): number | null {
  const length = text.length;
  if (length < 16 || length > 35) return null;
  if (
    text.charCodeAt(4) !== DASH ||
    text.charCodeAt(7) !== DASH ||
    (text.charCodeAt(10) | 32) !== LOWER_T ||
    text.charCodeAt(13) !== COLON
  ) {
    return null;
  }
  const century = twoDigits(text, 0);
  const yearOfCentury = twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  if ((century | yearOfCentury | month | day | hour | minute) < 0) return null;
  const year = century * 100 + yearOfCentury;
  if (year === 0 || month === 0 || month > 12 || hour > 23 || minute > 59) return null;
  if (day === 0 || day > daysInMonth(year, month)) return null;

  let at = 16;
  let second = 0;
  let millisecond = 0;
  if (text.charCodeAt(at) === COLON) {
    second = twoDigits(text, at + 1);
    if (second < 0 || second > 59) return null;
    at += 3;
    const mark = text.charCodeAt(at);
    if (mark === DOT || mark === COMMA) {
      const start = at + 1;
      at = start;
      let weight = 100;
      for (; at < length; at += 1) {
        const digit = text.charCodeAt(at) - ZERO;
        if (digit < 0 || digit > 9) break;
        if (at < start + 3) millisecond += digit * weight;
        weight /= 10;
      }
      if (at === start || at > start + 9) return null;
    }
  }
  const offsetMinutes = readOffset(text, at, offsetRequired);
  if (offsetMinutes === null) return null;
  const seconds =
    daysSinceEpoch(year, month, day) * 86_400 + hour * 3_600 + (minute - offsetMinutes) * 60 + second;
  const ms = seconds * 1_000 + millisecond;
  return ms >= MIN_MS && ms <= MAX_MS ? ms : null;
}

/** Minutes east of UTC written from `at` to the end of the text, or null. */
function readOffset(text: string, at: number, isRequired: boolean): number | null {
  const left = text.length - at;
  if (left === 0) return isRequired ? null : 0;
  const sign = text.charCodeAt(at);
  if (left === 1) return (sign | 32) === LOWER_Z ? 0 : null;
  if (sign !== PLUS && sign !== DASH) return null;
  const hours = twoDigits(text, at + 1);
  let minutes = 0;
  if (left === 5) minutes = twoDigits(text, at + 3);
  else if (left === 6 && text.charCodeAt(at + 3) === COLON) minutes = twoDigits(text, at + 4);
  else if (left !== 3) return null;
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return null;
  return (sign === PLUS ? 1 : -1) * (hours * 60 + minutes);
}

/** The number of two digits, or -1. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1;
}

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : (DAYS_IN_MONTH[month - 1] ?? 0);
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysSinceEpoch(year: number, month: number, day: number): number {
  const before = year - 1;
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400);
  const leapDayOfYear = month > 2 && isLeapYear(year) ? 1 : 0;
  return (
    before * 365 + leapDays + (DAYS_BEFORE_MONTH[month - 1] ?? 0) + leapDayOfYear + day - DAYS_BEFORE_1970
  );
}

/** Days from 0001-01-01 up to and including 1970-01-01. */
const DAYS_BEFORE_1970 = 719_163;

const ZERO = 48;
const COLON = 58;
const DASH = 45;
const DOT = 46;
const COMMA = 44;
const PLUS = 43;
const LOWER_T = 116;
const LOWER_Z = 122;
