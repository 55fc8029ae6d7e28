import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';

/** Where a page of tokens begins, and how many rows tell whether it is the last. */
export interface TokenPage {
  /** The last token of the page before. */
  after: { createdAtMs: number; tokenId: string } | null;
  limit: number;
}

/**
 * What a list of tokens asks for.
 * @throws Problem `invalid_query` for a cursor that no answer gave
 */
export function readTokenPage(query: { limit?: number; cursor?: string }): TokenPage {
  const limit = (query.limit ?? PAGE_SIZE_DEFAULT) + 1;
  if (query.cursor === undefined) return { after: null, limit };
  const cursor = decodeTimeCursor(query.cursor);
  const tokenId = cursor === null ? null : parseId(['tok'], cursor.key);
  if (cursor === null || tokenId === null) throw new Problem('invalid_query');
  return { after: { createdAtMs: cursor.timeMs, tokenId }, limit };
}

/** The answer of a list: the rows without the one that told of a next page. */
export function tokenPageOf<Token extends { token_id: string; created_at: string }>(
  rows: readonly Token[],
  page: TokenPage,
): { tokens: Token[]; next_cursor: string | null } {
  const tokens = rows.slice(0, page.limit - 1);
  const last = tokens.at(-1);
  const isEnd = rows.length < page.limit || last === undefined;
  return { tokens, next_cursor: isEnd ? null : encodeCursor([last.created_at, last.token_id]) };
}
