import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import {
  type countIncidents as countEndpoint,
  type listIncidents as endpoint,
  INCIDENT_COUNT_MAX,
  type Incident,
} from '@culprit/contract/incidents/incidents';
import { PAGE_SIZE_DEFAULT } from '@culprit/contract/schemas/pagination';
import type { QueryTerm } from '@culprit/contract/search/incident-query';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { invalidCursor, queryTime } from '../../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { findCandidates } from '../searching/find-candidates.ts';
import { checkQuery, prepareQuery } from '../searching/prepare-query.ts';
import { incidentCursor, readIncidentCursor } from './incident-cursor.ts';
import {
  countIncidentRows,
  type IncidentFilter,
  type IncidentPage,
  listIncidentRows,
} from './incident-list.queries.ts';

interface Asked {
  filter: Omit<IncidentFilter, 'projectIds'>;
  terms: readonly QueryTerm[];
  page: IncidentPage;
}

/** Reads the parameters of a query. @throws Problem `invalid_query` */
export function checkIncidentsFilter({ query }: { query: QueryOf<typeof endpoint> }): Asked {
  const { sort = 'last_seen', limit = PAGE_SIZE_DEFAULT, cursor } = query;
  const after = cursor === undefined ? null : readIncidentCursor(sort, cursor);
  if (cursor !== undefined && after === null) throw invalidCursor();
  return { ...checkIncidentsCount({ query }), page: { sort, after, limit: limit + 1 } };
}

/** Reads what a count includes. @throws Problem `invalid_query` */
export function checkIncidentsCount({
  query,
}: {
  query: QueryOf<typeof countEndpoint>;
}): Omit<Asked, 'page'> {
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
      firstRelease: query.release ?? null,
    },
    terms: checkQuery('q', query.q),
  };
}

/** A page of the incidents a member sees (docs/contract/incidents.md 2.1). */
export async function listIncidents(
  { database }: Runtime,
  { caller, access: { projectIds: visible }, checked }: ApiRequest<typeof endpoint, Asked>,
): Promise<{ incidents: Incident[]; next_cursor: string | null }> {
  const { filter, terms, page } = checked;
  const { projectIds, conditions } = await prepareQuery(database, visible, terms, caller.userId);
  const candidates = await findCandidates(database, projectIds, conditions);
  const rows =
    candidates?.length === 0
      ? []
      : await listIncidentRows(database, { ...filter, projectIds }, page, { conditions, candidates });
  const incidents = rows.slice(0, page.limit - 1);
  const last = incidents.at(-1);
  const isEnd = rows.length < page.limit || last === undefined;
  return { incidents, next_cursor: isEnd ? null : incidentCursor(page.sort, last) };
}

/** Returns how many incidents match (docs/contract/team-workflow.md 1.2). */
export async function countIncidents(
  { database }: Runtime,
  { caller, access: { projectIds: visible }, checked }: ApiRequest<typeof countEndpoint, Omit<Asked, 'page'>>,
): Promise<{ count: number; is_exact: boolean }> {
  const { filter, terms } = checked;
  const { projectIds, conditions } = await prepareQuery(database, visible, terms, caller.userId);
  const candidates = await findCandidates(database, projectIds, conditions);
  if (candidates?.length === 0) return { count: 0, is_exact: true };
  const listed = { conditions, candidates };
  const found = await countIncidentRows(database, { ...filter, projectIds }, listed, INCIDENT_COUNT_MAX + 1);
  return { count: Math.min(found, INCIDENT_COUNT_MAX), is_exact: found <= INCIDENT_COUNT_MAX };
}
