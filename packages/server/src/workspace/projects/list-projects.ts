import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listProjects as endpoint, Project } from '@culprit/contract/workspace/projects';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { listProjectRecords } from './project-records.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkProjectsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['proj'], query);
}

/**
 * A page of the projects that a member belongs to, paused ones included, newest first (docs/contract/incidents.md 7.3).
 */
export async function listProjects(
  { database, plans }: Runtime,
  { caller, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ projects: Project[]; next_cursor: string | null }> {
  const rows = await listProjectRecords(database, plans, caller.userId, { projectId: null, ...page });
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.project_id]);
  return { projects: shown, next_cursor: nextCursor };
}
