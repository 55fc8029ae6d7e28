import type { QueryOf } from '@culprit/contract/endpoint';
import type { listIncidentLogs as endpoint, LogRow } from '@culprit/contract/logs';
import { decodeTimeCursor, encodeCursor, PAGE_SIZE_DEFAULT } from '@culprit/contract/pagination';
import type { PlanSettings } from '../billing/plan.ts';
import { levelRank } from '../events/event-codes.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import { parseId } from '../platform/ids.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listLogRows } from './incidents.queries.ts';
import { readIncident } from './read-incident.ts';

/**
 * A page of an incident's events, newest first (incidents.md 2.6).
 * @throws Problem `invalid_query`, and as `readIncident`
 */
export async function listLogs(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  incident: string,
  query: QueryOf<typeof endpoint>,
): Promise<{ logs: LogRow[]; next_cursor: string | null }> {
  const limit = query.limit ?? PAGE_SIZE_DEFAULT;
  const cursor = query.cursor === undefined ? null : decodeTimeCursor(query.cursor);
  if (query.cursor !== undefined && cursor === null) throw new Problem('invalid_query');
  const { incident_id } = await readIncident(database, plans, member, incident);
  const rows = await listLogRows(database, parseId(['inc'], incident_id) ?? '', {
    level: query.level === undefined ? null : levelRank(query.level),
    after: cursor === null ? null : { occurredAtMs: cursor.timeMs, eventId: cursor.key },
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isEnd = rows.length <= limit || last === undefined;
  return {
    logs: page.map(({ row }) => row),
    next_cursor: isEnd ? null : encodeCursor([last.row.occurred_at, last.row.event_id]),
  };
}
