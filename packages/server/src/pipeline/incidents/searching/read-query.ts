import { writtenValue } from '@culprit/contract/schemas/written-value';
import { misspelledKey, readQuery } from '@culprit/contract/search/incident-query';
import {
  closedWords,
  keySuggestions,
  type OpenTerm,
  openTerm,
} from '@culprit/contract/search/query-completion';
import { TAG_PREFIX } from '@culprit/contract/search/query-keys';
import { type readIncidentQuery as endpoint, SUGGESTIONS_MAX } from '@culprit/contract/search/query-reading';
import type { Queryable } from '../../../platform/db/database.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findAssigneeHandles } from './query-people.queries.ts';
import { findQueriedProjects } from './query-projects.queries.ts';
import { findEnvironments, findServiceNames, findTagValues, listTagKeys } from './tags.queries.ts';

/**
 * Returns the reading of a query, and the possible continuations of its last term (docs/contract/team-workflow.md 1.2).
 */
export async function readQueryText(
  { database }: Runtime,
  { access: { projectIds }, query: { q = '' } }: ApiRequest<typeof endpoint>,
) {
  const { terms, fault } = readQuery(q);
  const open = openTerm(q);
  return {
    terms: terms.map((term) => ({
      text: term.source,
      key: term.kind === 'text' ? null : term.key === 'tag' ? `${TAG_PREFIX}${term.tag}` : term.key,
      is_negated: term.isNegated,
      is_text: term.kind === 'text',
    })),
    problem: fault === null ? misspelledKey(terms) : `The query ${fault.words}.`,
    suggestions:
      open === null ? [] : (await suggestionsFor(database, projectIds, open)).slice(0, SUGGESTIONS_MAX),
  };
}

/** Keys of tags that are proposed. */
const TAG_KEYS_MAX = 20;

async function suggestionsFor(
  database: Queryable,
  projectIds: readonly string[],
  open: OpenTerm,
): Promise<{ text: string; hint: string }[]> {
  const { key, before, typed } = open;
  if (key === null) {
    const prefix = typed.startsWith(TAG_PREFIX) ? typed.slice(TAG_PREFIX.length) : '';
    const isTag = typed !== '' && (TAG_PREFIX.startsWith(typed) || typed.startsWith(TAG_PREFIX));
    const tags = isTag
      ? await listTagKeys(database, projectIds, prefix, { keys: TAG_KEYS_MAX, values: 0 })
      : [];
    return keySuggestions(
      open,
      tags.map((tag) => tag.key),
    );
  }
  const words = await valuesFor(database, projectIds, key, typed);
  return words.map(({ value, hint }) => ({ text: `${before}${writtenValue(value)}`, hint }));
}

async function valuesFor(
  database: Queryable,
  projectIds: readonly string[],
  key: string,
  typed: string,
): Promise<{ value: string; hint: string }[]> {
  const hinted = (hint: string, values: readonly string[]) => values.map((value) => ({ value, hint }));
  const lower = typed.toLowerCase();
  const closed = closedWords(key);
  if (closed !== null)
    return hinted(
      '',
      closed.filter((word) => word.startsWith(lower)),
    );
  const tagOf: Readonly<Record<string, string>> = { release: 'release', route: 'route', http: 'http.status' };
  const tag = key.startsWith(TAG_PREFIX) ? key.slice(TAG_PREFIX.length) : tagOf[key];
  if (tag !== undefined) {
    return hinted('Value', await findTagValues(database, projectIds, tag, typed, SUGGESTIONS_MAX));
  }
  if (key === 'service') {
    return hinted('Service', await findServiceNames(database, projectIds, typed, SUGGESTIONS_MAX));
  }
  if (key === 'env') {
    const names = await findEnvironments(database, projectIds, typed, SUGGESTIONS_MAX);
    return hinted('Environment', names);
  }
  if (key === 'assignee' || key === 'team') {
    const kinds = key === 'team' ? (['team'] as const) : (['user', 'team'] as const);
    const typedHandle = { typed: lower, kinds, limit: SUGGESTIONS_MAX };
    return await findAssigneeHandles(database, projectIds, typedHandle);
  }
  if (key === 'project') {
    const projects = await findQueriedProjects(database, projectIds);
    return hinted(
      'Project',
      projects.map(({ slug }) => slug).filter((slug) => slug.startsWith(lower)),
    );
  }
  return [];
}
