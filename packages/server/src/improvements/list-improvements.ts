import type { QueryOf } from '@culprit/contract/endpoint';
import type { listImprovements as endpoint, Improvement } from '@culprit/contract/improvements';
import { SEVERITIES } from '../events/severity.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { projectsInScope } from '../projects/projects-in-scope.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { detectorsOf } from './detectors.ts';
import { listImprovementRows } from './improvements.queries.ts';
import type { ImprovementsRoom } from './improvements.routes.ts';

/**
 * A page of the improvements a member sees, latest activity first (incidents.md 6.5). Without a project those whose
 * sharing is paused are left out.
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended` for a named project
 */
export async function listImprovements(
  { database, plans }: ImprovementsRoom,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ improvements: Improvement[]; next_cursor: string | null }> {
  const page = readPage([], query);
  const rows = await listImprovementRows(database, {
    projectIds: await projectsInScope(database, plans, member, query.project_id),
    environment: query.environment ?? null,
    service: query.service ?? null,
    status: query.status ?? null,
    severity: query.severity === undefined ? null : SEVERITIES.indexOf(query.severity),
    detectors: query.kind === undefined ? null : detectorsOf(query.kind),
    page,
  });
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.last_detected_at, row.improvement_id]);
  return { improvements: shown, next_cursor: nextCursor };
}
