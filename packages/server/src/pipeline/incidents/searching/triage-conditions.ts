import { PRIORITY_LEVELS, SPIKING_MINUTES } from '@culprit/contract/incidents/triage-words';
import type { QueryValue } from '@culprit/contract/search/incident-query';
import { type Comparison, readComparison } from '@culprit/contract/search/query-values';
import { PRIORITY_OF, raisedIncidents } from '../triage/priority-rules.ts';
import { beginning } from './document-conditions.ts';
import {
  anyOf,
  type Bind,
  type Condition,
  isOrBegins,
  ofIncidents,
  type QueryContext,
  RANK,
} from './query-condition.ts';

/** Conditions about the state of an incident and to whom it is assigned. */

/** States that few incidents are in, each with its index. */
export const FINDERS: Readonly<Record<string, (bind: Bind, context: QueryContext) => string>> = {
  regressed: () => ofIncidents(`i.regressed_at is not null and i.status = 'regressed'`),
  snoozed: () => ofIncidents('i.snoozed_until is not null'),
  spiking: (bind, { nowMs }) =>
    ofIncidents(`i.spike_detected_at >= ${bind(new Date(nowMs - SPIKING_MINUTES * 60_000), 'timestamptz')}`),
  new: (bind, context) => ofIncidents(isWord(bind, 'new', context)),
  mine: (bind, { userId }) => `select t.incident_id from incident_triage t
    where t.project_id = any ($1::uuid[]) and ${isMine(bind, userId)} limit $2`,
  linked: () => 'select k.incident_id from incident_links k where k.project_id = any ($1::uuid[]) limit $2',
  noted: () => `select n.incident_id from incident_notes n
    where n.project_id = any ($1::uuid[]) and n.deleted_at is null limit $2`,
  fixed: () => `(select f.incident_id from incident_fixes f where f.project_id = any ($1::uuid[]) limit $2)
    union (select a.incident_id from incident_fixes f
      join incident_aliases a on a.from_incident_id = f.incident_id and a.merged_into is not null
      where f.project_id = any ($1::uuid[]) limit $2)`,
  assigned: () => `select t.incident_id from incident_triage t
    where t.project_id = any ($1::uuid[]) and ${HAS_ASSIGNEE} limit $2`,
};

const HAS_ASSIGNEE = '(t.assignee_user_id is not null or t.assignee_team_id is not null)';

const IS_LINKED = 'exists (select from incident_links k where k.incident_id = i.incident_id)';
const HAS_NOTE =
  'exists (select from incident_notes n where n.incident_id = i.incident_id and n.deleted_at is null)';
/** Fixes of merged incidents are those of the one that stays. */
const HAS_FIX = `exists (select from incident_fixes f where f.incident_id = i.incident_id or f.incident_id in (
  select a.from_incident_id from incident_aliases a where a.incident_id = i.incident_id and a.merged_into is not null))`;
const IS_ASSIGNED = isAssigned(HAS_ASSIGNEE);

/** Returns the condition that it is assigned to the person or to a team of theirs. */
function isMine(bind: Bind, userId: string): string {
  return `(t.assignee_user_id = ${bind(userId, 'uuid')} or t.assignee_team_id in (
    select tm.team_id from team_members tm where tm.user_id = ${bind(userId, 'uuid')}))`;
}

function isAssigned(condition: string): string {
  return `exists (select from incident_triage t where t.incident_id = i.incident_id and ${condition})`;
}

/** Returns the condition that the priority is one of these, or compares to it. */
export function priorityCondition(texts: readonly string[]): Condition {
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

/** Returns the condition that people or teams are the assignee, by handle or address. */
export function assigneeCondition(texts: readonly string[], userId: string): Condition {
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

/** Returns the condition that teams are the assignee. */
export function teamCondition(texts: readonly string[]): Condition {
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

/** Returns the condition that it has a ticket or a link, by its key in any case, or by its address. */
export function ticketCondition(values: readonly QueryValue[]): Condition {
  const isTicket = (bind: Bind) =>
    anyOf(
      values.flatMap(({ text, isQuoted }) => {
        const { value, isPrefix } = beginning('service', text, isQuoted);
        return [
          isOrBegins(bind, 'lower(k.key) collate "C"', value.toLowerCase(), isPrefix),
          isOrBegins(bind, 'k.url collate "C"', value, isPrefix),
        ];
      }),
    );
  return {
    fits: (bind) =>
      `exists (select from incident_links k where k.incident_id = i.incident_id and ${isTicket(bind)})`,
    finds: (bind) =>
      `select k.incident_id from incident_links k where k.project_id = any ($1::uuid[]) and ${isTicket(bind)} limit $2`,
    document: null,
    rank: RANK.id,
  };
}

/** Returns the condition of a word after `is:`. */
export function isWord(bind: Bind, word: string, { nowMs, userId }: QueryContext): string {
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
    case 'linked':
      return IS_LINKED;
    case 'unlinked':
      return `not ${IS_LINKED}`;
    case 'noted':
      return HAS_NOTE;
    case 'fixed':
      return HAS_FIX;
    case 'sample':
      return 'i.sample_id is not null';
    case 'new':
      return `i.first_seen_at >= ${bind(new Date(nowMs - 86_400_000), 'timestamptz')}`;
    case 'spiking':
      return `(i.spike_detected_at >= ${bind(new Date(nowMs - SPIKING_MINUTES * 60_000), 'timestamptz')}) is true`;
    default:
      return `i.status = ${bind(word, 'text')}`;
  }
}
