import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listIncidentLogs as endpoint, LogRow } from '@culprit/contract/incidents/logs';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { eventTitle } from '@culprit/evidence/events/fingerprint/event-title';
import { invalidCursor } from '../../../platform/http/binding/invalid-query.ts';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findCurrentBundle } from '../../bundles/document/current-bundle.ts';
import { readEvents } from '../../bundles/evidence/gather-evidence.ts';
import { levelRank } from '../../stored-events/event-codes.ts';
import { type ListedEvent, type LogPosition, listLogRows } from './logs.queries.ts';

interface LogsPage {
  level: number | null;
  after: LogPosition | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkLogsPage({ query }: { query: QueryOf<typeof endpoint> }): LogsPage {
  const cursor = query.cursor === undefined ? null : decodeTimeCursor(query.cursor);
  if (query.cursor !== undefined && cursor === null) throw invalidCursor();
  return {
    level: query.level === undefined ? null : levelRank(query.level),
    after: cursor === null ? null : { occurredAtMs: cursor.timeMs, eventId: cursor.key },
    limit: query.limit ?? PAGE_SIZE_DEFAULT,
  };
}

/** A page of an incident's events, newest first (docs/contract/incidents.md 2.6). */
export async function listLogs(
  { database, objects }: Runtime,
  { access, checked }: Pick<ApiRequest<typeof endpoint, LogsPage>, 'access' | 'checked'>,
): Promise<{ logs: LogRow[]; next_cursor: string | null }> {
  const { limit } = checked;
  // Context is attached by the bundle that uses it.
  if (checked.after === null) await findCurrentBundle(database, access.recordId);
  const rows = await listLogRows(database, access.recordId, { ...checked, limit: limit + 1 });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    logs: await withSummaries(objects, page),
    next_cursor: isEnd ? null : encodeCursor([last.row.occurred_at, last.row.event_id]),
  };
}

/**
 * Returns the rows with the texts of the incident's own events, which are read from their objects; those of context are
 * in its row.
 */
async function withSummaries(objects: ObjectStore, page: readonly ListedEvent[]): Promise<LogRow[]> {
  const own = page.flatMap(({ place }) => (place === null ? [] : [place]));
  const events = await readEvents(objects, own);
  const summaries = new Map(own.map((place, n) => [place, events[n]]));
  return page.map(({ row, place }) => {
    const event = place === null ? null : (summaries.get(place) ?? null);
    return event === null ? row : { ...row, summary: eventTitle(event) };
  });
}
