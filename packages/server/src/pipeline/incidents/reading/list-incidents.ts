import type { QueryOf } from '@culprit/contract/endpoint';
import {
  type listIncidents as endpoint,
  FINGERPRINT_PREFIX_MIN,
  type Incident,
} from '@culprit/contract/incidents';
import { PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Queryable } from '../../../platform/db/database.ts';
import { invalidCursor, queryTime } from '../../../platform/http/invalid-query.ts';
import { parseId } from '../../../platform/ids.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { incidentCursor, readIncidentCursor } from './incident-cursor.ts';
import {
  findIncidentsByText,
  type IncidentFilter,
  type IncidentPage,
  type IncidentSearch,
  listIncidentRows,
} from './incident-list.queries.ts';

interface Asked {
  filter: Omit<IncidentFilter, 'projectIds'>;
  search: IncidentSearch | null;
  page: IncidentPage;
}

/**
 * So many found incidents are put in order by themselves. Of more, the list is read in its order until enough of them
 * are met, which is soon because they are many.
 */
const FOUND_MAX = 2000;

/** What a query asks for. @throws Problem `invalid_query` */
export function checkIncidentsFilter({ query }: { query: QueryOf<typeof endpoint> }): Asked {
  const { sort = 'last_seen', limit = PAGE_SIZE_DEFAULT, cursor } = query;
  const after = cursor === undefined ? null : readIncidentCursor(sort, cursor);
  if (cursor !== undefined && after === null) throw invalidCursor();
  return {
    filter: {
      environment: query.environment ?? null,
      service: query.service ?? null,
      status: query.status ?? null,
      severity: query.severity === undefined ? null : SEVERITIES.indexOf(query.severity),
      severityMin: query.severity_min === undefined ? null : SEVERITIES.indexOf(query.severity_min),
      isSpiking: query.spiking ?? null,
      firstSeenAfterMs: queryTime('first_seen_after', query.first_seen_after),
      attentionAfterMs: queryTime('attention_after', query.attention_after),
      symbolication: query.symbolication ?? null,
    },
    search: query.q === undefined ? null : searchFor(query.q),
    page: { sort, after, limit: limit + 1 },
  };
}

/** A page of the incidents a member sees (docs/contract/incidents.md 2.1). */
export async function listIncidents(
  { database }: Runtime,
  { access: { projectIds }, checked: { filter, search, page } }: ApiRequest<typeof endpoint, Asked>,
): Promise<{ incidents: Incident[]; next_cursor: string | null }> {
  const rows = await readRows(database, { ...filter, projectIds }, search, page);
  const incidents = rows.slice(0, page.limit - 1);
  const last = incidents.at(-1);
  const isEnd = rows.length < page.limit || last === undefined;
  return { incidents, next_cursor: isEnd ? null : incidentCursor(page.sort, last) };
}

async function readRows(
  database: Queryable,
  filter: IncidentFilter,
  search: IncidentSearch | null,
  page: IncidentPage,
): Promise<Incident[]> {
  if (search === null) return await listIncidentRows(database, filter, page, { kind: 'all' });
  const incidentIds = await findIncidentsByText(database, filter.projectIds, search, FOUND_MAX + 1);
  if (incidentIds.length === 0) return [];
  const isMany = incidentIds.length > FOUND_MAX;
  const listed = isMany ? ({ kind: 'fitting', search } as const) : ({ kind: 'found', incidentIds } as const);
  return await listIncidentRows(database, filter, page, listed);
}

function searchFor(text: string): IncidentSearch {
  const isFingerprint = text.length >= FINGERPRINT_PREFIX_MIN && /^[0-9a-f]{1,64}$/i.test(text);
  return {
    text,
    incidentId: parseId(['inc', 'bun'], text),
    fingerprintPrefix: isFingerprint ? text.toLowerCase() : null,
  };
}
