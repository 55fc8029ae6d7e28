import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type {
  getIncidentHistory as endpoint,
  HistoryEntry,
} from '@culprit/contract/incidents/incident-history';
import { PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { listHistoryRows } from '../../ledger/incident-history.queries.ts';

interface HistoryPage {
  afterId: number | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkHistoryPage({ query }: { query: QueryOf<typeof endpoint> }): HistoryPage {
  const { limit = PAGE_SIZE_DEFAULT, cursor } = query;
  if (cursor !== undefined && !/^[1-9]\d{0,14}$/.test(cursor)) throw invalidCursor();
  return { afterId: cursor === undefined ? null : Number(cursor), limit };
}

/** A page of what happened to an incident, oldest first. The cursor is the id of the last entry. */
export async function listHistory(
  { database }: Runtime,
  { access, checked: { afterId, limit } }: ApiRequest<typeof endpoint, HistoryPage>,
): Promise<{ history: HistoryEntry[]; next_cursor: string | null }> {
  const rows = await listHistoryRows(database, access.recordId, { afterId, limit: limit + 1 });
  const history = rows.slice(0, limit);
  return { history, next_cursor: rows.length > limit ? (history.at(-1)?.id ?? null) : null };
}
