import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listMemberTokens as endpoint, MemberToken } from '@culprit/contract/workspace/tokens';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { listMemberTokenRows } from '../tokens/member-tokens.queries.ts';
import { seenBy } from '../tokens/token-records.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkMemberTokensPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage(['tok'], query);
}

/** A page of the caller's own tokens, live and revoked, newest first (docs/contract/account.md 4.1). */
export async function listMemberTokens(
  { database }: Runtime,
  { caller, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ tokens: MemberToken[]; next_cursor: string | null }> {
  const rows = await listMemberTokenRows(database, caller.userId, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.created_at, row.token_id]);
  return { tokens: shown.map((token) => seenBy(caller, token)), next_cursor: nextCursor };
}
