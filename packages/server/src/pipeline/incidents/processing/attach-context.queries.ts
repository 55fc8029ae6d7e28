import { binaryArray } from '../../../platform/db/binary-array.ts';
import type { Queryable } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/statement.ts';

/** Statements that find the incidents whose bundles can show an event as context. */

/** Hashes of ids, as keys of the hours in question (`../../stored-events/hour-keys.ts`). */
export interface SharedKeys {
  traces: readonly bigint[];
  requests: readonly bigint[];
  sessions: readonly bigint[];
  /** Traces of exceptions, which only documents of jobs show. */
  tracesOfJobs: readonly bigint[];
}

/**
 * Incidents with an occurrence that was received at most an hour before and has one of the trace, request or session ids:
 * their bundles can show the new context. At most 200 of them.
 */
export async function findIncidentsSharingIds(
  database: Queryable,
  projectId: string,
  { traces, requests, sessions, tracesOfJobs }: SharedKeys,
  beforeMs: number,
): Promise<string[]> {
  if (traces.length + requests.length + sessions.length + tracesOfJobs.length === 0) return [];
  const rows = await database.query<{ incident_id: string }>(
    sql('incidents-sharing-ids')`
        select incident_id from (
          ${sharing('trace_hash', '$2')}
          union
          ${sharing('request_hash', '$3')}
          union
          ${sharing('session_hash', '$4')}
          union
          ${sharing('trace_hash', '$6')}
            and (select exists (select from heartbeats where project_id = $1))
        ) shared limit 200`,
    [
      projectId,
      binaryArray('bigint', traces),
      binaryArray('bigint', requests),
      binaryArray('bigint', sessions),
      new Date(beforeMs),
      binaryArray('bigint', tracesOfJobs),
    ],
  );
  return rows.map((row) => row.incident_id);
}

/**
 * Returns the query for the incidents with one of the hashes. Its values are computed when the statement runs: where the
 * planner sees them, it makes a plan for each claim, which takes longer than the statement.
 */
function sharing(column: string, hashes: string): string {
  return `select incident_id from events
          where project_id = $1 and ${column} = any ((select ${hashes}::bigint[])::bigint[]) and is_counted
            and incident_id is not null and received_at >= $5::timestamptz - interval '1 h'`;
}

/** Incidents of a service that a new deployment concerns: last seen at or after it. At most 500. */
export async function findIncidentsSince(
  database: Queryable,
  service: { projectId: string; name: string; environment: string },
  sinceMs: number,
): Promise<string[]> {
  const rows = await database.query<{ incident_id: string }>(
    sql('incidents-since')`select i.incident_id from services s
        join incidents i on i.project_id = s.project_id and i.service_id = s.service_id
        where s.project_id = $1 and s.name = $2 and s.environment = $3
          and i.seen_step >= seen_step($4) and i.last_seen_at >= $4
        order by i.seen_step desc, i.last_seen_at desc limit 500`,
    [service.projectId, service.name, service.environment, new Date(sinceMs)],
  );
  return rows.map((row) => row.incident_id);
}
