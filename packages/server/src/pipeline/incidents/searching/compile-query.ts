import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { readShortId, type ShortId } from '@culprit/contract/incidents/short-id';
import { PRIORITY_LEVELS, SPIKING_MINUTES } from '@culprit/contract/incidents/triage-words';
import type { FilterTerm, QueryTerm, TextTerm } from '@culprit/contract/search/incident-query';
import { FINGERPRINT_PREFIX_MIN } from '@culprit/contract/search/query-limits';
import {
  type Comparison,
  readAmount,
  readComparison,
  readMoment,
} from '@culprit/contract/search/query-values';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { factLexeme, searchScope, wordLexeme } from '@culprit/evidence/incidents/search-document';
import { beginningsOf } from '@culprit/evidence/incidents/search-words';
import type { Parameter } from '../../../platform/db/database.ts';
import { parseId } from '../../../platform/ids.ts';
import { PRIORITY_OF, raisedIncidents } from '../triage/priority-rules.ts';
import { type FactBeginning, globSearch } from './query-globs.ts';

/** Adds a parameter to a statement and returns its name. */
export type Bind = (value: Parameter, type: string) => string;

/** A term of a query as SQL. */
export interface Condition {
  /** Returns the condition that an incident `i` matches. */
  fits: (bind: Bind) => string;
  /**
   * Finds the incidents that may fit, by an index: of projects `$1`, `$2` at most. Null where no index can, or where
   * the term is negated.
   */
  finds: ((bind: Bind) => string) | null;
  /** The condition that the index of documents can check, so that several terms are searched together; else null. */
  document: string | null;
  /** The less it finds, the lower. */
  rank: number;
  /** The priorities that fit, as places in `PRIORITY_LEVELS`, of a term that is about them. */
  priorities?: readonly number[];
}

export interface QueryContext {
  projectIds: readonly string[];
  nowMs: number;
  /** The person who asks. */
  userId: string;
  /** Numbers under which users are members of incidents, by the id that was written. */
  users: ReadonlyMap<string, bigint>;
}

/** Rank of the terms that find few, some and any number. */
const RANK = { id: 0, user: 1, state: 2, amount: 3, tag: 4, document: 5, message: 6, title: 7 } as const;

/** The rank of all terms together that the index of documents can check. */
export const DOCUMENTS_RANK = RANK.document;

/** Terms as conditions; those of `project` are resolved before. */
export function compileQuery(terms: readonly QueryTerm[], context: QueryContext): Condition[] {
  const scopes = [...new Set(context.projectIds.map(searchScope))];
  return terms.flatMap((term) => {
    if (term.kind === 'filter' && term.key === 'project') return [];
    const condition =
      term.kind === 'text' ? textCondition(term, scopes) : filterCondition(term, scopes, context);
    return [term.isNegated ? negated(condition) : condition];
  });
}

function negated({ fits }: Condition): Condition {
  return { fits: (bind) => `(${fits(bind)}) is not true`, finds: null, document: null, rank: 9 };
}

function plain(fits: Condition['fits']): Condition {
  return { fits, finds: null, document: null, rank: 9 };
}

/** Returns the condition that one of these is met, each of which an index of incidents can check. */
function indexed(parts: (bind: Bind) => string[]): Condition {
  return {
    fits: (bind) => anyOf(parts(bind)),
    finds: (bind) =>
      parts(bind)
        .map((part) => `(${ofIncidents(part)})`)
        .join(' union '),
    document: null,
    rank: RANK.amount,
  };
}

function textCondition({ text, isPhrase, isNegated }: TextTerm, scopes: readonly string[]): Condition {
  const id = parseId(['inc', 'bun'], text);
  const digits = fingerprintDigits(text);
  const shortId = readShortId(text);
  const words = wordsQuery(text, scopes);
  const inMessages = isPhrase;
  const documentFits = (bind: Bind) =>
    words === null
      ? 'false'
      : (isNegated ? hasDocument : documentHas)(bind, words, inMessages ? messageHas(bind, text) : '');
  return {
    fits: (bind) =>
      [
        titleHas(bind, text),
        documentFits(bind),
        ...(id === null ? [] : [`i.incident_id = ${bind(id, 'uuid')}`]),
        ...(shortId === null ? [] : [hasNumber(bind, shortId)]),
        ...(digits === null ? [] : [fingerprintBegins(bind, digits)]),
      ].join(' or '),
    finds: (bind) =>
      [
        findsTitle(bind, text),
        ...(words === null ? [] : [findsDocument(bind, words, inMessages ? messageHas(bind, text) : '')]),
        ...(id === null ? [] : [findsId(bind, [id])]),
        ...(shortId === null ? [] : [findsNumber(bind, shortId)]),
        ...(digits === null ? [] : [findsFingerprint(bind, digits)]),
      ]
        .map((each) => `(${each})`)
        .join(' union '),
    document: null,
    rank: RANK.title,
  };
}

function filterCondition(term: FilterTerm, scopes: readonly string[], context: QueryContext): Condition {
  const texts = term.values.map(({ text }) => text);
  switch (term.key) {
    case 'is': {
      const finders = texts.map((word) => FINDERS[word]);
      return {
        fits: (bind) => anyOf(texts.map((word) => isWord(bind, word, context))),
        finds: finders.every((finder) => finder !== undefined)
          ? (bind) => finders.map((finder) => `(${finder?.(bind, context) ?? ''})`).join(' union ')
          : null,
        document: null,
        rank: RANK.state,
      };
    }
    case 'severity':
      return indexed((bind) =>
        texts.map((text) => {
          const { comparison, rest } = readComparison(text);
          const rank = SEVERITIES.map(String).indexOf(rest);
          return `i.severity ${comparison ?? '='} ${bind(rank, 'smallint')}`;
        }),
      );
    case 'priority':
      return priorityCondition(texts);
    case 'assignee':
      return assigneeCondition(texts, context.userId);
    case 'team':
      return teamCondition(texts);
    case 'service':
      return named(term, 'i.service_name', 'service', scopes);
    case 'env':
      return named(term, 'i.environment', 'environment', scopes);
    case 'kind':
      return named(term, 'i.reason_kind', 'kind', scopes);
    case 'trust':
      return {
        fits: (bind) => {
          const sources = texts.map((word) => (word === 'browser' ? 1 : word === 'server' ? 2 : 3));
          return `i.sources = any (${bind(sources, 'integer[]')})`;
        },
        finds: texts.includes('server') ? null : () => ofIncidents('i.sources <> 2'),
        document: null,
        rank: RANK.state,
      };
    case 'count':
      return indexed((bind) => texts.map((text) => countIs(bind, text)));
    case 'users': {
      const amounts = texts.map((text) => readAmount(text));
      const least = Math.min(
        ...amounts.map((each) => (each === null || each.comparison.startsWith('<') ? 0 : each.amount)),
      );
      return {
        fits: (bind) => anyOf(texts.map((text) => amountIs(bind, 'i.affected_users', text))),
        finds:
          least < 1
            ? null
            : (bind) =>
                ofIncidents(
                  `i.users_step >= wide_step(${bind(least, 'bigint')}) and i.affected_users >= ${bind(least, 'bigint')}`,
                ),
        document: null,
        rank: RANK.state,
      };
    }
    case 'first_seen':
      return indexed((bind) => texts.map((text) => isWithin(bind, 'i.first_seen_at', text, context.nowMs)));
    case 'last_seen':
      return indexed((bind) =>
        texts.map((text) => isWithin(bind, 'i.last_seen_at', text, context.nowMs, 'i.seen_step')),
      );
    case 'id': {
      const ids = texts.flatMap((text) => parseId(['inc', 'bun'], text) ?? []);
      const shortIds = texts.flatMap((text) => readShortId(text) ?? []);
      return {
        fits: (bind) =>
          anyOf([
            `i.incident_id = any (${bind(ids, 'uuid[]')})`,
            ...shortIds.map((shortId) => hasNumber(bind, shortId)),
          ]),
        finds: (bind) =>
          [findsId(bind, ids), ...shortIds.map((shortId) => findsNumber(bind, shortId))]
            .map((each) => `(${each})`)
            .join(' union '),
        document: null,
        rank: RANK.id,
      };
    }
    case 'fingerprint':
      return {
        fits: (bind) => anyOf(texts.map((text) => fingerprintBegins(bind, text.toLowerCase()))),
        finds: (bind) =>
          texts.map((text) => `(${findsFingerprint(bind, text.toLowerCase())})`).join(' union '),
        document: null,
        rank: RANK.id,
      };
    case 'user': {
      const members = texts.flatMap((text) => context.users.get(text)?.toString() ?? []);
      return {
        fits: (bind) => `exists (select from incident_members m
          where m.project_id = i.project_id and m.incident_id = i.incident_id and ${hasMember(bind, members)})`,
        finds: (bind) => `select m.incident_id from incident_members m
          where m.project_id = any ($1::uuid[]) and ${hasMember(bind, members)} limit $2`,
        document: null,
        rank: RANK.user,
      };
    }
    case 'tag':
      return tagCondition(term);
    case 'title':
      return {
        fits: (bind) => anyOf(texts.map((text) => titleHas(bind, text))),
        finds: (bind) => texts.map((text) => `(${findsTitle(bind, text)})`).join(' union '),
        document: null,
        rank: RANK.title,
      };
    case 'message': {
      const queries = texts.map((text) => ({ text, words: wordsQuery(text, scopes) }));
      return {
        fits: (bind) =>
          anyOf(
            queries.map(({ text, words }) =>
              words === null ? 'false' : hasDocument(bind, words, messageHas(bind, text)),
            ),
          ),
        finds: (bind) =>
          queries
            .map(({ text, words }) => `(${findsDocument(bind, words ?? NOTHING, messageHas(bind, text))})`)
            .join(' union '),
        document: null,
        rank: RANK.message,
      };
    }
    case 'http':
      return documented(
        texts.map((text) => ({
          kind: 'status',
          value: text.replace(/xx$/i, ''),
          isPrefix: /xx$/i.test(text),
        })),
        scopes,
      );
    case 'release':
      return documented(
        term.values.map(({ text, isQuoted }) => {
          const [, which = '', version = ''] = /^(?:(first|latest):)?(.*)$/s.exec(text) ?? [];
          const kind =
            which === 'first' ? 'first_release' : which === 'latest' ? 'latest_release' : 'release';
          return beginning(kind, version, isQuoted);
        }),
        scopes,
      );
    case 'type':
    case 'file':
    case 'function':
    case 'route':
      return globbed(term, term.key, scopes);
    case 'project':
      return plain(() => 'true');
  }
}

const COLUMN_OF = { type: 'types', file: 'files', function: 'functions', route: 'routes' } as const;

function globbed(term: FilterTerm, key: keyof typeof COLUMN_OF, scopes: readonly string[]): Condition {
  const searches = term.values.map(({ text, isQuoted }) => globSearch(key, text, isQuoted));
  const recheckOf = (bind: Bind, { pattern }: (typeof searches)[number]) =>
    pattern === null
      ? ''
      : `and exists (select from unnest(s.${COLUMN_OF[key]}) each where each ~* ${bind(pattern, 'text')})`;
  const one = (bind: Bind, search: (typeof searches)[number]) => {
    const query = factsQuery(search.facts, scopes);
    const recheck = recheckOf(bind, search);
    return query === null ? hasRow(recheck) : hasDocument(bind, query, recheck);
  };
  const queries = searches.map(({ facts }) => factsQuery(facts, scopes));
  return {
    fits: (bind) => anyOf(searches.map((search) => one(bind, search))),
    finds: queries.every((query) => query !== null)
      ? null
      : (bind) =>
          searches
            .map(
              (search) => `(select s.incident_id from incident_search s
                where s.project_id = any ($1::uuid[]) ${recheckOf(bind, search)} limit $2)`,
            )
            .join(' union '),
    document: queries.every((query) => query !== null)
      ? queries.map((query) => `(${query})`).join(' | ')
      : null,
    rank: RANK.document,
  };
}

/** Returns the condition for a name in a column, which is part of the document too. */
function named(
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

function documented(facts: readonly FactBeginning[], scopes: readonly string[]): Condition {
  const query = factsQuery(facts, scopes) ?? NOTHING;
  return { fits: (bind) => hasDocument(bind, query, ''), finds: null, document: query, rank: RANK.document };
}

function beginning(kind: FactBeginning['kind'], text: string, isQuoted: boolean): FactBeginning {
  const isPrefix = !isQuoted && text.endsWith('*');
  return { kind, value: isPrefix ? text.slice(0, -1) : text, isPrefix };
}

/** Rows of tags that are read to find their incidents. */
const TAGS_MET_MAX = 10_000;

/** The last of all letters, so that a range ends behind every text that begins so. */
const LAST = '\u{10ffff}';

function tagCondition({ tag, values }: FilterTerm): Condition {
  const has = (bind: Bind) => {
    const key = `t.key = ${bind(tag, 'text')}`;
    const any = values.map(({ text, isQuoted }) => {
      const { value, isPrefix } = beginning('service', text, isQuoted);
      if (!isPrefix) return `t.value = ${bind(value, 'text')}`;
      if (value === '') return 'true';
      return `(t.value >= ${bind(value, 'text')} and t.value < ${bind(`${value}${LAST}`, 'text')})`;
    });
    return `${key} and ${anyOf(any)}`;
  };
  return {
    fits: (bind) =>
      `exists (select from incident_tags t where t.incident_id = i.incident_id and ${has(bind)})`,
    // Only this much is read of a key with very many values; the row without an id means that there is more.
    finds: (bind) => `with met as (
        select t.incident_id from incident_tags t
        where t.project_id = any ($1::uuid[]) and ${has(bind)} limit ${TAGS_MET_MAX + 1})
      (select distinct incident_id from met limit $2)
      union all select null from met having count(*) > ${TAGS_MET_MAX}`,
    document: null,
    rank: RANK.tag,
  };
}

/** Returns the condition that incident `i` has the number, with the key of its project or an earlier one. */
function hasNumber(bind: Bind, { key, number }: ShortId): string {
  return `(i.number = ${bind(number, 'integer')} and exists (select from projects k where k.project_id = i.project_id
    and (k.incident_key = ${bind(key, 'text')} or ${bind(key, 'text')} = any (k.former_incident_keys))))`;
}

function findsNumber(bind: Bind, shortId: ShortId): string {
  return ofIncidents(hasNumber(bind, shortId));
}

/** Returns the query for incidents of the projects by an index. */
function ofIncidents(condition: string): string {
  return `select i.incident_id from incidents i where i.project_id = any ($1::uuid[]) and ${condition} limit $2`;
}

/** States that few incidents are in, each with its index. */
const FINDERS: Readonly<Record<string, (bind: Bind, context: QueryContext) => string>> = {
  regressed: () => ofIncidents(`i.regressed_at is not null and i.status = 'regressed'`),
  snoozed: () => ofIncidents('i.snoozed_until is not null'),
  spiking: (bind, { nowMs }) =>
    ofIncidents(`i.spike_detected_at >= ${bind(new Date(nowMs - SPIKING_MINUTES * 60_000), 'timestamptz')}`),
  new: (bind, context) => ofIncidents(isWord(bind, 'new', context)),
  mine: (bind, { userId }) => `select t.incident_id from incident_triage t
    where t.project_id = any ($1::uuid[]) and ${isMine(bind, userId)} limit $2`,
  assigned: () => `select t.incident_id from incident_triage t
    where t.project_id = any ($1::uuid[]) and ${HAS_ASSIGNEE} limit $2`,
};

const HAS_ASSIGNEE = '(t.assignee_user_id is not null or t.assignee_team_id is not null)';
const IS_ASSIGNED = isAssigned(HAS_ASSIGNEE);

/** Returns the condition that it is assigned to the person or to a team of theirs. */
function isMine(bind: Bind, userId: string): string {
  return `(t.assignee_user_id = ${bind(userId, 'uuid')} or t.assignee_team_id in (
    select tm.team_id from team_members tm where tm.user_id = ${bind(userId, 'uuid')}))`;
}

function isAssigned(condition: string): string {
  return `exists (select from incident_triage t where t.incident_id = i.incident_id and ${condition})`;
}

function priorityCondition(texts: readonly string[]): Condition {
  const wanted = texts.map((text) => {
    const { comparison, rest } = readComparison(text);
    return { comparison: comparison ?? '=', rank: PRIORITY_LEVELS.map(String).indexOf(rest) };
  });
  const priorities = [...PRIORITY_LEVELS.keys()].filter((level) =>
    wanted.some(({ comparison, rank }) => COMPARES[comparison](level, rank)),
  );
  const [high, urgent] = [PRIORITY_LEVELS.indexOf('high'), PRIORITY_LEVELS.indexOf('urgent')];
  const critical = `(${ofIncidents('i.severity = 3')}) union `;
  return {
    fits: (bind) =>
      anyOf(wanted.map(({ comparison, rank }) => `${PRIORITY_OF} ${comparison} ${bind(rank, 'smallint')}`)),
    finds: priorities.some((level) => level < high)
      ? null
      : () =>
          `${priorities.includes(urgent) ? critical : ''}(${raisedIncidents('project_id = any ($1::uuid[])')} limit $2)`,
    document: null,
    rank: RANK.amount,
    priorities,
  };
}

const COMPARES: Readonly<Record<Comparison, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function assigneeCondition(texts: readonly string[], userId: string): Condition {
  const named = texts.filter((text) => text !== 'me' && text !== 'none');
  const isPerson = (bind: Bind) =>
    `(t.assignee_user_id = any (${bind(texts.includes('me') ? [userId] : [], 'uuid[]')}) or t.assignee_user_id in (
      select u.user_id from users u where u.handle = any (${bind(named, 'text[]')}) or lower(u.email) = any (${bind(
        named.map((text) => text.toLowerCase()),
        'text[]',
      )})) or t.assignee_team_id in (
      select g.team_id from teams g where g.slug = any (${bind(named, 'text[]')})))`;
  return {
    fits: (bind) =>
      anyOf([isAssigned(isPerson(bind)), ...(texts.includes('none') ? [`not ${IS_ASSIGNED}`] : [])]),
    finds: texts.includes('none')
      ? null
      : (bind) => `select t.incident_id from incident_triage t
          where t.project_id = any ($1::uuid[]) and ${HAS_ASSIGNEE} and ${isPerson(bind)} limit $2`,
    document: null,
    rank: RANK.user,
  };
}

function teamCondition(texts: readonly string[]): Condition {
  const isTeam = (bind: Bind) =>
    `t.assignee_team_id in (select g.team_id from teams g where g.slug = any (${bind(texts, 'text[]')}))`;
  return {
    fits: (bind) => isAssigned(isTeam(bind)),
    finds: (bind) => `select t.incident_id from incident_triage t
      where t.project_id = any ($1::uuid[]) and t.assignee_team_id is not null and ${isTeam(bind)} limit $2`,
    document: null,
    rank: RANK.user,
  };
}

function isWord(bind: Bind, word: string, { nowMs, userId }: QueryContext): string {
  switch (word) {
    case 'active':
      return `i.status <> 'resolved'`;
    case 'snoozed':
      return 'i.snoozed_until is not null';
    case 'assigned':
      return IS_ASSIGNED;
    case 'unassigned':
      return `not ${IS_ASSIGNED}`;
    case 'mine':
      return isAssigned(isMine(bind, userId));
    case 'new':
      return `i.first_seen_at >= ${bind(new Date(nowMs - 86_400_000), 'timestamptz')}`;
    case 'spiking':
      return `(i.spike_detected_at >= ${bind(new Date(nowMs - SPIKING_MINUTES * 60_000), 'timestamptz')}) is true`;
    default:
      return `i.status = ${bind(word, 'text')}`;
  }
}

function amountIs(bind: Bind, column: string, text: string): string {
  const { comparison, amount } = readAmount(text) ?? { comparison: '=' as Comparison, amount: -1 };
  return `${column} ${comparison} ${bind(amount, 'bigint')}`;
}

/** Returns the condition on a count, and on its step, which the index has. */
function countIs(bind: Bind, text: string): string {
  const { comparison, amount } = readAmount(text) ?? { comparison: '=' as Comparison, amount: -1 };
  const value = bind(amount, 'bigint');
  // Equal steps have different counts.
  const stepComparison = comparison === '<' ? '<=' : comparison === '>' ? '>=' : comparison;
  const isCount = `i.occurrence_count ${comparison} ${value}`;
  return amount < 1 ? isCount : `(i.count_step ${stepComparison} amount_step(${value}) and ${isCount})`;
}

/** @param step the column of the step that the index has in place of the column */
function isWithin(bind: Bind, column: string, text: string, nowMs: number, step?: string): string {
  const span = readMoment(text, nowMs);
  const { fromMs, beforeMs } = span ?? { fromMs: null, beforeMs: null };
  const is = (comparison: '>=' | '<', timeMs: number | null) => {
    if (timeMs === null) return [];
    const time = bind(inRange(timeMs), 'timestamptz');
    const isTime = `${column} ${comparison} ${time}`;
    // Equal steps have different times.
    const stepComparison = comparison === '<' ? '<=' : comparison;
    return step === undefined ? [isTime] : [`${step} ${stepComparison} seen_step(${time})`, isTime];
  };
  const parts = [...is('>=', fromMs), ...is('<', beforeMs)];
  return parts.length === 0 ? 'false' : `(${parts.join(' and ')})`;
}

/** Ages of a million weeks reach behind every clock. */
function inRange(timeMs: number): Date {
  return new Date(Math.max(timeMs, 0));
}

function titleHas(bind: Bind, text: string): string {
  // Row by row, as the rows are met; with `exists` the titles of all projects would be read.
  return `position(lower(${bind(text, 'text')}) in
    (select t.title from incident_titles t where t.incident_id = i.incident_id)) > 0`;
}

function findsTitle(bind: Bind, text: string): string {
  return `select t.incident_id from incident_titles t
    where t.project_id = any ($1::uuid[]) and position(lower(${bind(text, 'text')}) in t.title) > 0 limit $2`;
}

function messageHas(bind: Bind, text: string): string {
  return `and exists (select from unnest(s.messages) each
    where position(${bind(text.toLowerCase(), 'text')} in each) > 0)`;
}

function hasDocument(bind: Bind, query: string, recheck: string): string {
  return hasRow(`and s.document @@ ${bind(query, 'tsquery')} ${recheck}`);
}

/**
 * The condition of `hasDocument`, row by row as the rows are met: as a part of an `or`, `exists` would read the documents
 * of the whole project before the first row. Those of rare words were found before. A negated word that nearly all have is
 * the opposite: every row would be met.
 */
function documentHas(bind: Bind, query: string, recheck: string): string {
  return `(select s.document @@ ${bind(query, 'tsquery')} ${recheck} from incident_search s
    where s.incident_id = i.incident_id) is true`;
}

/** Without its project, which the documents name: PostgreSQL would read the rows of all of them by it. */
function hasRow(condition: string): string {
  return `exists (select from incident_search s where s.incident_id = i.incident_id ${condition})`;
}

/** Finds incidents by the index of documents. */
export function findsDocument(bind: Bind, query: string, recheck = ''): string {
  return `select s.incident_id from incident_search s
    where s.project_id = any ($1::uuid[]) and s.document @@ ${bind(query, 'tsquery')} ${recheck} limit $2`;
}

function findsId(bind: Bind, ids: readonly string[]): string {
  return `select incident_id from incidents where incident_id = any (${bind([...ids], 'uuid[]')})
    and project_id = any ($1::uuid[]) limit $2`;
}

function fingerprintDigits(text: string): string | null {
  return text.length >= FINGERPRINT_PREFIX_MIN && /^[0-9a-f]{1,64}$/i.test(text) ? text.toLowerCase() : null;
}

function fingerprintBegins(bind: Bind, digits: string): string {
  return `starts_with(encode(i.fingerprint, 'hex'), ${bind(digits, 'text')})`;
}

function findsFingerprint(bind: Bind, digits: string): string {
  const text = bind(digits, 'text');
  return `select i.incident_id from services v join incidents i on i.service_id = v.service_id
    and i.fingerprint_version = '${FINGERPRINT_VERSION}'
    and i.fingerprint between decode(rpad(${text}, 64, '0'), 'hex') and decode(rpad(${text}, 64, 'f'), 'hex')
    where v.project_id = any ($1::uuid[]) limit $2`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`;
}

/** Fits no document. */
const NOTHING = `'\u00a0'`;

/** The words of a text, each the beginning of a word of the document; null without any. */
function wordsQuery(text: string, scopes: readonly string[]): string | null {
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

/** The row of an incident's members has one of these users. All rows of a project are read where nothing else narrows. */
function hasMember(bind: Bind, members: readonly string[]): string {
  return `not m.users_are_estimated and exists (select from unnest(${bind(members, 'bigint[]')}) u (member)
    where position(int8send(u.member) in m.users) > 0 or position(int8send(u.member) in m.changes) > 0)`;
}
