import { parseRequestTimestamp } from '../schemas/timestamps.ts';

/** The reading of numbers, orders and times in values (docs/contract/team-workflow.md 1.1). */

export type Comparison = '=' | '>' | '>=' | '<' | '<=';

/** A value without the comparison before it. */
export function readComparison(text: string): { comparison: Comparison | null; rest: string } {
  const found = /^(?:>=|<=|>|<|=)/.exec(text)?.[0] as Comparison | undefined;
  return { comparison: found ?? null, rest: text.slice(found?.length ?? 0) };
}

const NUMBER = /^\d{1,15}$/;

/** A whole number with its comparison; null for another text. */
export function readAmount(text: string): { comparison: Comparison; amount: number } | null {
  const { comparison, rest } = readComparison(text);
  return NUMBER.test(rest) ? { comparison: comparison ?? '=', amount: Number(rest) } : null;
}

/** A span of time; null: without an end. */
interface Span {
  fromMs: number | null;
  beforeMs: number | null;
}

const AGE = /^(\d{1,6})(m|min|h|d|w)$/;
const AGE_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const DAY = /^\d{4}-\d\d-\d\d$/;
const SECONDS = /:\d\d:\d\d/;
const FRACTION = /:\d\d:\d\d[.,]/;

/**
 * The times that a value means. An age alone is the time since then, a day alone is that day, and a time alone the
 * second, or the minute where no seconds are written. Without an offset, times are UTC. Null for what is no time.
 */
export function readMoment(text: string, nowMs: number): Span | null {
  const { comparison, rest } = readComparison(text);
  const age = AGE.exec(rest);
  if (age !== null) {
    const atMs = nowMs - Number(age[1]) * (AGE_MS[age[2] ?? ''] ?? 0);
    // Older than an age is before a time.
    return comparison === '>' || comparison === '>='
      ? { fromMs: null, beforeMs: atMs }
      : { fromMs: atMs, beforeMs: null };
  }
  const written = readWritten(rest);
  if (written === null) return null;
  const { fromMs, beforeMs } = written;
  switch (comparison) {
    case '>':
      return { fromMs: beforeMs, beforeMs: null };
    case '>=':
      return { fromMs, beforeMs: null };
    case '<':
      return { fromMs: null, beforeMs: fromMs };
    case '<=':
      return { fromMs: null, beforeMs };
    default:
      return written;
  }
}

/** From its first moment to the first behind it. */
function readWritten(text: string): { fromMs: number; beforeMs: number } | null {
  const isDay = DAY.test(text);
  const written = isDay ? `${text}T00:00` : text.replace(' ', 'T');
  const fromMs = parseRequestTimestamp(written) ?? parseRequestTimestamp(`${written}Z`);
  if (fromMs === null) return null;
  const lengthMs = isDay ? 86_400_000 : FRACTION.test(text) ? 1 : SECONDS.test(text) ? 1000 : 60_000;
  return { fromMs, beforeMs: fromMs + lengthMs };
}
