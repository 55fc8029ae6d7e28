import { parseRequestTimestamp } from '@culprit/contract/schemas/timestamps';
import { Problem } from './problem.ts';

const NAME_LENGTH_MAX = 100;

/**
 * The refusal of a query, with the parameter and what is wrong with it (docs/contract/account.md 0).
 */
export function invalidQuery(name: string, words: string): Problem {
  return new Problem('invalid_query', { reason: queryFault(name, words) });
}

/** The refusal of a cursor that no answer contained. */
export function invalidCursor(name: 'cursor' | 'after' = 'cursor'): Problem {
  return invalidQuery(name, 'is not a cursor of this list');
}

/** The refusal of times that are no span, or a longer one than is answered. */
export function invalidSpan(daysMax: number): Problem {
  return invalidQuery('from', `must be before to, by at most ${daysMax} days`);
}

/** A name that a client invented is cut, and everything but plain characters is percent-encoded. */
export function queryFault(name: string, words: string): string {
  return `${encodeURI(name.slice(0, NAME_LENGTH_MAX).toWellFormed())}: ${words}`;
}

/** The time of a parameter as milliseconds; null without one. @throws Problem `invalid_query` */
export function queryTime(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const timeMs = parseRequestTimestamp(text);
  if (timeMs === null) throw invalidQuery(name, 'must be a time such as 2026-03-24T10:30:00Z');
  return timeMs;
}
