import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listProjectTokens as endpoint, ProjectToken } from '@culprit/contract/workspace/tokens';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { listProjectTokenRows } from '../tokens/project-tokens.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkProjectTokensPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['tok'], query);
}

/** A page of a project's tokens, live and revoked, newest first (docs/contract/account.md 4.1). */
export async function listProjectTokens(
  { database }: Runtime,
  { access, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ tokens: ProjectToken[]; next_cursor: string | null }> {
  const rows = await listProjectTokenRows(database, access.projectId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.token_id]);
  return { tokens: shown, next_cursor: nextCursor };
}
