import type { QueryOf } from '@culprit/contract/endpoint';
import type { listProjects as endpoint, Project } from '@culprit/contract/projects';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listProjectRecords } from './project-records.queries.ts';

/** A page of the projects a member has a place in, paused ones included, newest first (incidents.md 7.3). */
export async function listProjects(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ projects: Project[]; next_cursor: string | null }> {
  const page = readPage(['proj'], query);
  const rows = await listProjectRecords(database, plans, member.userId, { projectId: null, ...page });
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.project_id]);
  return { projects: shown, next_cursor: nextCursor };
}
