import type { Queryable } from '../platform/db/database.ts';

/** Statements that remove rows past the window of incidents. Each takes some rows at a time and returns how many went. */

/** Event rows of a project, by their own time of receipt; `receivedFromMs` null looks at all of them. */
export async function removeEventRows(
  database: Queryable,
  projectId: string,
  span: { receivedFromMs: number | null; receivedBeforeMs: number },
  limit: number,
): Promise<number> {
  const [row] = await database.query<{ removed: number }>(
    { name: 'retention-events', text: 'select remove_event_rows($1, $2, $3, $4) as removed' },
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
export async function removeIncidentEventRows(
  database: Queryable,
  incidentIds: readonly string[],
  limit: number,
): Promise<number> {
  const [row] = await database.query<{ removed: number }>(
    { name: 'retention-incident-events', text: 'select remove_incident_event_rows($1, $2) as removed' },
    [[...incidentIds], limit],
  );
  return row?.removed ?? 0;
}

/** Context that incidents used; an incident has some hundred such rows at most. */
export async function removeContextRows(
  database: Queryable,
  incidentIds: readonly string[],
  receivedBeforeMs: number,
): Promise<void> {
  await database.query(
    {
      name: 'retention-context',
      text: 'delete from incident_context where incident_id = any ($1::uuid[]) and received_at < $2',
    },
    [[...incidentIds], new Date(receivedBeforeMs)],
  );
}

/** Deployments, by the time of receipt: they serve incidents. */
export async function removeDeployments(
  database: Queryable,
  projectId: string,
  receivedBeforeMs: number,
  limit: number,
): Promise<number> {
  return await countRemoved(
    database,
    {
      name: 'retention-deployments',
      text: `with gone as (
          delete from deployments where ctid = any (array(
            select ctid from deployments where project_id = $1 and received_at < $2 limit $3))
          returning 1
        )
        select count(*) as removed from gone`,
    },
    [projectId, new Date(receivedBeforeMs), limit],
  );
}

/**
 * Services that were not seen for the window and have no incident left (incidents.md 7.1). A worker that sees one again
 * moves its time first, so a service that is held is alive.
 */
export async function removeServices(
  database: Queryable,
  projectId: string,
  seenBeforeMs: number,
  limit: number,
): Promise<number> {
  return await countRemoved(
    database,
    {
      name: 'retention-services',
      text: `with old as (
          select service_id from services s where project_id = $1 and last_seen_at < $2
            and not exists (select from incidents i where i.service_id = s.service_id)
          limit $3 for update skip locked
        ), gone as (
          delete from services s using old where s.service_id = old.service_id returning 1
        )
        select count(*) as removed from gone`,
    },
    [projectId, new Date(seenBeforeMs), limit],
  );
}

/** Counters of fates by token, rule and hour. Those by month and meter, which name neither, stay. */
export async function removeFates(
  database: Queryable,
  projectId: string,
  hourBeforeMs: number,
  limit: number,
): Promise<number> {
  return await countRemoved(
    database,
    {
      name: 'retention-fates',
      text: `with gone as (
          delete from event_fates where ctid = any (array(
            select ctid from event_fates where project_id = $1 and hour < $2 limit $3))
            and hour < $2
          returning 1
        )
        select count(*) as removed from gone`,
    },
    [projectId, new Date(hourBeforeMs), limit],
  );
}

async function countRemoved(
  database: Queryable,
  statement: { name: string; text: string },
  parameters: [projectId: string, before: Date, limit: number],
): Promise<number> {
  const [row] = await database.query<{ removed: number }>(statement, parameters);
  return row?.removed ?? 0;
}
