import type { Parameter } from '../../../platform/db/database.ts';

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
  /**
   * All incidents of projects `$1` that fit, some of them twice; of a negated term all that do not fit. Each part of the
   * query finds `limit` at most. Absent where the row of the incident decides.
   */
  all?: (bind: Bind, limit: string) => string;
  isNegated?: boolean;
  /** The condition that the index of documents can check for what `all` finds. */
  lexemes?: string | null;
  /** The less it finds, the lower. */
  rank: number;
  /** The priorities that fit, as places in `PRIORITY_LEVELS`, of a term that is about them. */
  priorities?: readonly number[];
}

/** The inputs of a query besides its terms. */
export interface QueryContext {
  projectIds: readonly string[];
  nowMs: number;
  /** The person who asks. */
  userId: string;
  /** Numbers under which users are members of incidents, by the id that was written. */
  users: ReadonlyMap<string, bigint>;
}

/** Rank of the terms that find few, some and any number. */
export const RANK = {
  id: 0,
  user: 1,
  state: 2,
  amount: 3,
  tag: 4,
  document: 5,
  message: 6,
  title: 7,
} as const;

/** The rank of all terms together that the index of documents can check. */
export const DOCUMENTS_RANK = RANK.document;

/** Returns the condition that one of these holds. */
export function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `(${conditions.join(' or ')})`;
}

/** The last of all letters, so that a range ends behind every text that begins so. */
const LAST = '\u{10ffff}';

/** Returns the condition that a text in the order "C" is another one, or begins with it. */
export function isOrBegins(bind: Bind, column: string, value: string, isPrefix: boolean): string {
  if (!isPrefix) return `${column} = ${bind(value, 'text')}`;
  if (value === '') return `${column} is not null`;
  return `(${column} >= ${bind(value, 'text')} and ${column} < ${bind(`${value}${LAST}`, 'text')})`;
}

/** Returns the query for all that these find. */
export function allOf(queries: readonly string[]): string {
  return queries.map((query) => `(${query})`).join(' union all ');
}

/** Returns the query for what one of these finds. */
export function unionOf(queries: readonly string[]): string {
  return queries.map((query) => `(${query})`).join(' union ');
}

/** Returns the query for incidents of the projects by an index. */
export function ofIncidents(condition: string): string {
  return `select i.incident_id from incidents i where i.project_id = any ($1::uuid[]) and ${condition} limit $2`;
}
