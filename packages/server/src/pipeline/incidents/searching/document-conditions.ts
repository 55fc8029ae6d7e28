import type { FilterTerm } from '@culprit/contract/search/incident-query';
import { factLexeme, wordLexeme } from '@culprit/evidence/incidents/search-document';
import { beginningsOf } from '@culprit/evidence/incidents/search-words';
import { allOf, anyOf, type Bind, type Condition, RANK, unionOf } from './query-condition.ts';
import { type FactBeginning, globSearch } from './query-globs.ts';

/** Conditions that the document of an incident, its title and its messages meet. */

const COLUMN_OF = { type: 'types', file: 'files', function: 'functions', route: 'routes' } as const;

/** Returns the condition that a type, file, function or route fits a glob. */
export function globbed(term: FilterTerm, key: keyof typeof COLUMN_OF, scopes: readonly string[]): Condition {
  const searches = term.values.map(({ text, isQuoted }) => globSearch(key, text, isQuoted));
  // Most rows have no text that fits: the texts of a row are compared together before they are each by itself.
  const recheckOf = (bind: Bind, { pattern }: (typeof searches)[number]) => {
    const texts = `s.${COLUMN_OF[key]}`;
    if (pattern === null) return '';
    if (pattern === '') return `and ${texts} <> '{}'`;
    return `and array_to_string(${texts}, e'\\n') ~* ${bind(`(?w)${pattern}`, 'text')}
        and exists (select from unnest(${texts}) each where each ~* ${bind(pattern, 'text')})`;
  };
  const one = (bind: Bind, search: (typeof searches)[number]) => {
    const query = factsQuery(search.facts, scopes);
    const recheck = recheckOf(bind, search);
    return query === null ? hasRow(recheck) : hasDocument(bind, query, recheck);
  };
  const each = (bind: Bind, limit: string) =>
    searches.map((search) => {
      const query = factsQuery(search.facts, scopes);
      const recheck = recheckOf(bind, search);
      return query === null ? findsRow(recheck, limit) : findsDocument(bind, query, recheck, limit);
    });
  const queries = searches.map(({ facts }) => factsQuery(facts, scopes));
  return {
    fits: (bind) => anyOf(searches.map((search) => one(bind, search))),
    finds: queries.every((query) => query !== null) ? null : (bind) => unionOf(each(bind, '$2')),
    document: queries.every((query) => query !== null)
      ? queries.map((query) => `(${query})`).join(' | ')
      : null,
    all: (bind, limit) => allOf(each(bind, limit)),
    lexemes: searches.every(({ pattern }) => pattern === null)
      ? queries.map((query) => `(${query ?? NOTHING})`).join(' | ')
      : null,
    rank: RANK.document,
  };
}

/** Returns the condition for a name in a column, which is part of the document too. */
export function named(
  { values }: FilterTerm,
  column: string,
  kind: FactBeginning['kind'],
  scopes: readonly string[],
): Condition {
  const facts = values.map(({ text, isQuoted }) => beginning(kind, text, isQuoted));
  return {
    fits: (bind) =>
      anyOf(
        facts.map(({ value, isPrefix }) =>
          isPrefix ? `starts_with(${column}, ${bind(value, 'text')})` : `${column} = ${bind(value, 'text')}`,
        ),
      ),
    finds: null,
    document: factsQuery(facts, scopes),
    rank: RANK.document,
  };
}

/** Returns the condition that one of the facts is in the document. */
export function documented(facts: readonly FactBeginning[], scopes: readonly string[]): Condition {
  const query = factsQuery(facts, scopes) ?? NOTHING;
  return {
    fits: (bind) => hasDocument(bind, query, ''),
    finds: null,
    document: query,
    all: (bind, limit) => findsDocument(bind, query, '', limit),
    lexemes: query,
    rank: RANK.document,
  };
}

/** Returns the fact of a text that ends in `*`, or is exact. */
export function beginning(kind: FactBeginning['kind'], text: string, isQuoted: boolean): FactBeginning {
  const isPrefix = !isQuoted && text.endsWith('*');
  return { kind, value: isPrefix ? text.slice(0, -1) : text, isPrefix };
}

/** Returns the condition that the title has the text. */
export function titleHas(bind: Bind, text: string): string {
  // Row by row, as the rows are met; with `exists` the titles of all projects would be read.
  return `position(lower(${bind(text, 'text')}) in
    (select t.title from incident_titles t where t.incident_id = i.incident_id)) > 0`;
}

/** Finds incidents by their titles. */
export function findsTitle(bind: Bind, text: string, limit = '$2'): string {
  return `select t.incident_id from incident_titles t
    where t.project_id = any ($1::uuid[]) and position(lower(${bind(text, 'text')}) in t.title) > 0 limit ${limit}`;
}

/** Returns what is checked again in documents whose messages must have the text. */
export function messageHas(bind: Bind, text: string): string {
  return `and exists (select from unnest(s.messages) each
    where position(${bind(text.toLowerCase(), 'text')} in each) > 0)`;
}

/** Returns the condition that the document fits. */
export function hasDocument(bind: Bind, query: string, recheck: string): string {
  return hasRow(`and s.document @@ ${bind(query, 'tsquery')} ${recheck}`);
}

/**
 * The condition of `hasDocument`, row by row as the rows are met: as a part of an `or`, `exists` would read the documents
 * of the whole project before the first row. Those of rare words were found before. A negated word that nearly all have is
 * the opposite: every row would be met.
 */
export function documentHas(bind: Bind, query: string, recheck: string): string {
  return `(select s.document @@ ${bind(query, 'tsquery')} ${recheck} from incident_search s
    where s.incident_id = i.incident_id) is true`;
}

/** Without its project, which the documents name: PostgreSQL would read the rows of all of them by it. */
function hasRow(condition: string): string {
  return `exists (select from incident_search s where s.incident_id = i.incident_id ${condition})`;
}

/** Finds incidents by the index of documents. */
export function findsDocument(bind: Bind, query: string, recheck = '', limit = '$2'): string {
  return findsRow(`and s.document @@ ${bind(query, 'tsquery')} ${recheck}`, limit);
}

function findsRow(condition: string, limit: string): string {
  return `select s.incident_id from incident_search s
    where s.project_id = any ($1::uuid[]) ${condition} limit ${limit}`;
}

/** Fits no document. */
export const NOTHING = `'\u00a0'`;

/** The words of a text, each the beginning of a word of the document; null without any. */
export function wordsQuery(text: string, scopes: readonly string[]): string | null {
  const words = beginningsOf(text);
  if (words.length === 0) return null;
  return scopes
    .map((scope) => `(${words.map((word) => `${quoted(wordLexeme(scope, word))}:*`).join(' & ')})`)
    .join(' | ');
}

function factsQuery(facts: readonly FactBeginning[], scopes: readonly string[]): string | null {
  if (facts.length === 0) return null;
  return scopes
    .flatMap((scope) =>
      facts.map(
        ({ kind, value, isPrefix }) => `${quoted(factLexeme(scope, kind, value))}${isPrefix ? ':*' : ''}`,
      ),
    )
    .join(' | ');
}

function quoted(lexeme: string): string {
  return `'${lexeme.replace(/['\\]/g, '$&$&').replaceAll('\0', '\ufffd')}'`;
}
