import type { QueryOf } from '@culprit/contract/endpoint';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import type { listProjects as endpoint, Project } from '@culprit/contract/projects';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listProjectRecords } from './project-records.queries.ts';

/** A page of the projects a member has a place in, paused ones included, newest first (incidents.md 7.3). */
export async function listProjects(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ projects: Project[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const rows = await listProjectRecords(database, plans, member.userId, {
    projectId: null,
    after: query.cursor === undefined ? null : readCursor(query.cursor),
    limit: limit + 1,
  });
  const projects = rows.slice(0, limit);
  const last = projects.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return { projects, next_cursor: isEnd ? null : encodeCursor([last.created_at, last.project_id]) };
}

function readCursor(text: string): { createdAtMs: number; projectId: string } {
  const cursor = decodeTimeCursor(text);
  const projectId = cursor === null ? null : parseId(['proj'], cursor.key);
  if (cursor === null || projectId === null) throw new Problem('invalid_query');
  return { createdAtMs: cursor.timeMs, projectId };
}
