import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import { type Incident, listIncidents } from '@culprit/contract/incidents/incidents';
import { infiniteQueryOptions } from '@tanstack/react-query';
import { freshness } from './freshness.ts';
import { call } from './transport.ts';

/** The list of incidents, apart from what only the page of one needs, so that the first screen loads less. */

const PAGE = 100;
/** Lists with more pages are read again only on request. */
const LIVE_PAGES_MAX = 3;

export interface IncidentPage {
  incidents: readonly Incident[];
  next_cursor: string | null;
}

/**
 * Reads the list with these filters. `name` distinguishes lists whose filters move with the clock: their times are
 * computed when the list is read.
 */
export function incidentsQuery(name: string, queryAt: () => QueryOf<typeof listIncidents>, limit = PAGE) {
  const { staleTime, refetchInterval } = freshness('incidents');
  return infiniteQueryOptions({
    queryKey: [listIncidents.id, name],
    queryFn: async ({ signal, pageParam }): Promise<IncidentPage> => {
      const query = { ...queryAt(), limit, ...(pageParam === null ? {} : { cursor: pageParam }) };
      const page = await call(listIncidents, { query, signal });
      return { ...page, incidents: page.incidents.map(compact) };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime,
    refetchInterval: (query) => (isShort(query) ? refetchInterval(query) : false),
    refetchOnWindowFocus: isShort,
    refetchOnMount: isShort,
  });
}

/** Gives the same object for parts that are equal, so that 100,000 rows fit. */
function partsOf<Part>(): (part: Part) => Part {
  const known = new Map<string, Part>();
  return (part) => {
    const key = JSON.stringify(part);
    const first = known.get(key) ?? part;
    known.set(key, first);
    return first;
  };
}

const fieldsOf = partsOf<Incident['matched_fields']>();
const reasonOf = partsOf<Incident['incident_reason']>();

function compact(row: Incident): Incident {
  return {
    ...row,
    matched_fields: fieldsOf(row.matched_fields),
    incident_reason: reasonOf(row.incident_reason),
  };
}

/**
 * Returns true if a query can be read again automatically: a list that was followed for many pages would cost as many
 * reads.
 */
export function isShort({ state: { data } }: { state: { data?: unknown } }): boolean {
  if (typeof data !== 'object' || data === null || !('pages' in data)) return true;
  return !Array.isArray(data.pages) || data.pages.length <= LIVE_PAGES_MAX;
}

/** The rows of a list, each incident once: the newer place wins while the pages move. */
export function rowsOf(pages: readonly IncidentPage[]): Incident[] {
  const rows = new Map<string, Incident>();
  for (const { incidents } of pages) {
    for (const incident of incidents) {
      if (!rows.has(incident.incident_id)) rows.set(incident.incident_id, incident);
    }
  }
  return [...rows.values()];
}
