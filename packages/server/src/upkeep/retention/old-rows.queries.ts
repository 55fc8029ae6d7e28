import type { Queryable, Statement } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/**
 * Statements that remove rows past the window of incidents. Each takes some rows at a time and returns how many went.
 */

/** Event rows of a project, by their own time of receipt; `receivedFromMs` null looks at all of them. */
export async function deleteEventRows(
  database: Queryable,
  projectId: string,
  span: { receivedFromMs: number | null; receivedBeforeMs: number },
  limit: number,
): Promise<number> {
  const [row] = await database.query<{ removed: number }>(
    sql('retention-events')`select remove_event_rows($1, $2, $3, $4) as removed`,
    [
      projectId,
      span.receivedFromMs === null ? null : new Date(span.receivedFromMs),
      new Date(span.receivedBeforeMs),
      limit,
    ],
  );
  return row?.removed ?? 0;
}

/** Event rows of incidents that ended, however new they are. */
export const deleteIncidentEventRows = statement.value<
  [incidentIds: readonly string[], limit: number],
  number
>('retention-incident-events', 'select remove_incident_event_rows($1, $2) as removed', 0);

/** Context that incidents used; an incident has some hundred such rows at most. */
export async function deleteContextRows(
  database: Queryable,
  incidentIds: readonly string[],
  receivedBeforeMs: number,
): Promise<void> {
  await database.query(
    sql(
      'retention-context',
    )`delete from incident_context where incident_id = any ($1::uuid[]) and received_at < $2`,
    [[...incidentIds], new Date(receivedBeforeMs)],
  );
}

/** Rows of a project in one table, by its own statement (`Table.retention`). */
export async function deleteRowsPastWindow(
  database: Queryable,
  statement: Statement,
  projectId: string,
  beforeMs: number,
  limit: number,
): Promise<number> {
  const [row] = await database.query<{ removed: number }>(statement, [projectId, new Date(beforeMs), limit]);
  return row?.removed ?? 0;
}
