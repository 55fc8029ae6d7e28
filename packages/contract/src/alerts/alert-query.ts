import { type QueryTerm, readQuery } from '../search/incident-query.ts';
import type { QueryKeyName } from '../search/query-keys.ts';
import { ALERT_QUERY_CHARS_MAX } from '../search/query-limits.ts';

/** The queries of alert rules (docs/contract/notifications.md 1.23): those of lists, without what passes with time. */

/** Filters that a rule may have. The others are about moments and counts, or about the person who asks. */
const KEYS: ReadonlySet<QueryKeyName | 'tag'> = new Set([
  'is',
  'severity',
  'priority',
  'assignee',
  'team',
  'service',
  'env',
  'release',
  'type',
  'message',
  'title',
  'file',
  'function',
  'route',
  'http',
  'kind',
  'trust',
  'tag',
]);
const IS_WORDS = ['assigned', 'unassigned'];

/** Returns the fault in the query of a rule, in words that follow the name of its field, or null if there is none. */
export function alertQueryFault(query: string): string | null {
  if ([...query].length > ALERT_QUERY_CHARS_MAX)
    return `must have at most ${ALERT_QUERY_CHARS_MAX} characters`;
  const { terms, fault } = readQuery(query);
  if (terms.length === 0) return 'must have a term';
  if (fault !== null) return fault.at === null ? fault.words : placed(fault.words, fault.at);
  for (const term of terms) {
    const words = termFault(term);
    if (words !== null) return placed(words, term.at);
  }
  return null;
}

function placed(words: string, at: number): string {
  return `${words} (at character ${at + 1})`;
}

function termFault(term: QueryTerm): string | null {
  if (term.kind === 'text')
    return term.nearest === null ? null : `has no such filter; "${term.nearest}:" was probably meant`;
  if (!KEYS.has(term.key)) return `${term.key} cannot be used in an alert rule`;
  const values = term.values.map(({ text }) => text);
  if (term.key === 'is' && !values.every((word) => IS_WORDS.includes(word)))
    return `is takes ${IS_WORDS.join(' or ')} in an alert rule`;
  if (term.key === 'assignee' && values.some((word) => word.toLowerCase() === 'me'))
    return 'assignee cannot be "me" in an alert rule';
  return null;
}

/** Filters whose facts are counted some seconds after the event. */
const COUNTED_LATER: ReadonlySet<string> = new Set(['tag', 'release', 'message', 'route', 'http']);

/** Returns true if a query can be evaluated only after the tags of the event are counted. */
export function waitsForTags(query: string): boolean {
  return readQuery(query).terms.some((term) => term.kind === 'text' || COUNTED_LATER.has(term.key));
}
