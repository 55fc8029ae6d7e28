import { type QueryTerm, readQuery } from '@culprit/contract/search/incident-query';
import { identifierHash } from '@culprit/evidence/events/redact/identifier-hash';
import { hashUserId } from '@culprit/evidence/events/redact/user-id-hash';
import type { Queryable } from '../../../platform/db/database.ts';
import { readClock } from '../../../platform/db/read-clock.ts';
import { invalidQuery } from '../../../platform/http/binding/invalid-query.ts';
import { compileQuery } from './compile-query.ts';
import type { Condition } from './query-condition.ts';
import { findQueriedProjects } from './query-projects.queries.ts';

/** A query of a caller, ready to be run. */
interface PreparedQuery {
  /** The caller's projects that it is about. */
  projectIds: readonly string[];
  conditions: readonly Condition[];
}

/** The terms of a query. @throws Problem `invalid_query` */
export function checkQuery(name: string, text: string | undefined): readonly QueryTerm[] {
  if (text === undefined) return [];
  const { terms, fault } = readQuery(text);
  if (fault !== null) throw invalidQuery(name, fault.words);
  return terms;
}

/** Finds what the terms name. @throws Problem `invalid_query` */
export async function prepareQuery(
  database: Queryable,
  visibleIds: readonly string[],
  terms: readonly QueryTerm[],
  userId: string,
): Promise<PreparedQuery> {
  if (terms.length === 0) return { projectIds: visibleIds, conditions: [] };
  const needsProjects = terms.some(
    (term) => term.kind === 'filter' && (term.key === 'project' || term.key === 'user'),
  );
  const projects = needsProjects ? await findQueriedProjects(database, visibleIds) : null;
  const asked = projects?.filter(({ slug }) => terms.every((term) => namesProject(term, slug))) ?? null;
  const projectIds = asked === null ? visibleIds : asked.map(({ projectId }) => projectId);
  const users = new Map<string, bigint>();
  for (const term of terms) {
    if (term.kind === 'text' || term.key !== 'user') continue;
    const [project] = asked ?? [];
    if (project === undefined || projectIds.length !== 1) {
      if (projectIds.length === 0) continue;
      throw invalidQuery('q', 'user needs one project: give project_id, or project: in the query');
    }
    for (const { text } of term.values) users.set(text, identifierHash(hashUserId(project.userKey, text)));
  }
  return {
    projectIds,
    conditions: compileQuery(terms, { projectIds, nowMs: await readClock(database), userId, users }),
  };
}

function namesProject(term: QueryTerm, slug: string): boolean {
  if (term.kind === 'text' || term.key !== 'project') return true;
  const isNamed = term.values.some(({ text, isQuoted }) =>
    !isQuoted && text.endsWith('*') ? slug.startsWith(text.slice(0, -1)) : slug === text,
  );
  return isNamed !== term.isNegated;
}
