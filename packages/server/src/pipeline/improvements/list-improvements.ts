import type { QueryOf } from '@culprit/contract/endpoints/endpoint';
import type { listImprovements as endpoint, Improvement } from '@culprit/contract/incidents/improvements';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import { pageOf, readPage, type TimePage } from '../../platform/http/binding/time-page.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../../workspace/access/api-callers.ts';
import { detectorsOf } from './detectors.ts';
import { listImprovementRows } from './improvements.queries.ts';

/** The page that a query asks for. @throws Problem `invalid_query` */
export function checkImprovementsPage({ query }: { query: QueryOf<typeof endpoint> }): TimePage {
  return readPage([], query);
}

/** A page of the improvements a member sees, latest activity first (docs/contract/incidents.md 6.5). */
export async function listImprovements(
  { database }: Runtime,
  { access, query, checked: page }: ApiRequest<typeof endpoint, TimePage>,
): Promise<{ improvements: Improvement[]; next_cursor: string | null }> {
  const rows = await listImprovementRows(database, {
    projectIds: access.projectIds,
    environment: query.environment ?? null,
    service: query.service ?? null,
    status: query.status ?? null,
    severity: query.severity === undefined ? null : SEVERITIES.indexOf(query.severity),
    detectors:
      query.kind === undefined && query.except_kind === undefined
        ? null
        : detectorsOf({ kind: query.kind, except: query.except_kind }),
    page,
  });
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.last_detected_at, row.improvement_id]);
  return { improvements: shown, next_cursor: nextCursor };
}
