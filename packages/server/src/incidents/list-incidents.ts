import type { QueryOf } from '@culprit/contract/endpoint';
import type { listIncidents as endpoint, Incident } from '@culprit/contract/incidents';
import { parseRequestTimestamp } from '@culprit/contract/timestamps';
import type { PlanSettings } from '../billing/plan.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { pageOf, readPage } from '../platform/http/time-page.ts';
import { projectsInScope } from '../projects/projects-in-scope.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listIncidentRows } from './incidents.queries.ts';

/**
 * A page of the incidents a member sees, latest activity first (incidents.md 2.1).
 * @throws Problem `invalid_query`, `project_not_found`, `shared_access_suspended` for a named project
 */
export async function listIncidents(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  query: QueryOf<typeof endpoint>,
): Promise<{ incidents: Incident[]; next_cursor: string | null }> {
  const page = readPage(['inc'], query);
  const filter = {
    environment: query.environment ?? null,
    service: query.service ?? null,
    status: query.status ?? null,
    severity: query.severity === undefined ? null : SEVERITIES.indexOf(query.severity),
    firstSeenAfterMs: readTime(query.first_seen_after),
    attentionAfterMs: readTime(query.attention_after),
  };
  const projectIds = await projectsInScope(database, plans, member, query.project_id);
  const rows = await listIncidentRows(database, { ...filter, projectIds }, page);
  const { shown, nextCursor } = pageOf(rows, page, (row) => [row.last_seen_at, row.incident_id]);
  return { incidents: shown, next_cursor: nextCursor };
}

function readTime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const timeMs = parseRequestTimestamp(text);
  if (timeMs === null) throw new Problem('invalid_query');
  return timeMs;
}
