import type { QueryOf } from '@culprit/contract/endpoint';
import type { listIncidents as endpoint, Incident } from '@culprit/contract/incidents';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import { parseRequestTimestamp } from '@culprit/contract/timestamps';
import type { PlanSettings } from '../billing/plan.ts';
import { SEVERITIES } from '../events/severity.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
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
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const after = query.cursor === undefined ? null : readCursor(query.cursor);
  const firstSeenAfterMs = readTime(query.first_seen_after);
  const attentionAfterMs = readTime(query.attention_after);
  const rows = await listIncidentRows(database, {
    projectIds: await projectsInScope(database, plans, member, query.project_id),
    environment: query.environment ?? null,
    service: query.service ?? null,
    status: query.status ?? null,
    severity: query.severity === undefined ? null : SEVERITIES.indexOf(query.severity),
    firstSeenAfterMs,
    attentionAfterMs,
    after,
    limit: limit + 1,
  });
  const incidents = rows.slice(0, limit);
  const last = incidents.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return { incidents, next_cursor: isEnd ? null : encodeCursor([last.last_seen_at, last.incident_id]) };
}

function readCursor(text: string): { lastSeenAtMs: number; incidentId: string } {
  const cursor = decodeTimeCursor(text);
  const incidentId = cursor === null ? null : parseId(['inc'], cursor.key);
  if (cursor === null || incidentId === null) throw new Problem('invalid_query');
  return { lastSeenAtMs: cursor.timeMs, incidentId };
}

function readTime(text: string | undefined): number | null {
  if (text === undefined) return null;
  const timeMs = parseRequestTimestamp(text);
  if (timeMs === null) throw new Problem('invalid_query');
  return timeMs;
}
