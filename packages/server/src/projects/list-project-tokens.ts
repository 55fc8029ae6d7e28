import type { QueryOf } from '@culprit/contract/endpoint';
import type { listProjectTokens as endpoint, ProjectToken } from '@culprit/contract/tokens';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listProjectTokenRows } from '../tokens/project-tokens.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * A page of a project's tokens, live and revoked, newest first (account.md 4.1).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended`
 */
export async function listProjectTokens(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ tokens: ProjectToken[]; next_cursor: string | null }> {
  const page = readPage(['tok'], query);
  const { projectId } = await requireProject(database, plans, member.userId, id);
  const rows = await listProjectTokenRows(database, projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.token_id]);
  return { tokens: shown, next_cursor: nextCursor };
}
