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
import type { Queryable } from '../../../platform/db/database.ts';
import { invalidCursor, queryTime } from '../../../platform/http/binding/invalid-query.ts';
import type { Runtime } from '../../../runtime.ts';
import type { ApiRequest } from '../../../workspace/access/api-callers.ts';
import { checkQuery, prepareQuery } from '../searching/prepare-query.ts';
import type { Condition } from '../searching/query-condition.ts';
import { wayOfCount, wayOfPage } from './choose-way.ts';
import { incidentCursor, readIncidentCursor } from './incident-cursor.ts';
import {
  countFitting,
  countIncidentRows,
  type IncidentFilter,
  type IncidentPage,
  listIncidentRows,
  passesAll,
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
  const asked = { ...filter, projectIds };
  const listed = await wayOfPage(database, asked, page, conditions);
  const rows = listed.candidates?.length === 0 ? [] : await listIncidentRows(database, asked, page, listed);
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
  const found = await countTo(INCIDENT_COUNT_MAX + 1, database, { ...filter, projectIds }, conditions);
  return { count: Math.min(found, INCIDENT_COUNT_MAX), is_exact: found <= INCIDENT_COUNT_MAX };
}

async function countTo(
  limit: number,
  database: Queryable,
  filter: IncidentFilter,
  conditions: readonly Condition[],
): Promise<number> {
  if (conditions.length > 0 && passesAll(filter) && conditions.every(({ all }) => all !== undefined)) {
    return countFitting(database, filter.projectIds, conditions, limit);
  }
  const listed = await wayOfCount(database, filter, conditions);
  return listed.candidates?.length === 0 ? 0 : countIncidentRows(database, filter, listed, limit);
}
