import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { Problem } from '../platform/http/problem.ts';
import { type IdPrefix, parseId } from '../platform/ids.ts';

/** Where a page begins, and how many rows tell whether it is the last. The id is a bare UUID. */
export interface Page {
  after: { createdAtMs: number; id: string } | null;
  limit: number;
}

/**
 * What a list asks for.
 * @throws Problem `invalid_query` for a cursor that no answer gave
 */
export function readPage(prefix: IdPrefix, query: { limit?: number; cursor?: string }): Page {
  const limit = (query.limit ?? PAGE_SIZE_DEFAULT) + 1;
  if (query.cursor === undefined) return { after: null, limit };
  const cursor = decodeTimeCursor(query.cursor);
  const id = cursor === null ? null : parseId([prefix], cursor.key);
  if (cursor === null || id === null) throw new Problem('invalid_query');
  return { after: { createdAtMs: cursor.timeMs, id }, limit };
}

/** The rows without the one that told of a next page, and where that begins. */
export function pageOf<Row extends { created_at: string }>(
  rows: readonly Row[],
  page: Page,
  idOf: (row: Row) => string,
): { shown: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, page.limit - 1);
  const last = shown.at(-1);
  const isEnd = rows.length < page.limit || last === undefined;
  return { shown, nextCursor: isEnd ? null : encodeCursor([last.created_at, idOf(last)]) };
}
