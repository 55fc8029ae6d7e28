import type { RequestParts } from '@culprit/contract/endpoints/client';
import type { Endpoint } from '@culprit/contract/endpoints/endpoint';
import type { Api } from '../api/api.ts';
import { isObject, type JsonObject } from '../config/json-file.ts';

const PAGE_ROWS = 100;

/** One record of a list that has no endpoint for one; null when the list does not hold it. */
export async function findListed(
  api: Api,
  endpoint: Endpoint,
  params: NonNullable<RequestParts['params']>,
  key: string,
  isWanted: (record: JsonObject) => boolean,
): Promise<JsonObject | null> {
  let cursor: string | null = null;
  do {
    const query: JsonObject = { limit: PAGE_ROWS, ...(cursor === null ? {} : { cursor }) };
    const answer: JsonObject = await api.send(endpoint, { params, query });
    const rows = answer[key];
    const found = Array.isArray(rows) ? rows.filter(isObject).find(isWanted) : undefined;
    if (found !== undefined) return found;
    cursor = typeof answer.next_cursor === 'string' ? answer.next_cursor : null;
  } while (cursor !== null);
  return null;
}
