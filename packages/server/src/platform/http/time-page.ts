import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { type IdPrefix, parseId } from '../ids.ts';
import { Problem } from './problem.ts';

/** A page of a list that is newest first by creation, then by id. The id is a bare UUID. */
export interface TimePage {
  /** The last row of the page before. */
  after: { createdAtMs: number; id: string } | null;
  /** How many rows tell whether it is the last page. */
  limit: number;
}

/**
 * What a list asks for.
 * @param prefixes of the ids in cursors; none for kinds with bare ids
 * @throws Problem `invalid_query` for a cursor that no answer gave
 */
export function readPage(
  prefixes: readonly IdPrefix[],
  query: { limit?: number; cursor?: string },
  limitDefault = PAGE_SIZE_DEFAULT,
): TimePage {
  const limit = (query.limit ?? limitDefault) + 1;
  if (query.cursor === undefined) return { after: null, limit };
  const cursor = decodeTimeCursor(query.cursor);
  const id = cursor === null ? null : parseId(prefixes, cursor.key);
  if (cursor === null || id === null) throw new Problem('invalid_query');
  return { after: { createdAtMs: cursor.timeMs, id }, limit };
}

/** The rows without the one that told of a next page, and where that begins. */
export function pageOf<Row extends { created_at: string }>(
  rows: readonly Row[],
  page: TimePage,
  idOf: (row: Row) => string,
): { shown: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, page.limit - 1);
  const last = shown.at(-1);
  const isEnd = rows.length < page.limit || last === undefined;
  return { shown, nextCursor: isEnd ? null : encodeCursor([last.created_at, idOf(last)]) };
}
