import { isQueryKey, isTagKey, QUERY_KEY_NAMES, QUERY_KEYS, TAG_PREFIX } from './query-keys.ts';

/** The last term of a query, which is being typed. */
export interface OpenTerm {
  /** The position of its beginning. */
  start: number;
  sign: string;
  /** The key before the colon; null while there is none. */
  key: string | null;
  /** The text before the value that is being written: sign, key, colon and earlier values. */
  before: string;
  /** The written part of the word or value. */
  typed: string;
}

const OPEN = /(?:^|\s)([-!]?)([^\s"]*(?:"[^"]*)?)$/u;

/** Returns the last term of a query in its present state; null inside of a quoted text. */
export function openTerm(query: string): OpenTerm | null {
  const found = OPEN.exec(query);
  if (found === null) return null;
  const [, sign = '', body = ''] = found;
  const start = query.length - sign.length - body.length;
  const colon = body.indexOf(':');
  const key = colon === -1 ? null : body.slice(0, colon);
  if (key === null || !isFilterKey(key)) {
    return body.includes('"') ? null : { start, sign, key: null, before: sign, typed: body };
  }
  const from = Math.max(colon, body.lastIndexOf(',')) + 1;
  return {
    start,
    sign,
    key,
    before: `${sign}${body.slice(0, from)}`,
    typed: body.slice(from).replace(/^"/, ''),
  };
}

function isFilterKey(key: string): boolean {
  return isQueryKey(key) || (key.startsWith(TAG_PREFIX) && isTagKey(key.slice(TAG_PREFIX.length)));
}

/** Keys that begin as the word does, the tags of a project behind them. */
export function keySuggestions(
  { before, typed }: OpenTerm,
  tagKeys: readonly string[],
): { text: string; hint: string }[] {
  const lower = typed.toLowerCase();
  const keys = QUERY_KEY_NAMES.map((key) => ({ key: key as string, hint: QUERY_KEYS[key].hint as string }));
  const tags = tagKeys.map((key) => ({ key: `${TAG_PREFIX}${key}`, hint: 'Tag' }));
  return [...keys, ...tags]
    .filter(({ key }) => key.startsWith(lower))
    .map(({ key, hint }) => ({ text: `${before}${key}:`, hint }));
}

/** Words of a closed list that begin as the value does; null for a key that has none. */
export function closedWords(key: string): readonly string[] | null {
  if (!isQueryKey(key)) return null;
  const { values } = QUERY_KEYS[key];
  return 'words' in values ? values.words : null;
}
