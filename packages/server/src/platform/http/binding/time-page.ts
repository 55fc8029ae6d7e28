import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { type IdPrefix, parseId } from '../../ids.ts';
import { invalidCursor } from './invalid-query.ts';

/** A page of a list that is newest first by a time, mostly of creation, then by id. The id is a bare UUID. */
export interface TimePage {
  /** The last row of the page before. */
  after: { timeMs: number; id: string } | null;
  /** The number of rows that shows whether this is the last page. */
  limit: number;
}

/**
 * Reads the page that a list request names.
 * @param prefixes of the ids in cursors; none for kinds with bare ids
 * @throws Problem `invalid_query` for a cursor that no answer contained
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
  if (cursor === null || id === null) throw invalidCursor();
  return { after: { timeMs: cursor.timeMs, id }, limit };
}

/** A page as three parameters of its statement: where the page before ended, by time and id, and the limit. */
export function pageParameters({ after, limit }: TimePage): [Date | null, string | null, number] {
  return after === null ? [null, null, limit] : [new Date(after.timeMs), after.id, limit];
}

/**
 * Returns the rows without the one that indicates a next page, and the start of that page.
 * @param locationOf the timestamp and the outside id that define a row's place in the list
 */
export function pageOf<Row>(
  rows: readonly Row[],
  page: TimePage,
  locationOf: (row: Row) => [time: string, id: string],
): { shown: Row[]; nextCursor: string | null } {
  const shown = rows.slice(0, page.limit - 1);
  const last = shown.at(-1);
  const isEnd = rows.length < page.limit || last === undefined;
  return { shown, nextCursor: isEnd ? null : encodeCursor(locationOf(last)) };
}
