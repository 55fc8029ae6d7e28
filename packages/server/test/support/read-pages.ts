import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import type { IncidentClient } from './incident-client.ts';
import type { Answer } from './send-events.ts';

/** One page of a list: the objects under its plural key, and where the next page begins. */
export interface Page {
  items: Record<string, unknown>[];
  nextCursor: string | null;
}

/** Reads a list answer; throws for every other one. */
export function pageOf({ status, body }: Answer, key: string): Page {
  if (status !== 200 || !isJsonObject(body)) throw new Error(`answered ${status} ${JSON.stringify(body)}`);
  const { [key]: items, next_cursor: nextCursor } = body;
  if (!Array.isArray(items) || !items.every(isJsonObject)) throw new Error(`no list of ${key}`);
  if (typeof nextCursor !== 'string' && nextCursor !== null) throw new Error('no next_cursor');
  return { items, nextCursor };
}

/** Follows a list to its end, with the query in `path` repeated for every page. Checks the size of each page. */
export async function readPages(
  client: Pick<IncidentClient, 'get'>,
  path: string,
  key: string,
  limit: number,
): Promise<Page['items']> {
  const items: Page['items'] = [];
  let query = `limit=${limit}`;
  for (;;) {
    const page = pageOf(await client.get(`${path}${path.includes('?') ? '&' : '?'}${query}`), key);
    if (page.items.length > limit) throw new Error(`${page.items.length} items on a page of ${limit}`);
    items.push(...page.items);
    if (page.nextCursor === null) return items;
    if (page.items.length < limit) throw new Error('a page that is not full names a next one');
    query = `limit=${limit}&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
}
