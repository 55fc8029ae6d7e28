import { isQueryKey, isTagKey, nearestKey, QUERY_KEYS, type QueryKeyName, TAG_PREFIX } from './query-keys.ts';
import { QUERY_CHARS_MAX, QUERY_TERMS_MAX, QUERY_VALUES_MAX } from './query-limits.ts';
import { readAmount, readComparison, readMoment } from './query-values.ts';

/**
 * The query language of incidents (docs/contract/team-workflow.md 1.1): the one reader of it, for the server, the
 * dashboard, the command line and agents.
 */

/** One of the values of a filter. */
export interface QueryValue {
  text: string;
  /** Written in quotes, so that it has no wildcard and no comparison. */
  isQuoted: boolean;
}

export interface FilterTerm {
  kind: 'filter';
  key: QueryKeyName | 'tag';
  /** Only for a tag: its key. */
  tag: string | null;
  /** One of them must fit. */
  values: readonly QueryValue[];
  isNegated: boolean;
  /** The term in the form in which it was written. */
  source: string;
  /** The index in the query at which the term begins. */
  at: number;
}

export interface TextTerm {
  kind: 'text';
  text: string;
  /** Written in quotes. */
  isPhrase: boolean;
  isNegated: boolean;
  source: string;
  at: number;
  /** The key that a word with a colon was probably meant to begin with. */
  nearest: QueryKeyName | null;
}

export type QueryTerm = FilterTerm | TextTerm;

/** The fault in a query, in words that follow `q: `. */
interface QueryFault {
  words: string;
  /** The index at which the wrong term begins; null for the whole query. */
  at: number | null;
}

type QueryReading = { terms: readonly QueryTerm[]; fault: QueryFault | null };

const SPACE = /\s/u;
/** A mark that comes along when text is copied. */
const INVISIBLE = /[\u200b-\u200f\u061c\u202a-\u202e\u2060\u2066-\u2069\ufeff]/;

/** Reads a query. A fault does not keep its terms from being read. */
export function readQuery(query: string): QueryReading {
  const terms: QueryTerm[] = [];
  let at = 0;
  while (at < query.length) {
    if (SPACE.test(query[at] ?? '')) {
      at += 1;
      continue;
    }
    const { term, end } = readTerm(query, at);
    if (term !== null) terms.push(term);
    at = end;
  }
  return { terms, fault: faultOf(query, terms) };
}

function readTerm(query: string, start: number): { term: QueryTerm | null; end: number } {
  const isNegated = negates(query, start);
  const at = isNegated ? start + 1 : start;
  const filter = readFilter(query, at);
  if (filter !== null) {
    const source = query.slice(start, filter.end);
    return { term: { ...filter.term, isNegated, source, at: start }, end: filter.end };
  }
  const isPhrase = query[at] === '"';
  const { text, end } = isPhrase ? readQuoted(query, at) : readWord(query, at);
  const shown = isPhrase ? text.trim() : visible(text);
  if (shown === '') return { term: null, end };
  const colon = isPhrase ? -1 : shown.indexOf(':');
  const nearest =
    colon > 0 && colon < shown.length - 1 && shown[colon + 1] !== '/'
      ? nearestKey(shown.slice(0, colon))
      : null;
  return {
    term: {
      kind: 'text',
      text: shown,
      isPhrase,
      isNegated,
      source: query.slice(start, end),
      at: start,
      nearest,
    },
    end,
  };
}

/** Before a word or a quotation; `-1`, `--flag`, `!=` and `-` alone are text. */
function negates(query: string, at: number): boolean {
  return (query[at] === '-' || query[at] === '!') && /^["\p{L}_]/u.test(query.slice(at + 1, at + 3));
}

function readFilter(
  query: string,
  start: number,
): { term: Pick<FilterTerm, 'kind' | 'key' | 'tag' | 'values'>; end: number } | null {
  const colon = query.indexOf(':', start);
  if (colon === -1) return null;
  const name = query.slice(start, colon);
  const tag =
    name.startsWith(TAG_PREFIX) && isTagKey(name.slice(TAG_PREFIX.length))
      ? name.slice(TAG_PREFIX.length)
      : null;
  if (tag === null && !isQueryKey(name)) return null;
  // `http://…` and `file://…` are addresses.
  if (query.startsWith('//', colon + 1)) return null;
  const { values, end } = readValues(query, colon + 1);
  if (values.length === 0) return null;
  const key = tag === null && isQueryKey(name) ? name : 'tag';
  return { term: { kind: 'filter', key, tag, values }, end };
}

function readValues(query: string, start: number): { values: QueryValue[]; end: number } {
  const values: QueryValue[] = [];
  let at = start;
  while (at < query.length && !SPACE.test(query[at] ?? '')) {
    if (query[at] === ',') {
      at += 1;
      continue;
    }
    const isQuoted = query[at] === '"';
    const { text, end } = isQuoted ? readQuoted(query, at) : readWord(query, at, ',');
    const shown = isQuoted ? text : visible(text);
    if (shown !== '') values.push({ text: shown, isQuoted });
    at = end;
    // Text right after a quotation is a separate term.
    if (isQuoted && query[at] !== ',') break;
  }
  return { values, end: at };
}

/** To the next single quotation mark, or to the end where there is none; one of the text itself is written twice. */
function readQuoted(query: string, start: number): { text: string; end: number } {
  let text = '';
  let from = start + 1;
  for (;;) {
    const close = query.indexOf('"', from);
    if (close === -1) return { text: text + query.slice(from), end: query.length };
    text += query.slice(from, close);
    if (query[close + 1] !== '"') return { text, end: close + 1 };
    text += '"';
    from = close + 2;
  }
}

function readWord(query: string, start: number, stop = ''): { text: string; end: number } {
  let end = start;
  while (end < query.length && !SPACE.test(query[end] ?? '') && query[end] !== stop) end += 1;
  return { text: query.slice(start, end), end };
}

/**
 * Returns a word without the invisible marks at its ends. It is a loop, since a pattern for the end restarts at every
 * mark.
 */
function visible(word: string): string {
  let start = 0;
  let end = word.length;
  while (start < end && INVISIBLE.test(word[start] ?? '')) start += 1;
  while (end > start && INVISIBLE.test(word[end - 1] ?? '')) end -= 1;
  return word.slice(start, end);
}

function faultOf(query: string, terms: readonly QueryTerm[]): QueryFault | null {
  if ([...query].length > QUERY_CHARS_MAX)
    return { words: `must have at most ${QUERY_CHARS_MAX} characters`, at: null };
  if (terms.length > QUERY_TERMS_MAX)
    return { words: `must have at most ${QUERY_TERMS_MAX} terms`, at: null };
  for (const term of terms) {
    if (term.kind === 'text') continue;
    const name = term.key === 'tag' ? `${TAG_PREFIX}${term.tag}` : term.key;
    if (term.values.length > QUERY_VALUES_MAX) {
      return { words: `${name} takes at most ${QUERY_VALUES_MAX} values`, at: term.at };
    }
    if (term.key === 'tag') continue;
    for (const value of term.values) {
      const words = valueFault(term.key, value);
      if (words !== null) return { words: `${name} ${words}`, at: term.at };
    }
  }
  return null;
}

const FINGERPRINT = /^[0-9a-f]{8,64}$/i;
const HTTP = /^(?:[1-5]xx|[1-5]\d\d)$/i;

function valueFault(key: QueryKeyName, { text }: QueryValue): string | null {
  const { values } = QUERY_KEYS[key];
  switch (values.kind) {
    case 'words':
      return (values.words as readonly string[]).includes(text) ? null : `takes ${values.words.join(', ')}`;
    case 'ordered':
      return (values.words as readonly string[]).includes(readComparison(text).rest)
        ? null
        : `takes ${values.words.join(', ')}, also with >= or <=`;
    case 'number':
      return readAmount(text) === null ? 'takes a number, such as 10 or >100' : null;
    case 'time':
      return readMoment(text, 0) === null ? 'takes a time or an age, such as >2026-03-24 or <24h' : null;
    default:
      if (key === 'http' && !HTTP.test(text)) return 'takes a status, such as 404 or 5xx';
      if (key === 'fingerprint' && !FINGERPRINT.test(text)) return 'takes 8 to 64 hexadecimal digits';
      return null;
  }
}

/** The sentence about a word that was probably meant as a filter; null where every word was understood. */
export function misspelledKey(terms: readonly QueryTerm[]): string | null {
  for (const term of terms) {
    if (term.kind !== 'text' || term.nearest === null) continue;
    const written = term.text.slice(0, term.text.indexOf(':'));
    return `No filter is called "${written}". Did you mean "${term.nearest}:"?`;
  }
  return null;
}
