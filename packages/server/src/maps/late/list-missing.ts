import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listMissingMaps as endpoint, MissingMap } from '@culprit/contract/releases/source-maps';
import { decodeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import { formatTimestamp } from '@culprit/contract/schemas/timestamps';
import { invalidCursor } from '../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { findMissing, type MissingPlace } from './waits.queries.ts';

/** A page of what is missing. */
interface MissingPage {
  after: MissingPlace | null;
  limit: number;
}

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkMissingPage({ query }: { query: QueryOf<typeof endpoint> }): MissingPage {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  if (query.cursor === undefined) return { after: null, limit };
  const [events = '', foundBy = '', key = '', hash = ''] = decodeCursor(query.cursor, 4) ?? [];
  if (!/^\d{1,15}$/.test(events) || (foundBy !== 'id' && foundBy !== 'file') || !/^-?\d{1,19}$/.test(hash)) {
    throw invalidCursor();
  }
  return { after: { events: Number(events), foundBy, key, hash }, limit };
}

/** The source maps that incidents of a project wait for (docs/contract/source-maps.md 3.5). */
export async function listMissingMaps(
  { database }: Runtime,
  { access: { projectId }, checked: { after, limit } }: ApiRequest<typeof endpoint, MissingPage>,
): Promise<{ missing: MissingMap[]; next_cursor: string | null }> {
  const rows = await findMissing(database, projectId, after, limit + 1);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    missing: shown.map((row) => ({
      debug_id: row.foundBy === 'id' ? row.key : null,
      release: row.foundBy === 'file' ? row.key : null,
      file: row.file,
      reason: row.reason,
      events: row.events,
      incidents: row.incidents,
      first_seen_at: formatTimestamp(row.firstSeenAtMs),
      last_seen_at: formatTimestamp(row.lastSeenAtMs),
      service_name: row.serviceName,
    })),
    next_cursor:
      last === undefined ? null : encodeCursor([String(last.events), last.foundBy, last.key, last.hash]),
  };
}
