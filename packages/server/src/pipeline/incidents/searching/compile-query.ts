import { FINGERPRINT_VERSION } from '@culprit/contract/incidents/fingerprint-version';
import { readShortId, type ShortId } from '@culprit/contract/incidents/short-id';
import type { FilterTerm, QueryTerm, TextTerm } from '@culprit/contract/search/incident-query';
import { FINGERPRINT_PREFIX_MIN } from '@culprit/contract/search/query-limits';
import {
  type Comparison,
  readAmount,
  readComparison,
  readMoment,
} from '@culprit/contract/search/query-values';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { searchScope } from '@culprit/evidence/incidents/search-document';
import { parseId } from '../../../platform/ids.ts';
import {
  beginning,
  documented,
  documentHas,
  findsDocument,
  findsTitle,
  globbed,
  hasDocument,
  messageHas,
  NOTHING,
  named,
  titleHas,
  wordsQuery,
} from './document-conditions.ts';
import {
  allOf,
  anyOf,
  type Bind,
  type Condition,
  isOrBegins,
  ofIncidents,
  type QueryContext,
  RANK,
  unionOf,
} from './query-condition.ts';
import {
  assigneeCondition,
  FINDERS,
  isWord,
  priorityCondition,
  teamCondition,
  ticketCondition,
} from './triage-conditions.ts';

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

function negated({ fits, all, lexemes = null }: Condition): Condition {
  const isNot = { fits: (bind: Bind) => `(${fits(bind)}) is not true`, finds: null, document: null, rank: 9 };
  return all === undefined ? isNot : { ...isNot, all, lexemes, isNegated: true };
}

function plain(fits: Condition['fits']): Condition {
  return { fits, finds: null, document: null, rank: 9 };
}

/** Returns the condition that one of these is met, each of which an index of incidents can check. */
function indexed(parts: (bind: Bind) => string[]): Condition {
  return {
    fits: (bind) => anyOf(parts(bind)),
    finds: (bind) => unionOf(parts(bind).map(ofIncidents)),
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
  const inTexts = (bind: Bind, limit: string) => [
    findsTitle(bind, text, limit),
    ...(words === null ? [] : [findsDocument(bind, words, inMessages ? messageHas(bind, text) : '', limit)]),
  ];
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
      unionOf([
        ...inTexts(bind, '$2'),
        ...(id === null ? [] : [findsId(bind, [id])]),
        ...(shortId === null ? [] : [findsNumber(bind, shortId)]),
        ...(digits === null ? [] : [findsFingerprint(bind, digits)]),
      ]),
    document: null,
    ...(id === null && shortId === null && digits === null
      ? { all: (bind: Bind, limit: string) => allOf(inTexts(bind, limit)) }
      : {}),
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
    case 'ticket':
      return ticketCondition(term.values);
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
          unionOf([findsId(bind, ids), ...shortIds.map((shortId) => findsNumber(bind, shortId))]),
        document: null,
        rank: RANK.id,
      };
    }
    case 'fingerprint':
      return {
        fits: (bind) => anyOf(texts.map((text) => fingerprintBegins(bind, text.toLowerCase()))),
        finds: (bind) => unionOf(texts.map((text) => findsFingerprint(bind, text.toLowerCase()))),
        document: null,
        rank: RANK.id,
      };
    case 'user': {
      const members = texts.flatMap((text) => context.users.get(text)?.toString() ?? []);
      return {
        fits: (bind) => `exists (select from incident_members m
          where m.project_id = i.project_id and m.incident_id = i.incident_id and ${hasMember(bind, members)})`,
        finds: (bind) => findsMember(bind, members, '$2'),
        document: null,
        all: (bind, limit) => findsMember(bind, members, limit),
        rank: RANK.user,
      };
    }
    case 'tag':
      return tagCondition(term);
    case 'title':
      return {
        fits: (bind) => anyOf(texts.map((text) => titleHas(bind, text))),
        finds: (bind) => unionOf(texts.map((text) => findsTitle(bind, text))),
        document: null,
        all: (bind, limit) => allOf(texts.map((text) => findsTitle(bind, text, limit))),
        rank: RANK.title,
      };
    case 'message': {
      const queries = texts.map((text) => ({ text, words: wordsQuery(text, scopes) }));
      const inMessages = (bind: Bind, limit: string) =>
        queries.map(({ text, words }) =>
          findsDocument(bind, words ?? NOTHING, messageHas(bind, text), limit),
        );
      return {
        fits: (bind) =>
          anyOf(
            queries.map(({ text, words }) =>
              words === null ? 'false' : hasDocument(bind, words, messageHas(bind, text)),
            ),
          ),
        finds: (bind) => unionOf(inMessages(bind, '$2')),
        document: null,
        all: (bind, limit) => allOf(inMessages(bind, limit)),
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

/** Rows of tags that are read to find their incidents. */
const TAGS_MET_MAX = 10_000;

function tagCondition({ tag, values }: FilterTerm): Condition {
  const has = (bind: Bind) => {
    const key = `t.key = ${bind(tag, 'text')}`;
    const any = values.map(({ text, isQuoted }) => {
      const { value, isPrefix } = beginning('service', text, isQuoted);
      return isOrBegins(bind, 't.value', value, isPrefix);
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
    all: (bind, limit) => `select t.incident_id from incident_tags t
      where t.project_id = any ($1::uuid[]) and ${has(bind)} limit ${limit}`,
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

function findsMember(bind: Bind, members: readonly string[], limit: string): string {
  return `select m.incident_id from incident_members m
    where m.project_id = any ($1::uuid[]) and ${hasMember(bind, members)} limit ${limit}`;
}

/** The row of an incident's members has one of these users. All rows of a project are read where nothing else narrows. */
function hasMember(bind: Bind, members: readonly string[]): string {
  return `not m.users_are_estimated and exists (select from unnest(${bind(members, 'bigint[]')}) u (member)
    where position(int8send(u.member) in m.users) > 0 or position(int8send(u.member) in m.changes) > 0)`;
}
