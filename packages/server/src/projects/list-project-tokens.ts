import type { QueryOf } from '@culprit/contract/endpoint';
import type { listProjectTokens as endpoint, ProjectToken } from '@culprit/contract/tokens';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listProjectTokenRows } from '../tokens/project-tokens.queries.ts';
import { readTokenPage, tokenPageOf } from '../tokens/token-page.ts';
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
  const page = readTokenPage(query);
  const { projectId } = await requireProject(database, plans, member.userId, id);
  return tokenPageOf(await listProjectTokenRows(database, projectId, page), page);
}
