import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql, statement } from '../../platform/db/statement.ts';

/** Statements over incidents that are past their window, and what they leave. */

/** A place in the walk over a project's incidents. */
export interface IncidentPosition {
  incidentId: string;
  lastSeenAtMs: number;
}

/** An incident that is past its window, or may have rows that are. */
interface RetentionCandidate extends IncidentPosition {
  isExpired: boolean;
  /** It may have begun before the window did. */
  isLongLived: boolean;
}

/**
 * Returns true if a project has an incident with an id from the first to the last of these, or had one that ended so
 * recently that its data may still be read.
 */
export async function hasIncidentsBetween(
  database: Queryable,
  projectId: string,
  { firstId, lastId }: { firstId: string; lastId: string },
  restSeconds: number,
): Promise<boolean> {
  const [row] = await database.query<{ has_some: boolean }>(
    sql('retention-incidents-between')`select exists (
          select from incidents where incident_id between $2 and $3 and project_id = $1
          union all
          select from incident_tombstones where project_id = $1 and incident_id between $2 and $3
            and created_at >= culprit_now() - make_interval(secs => $4)
        ) as has_some`,
    [projectId, firstId, lastId, restSeconds],
  );
  return row?.has_some ?? false;
}

/**
 * A page of a project's incidents in the order of the index that lists them, behind a place. The clock of an incident
 * is the latest of its newest counted event's receipt and its last change of status.
 */
export async function listRetentionCandidates(
  database: Queryable,
  projectId: string,
  keptFromMs: number,
  after: IncidentPosition | null,
  limit: number,
): Promise<RetentionCandidate[]> {
  return await database.query<RetentionCandidate>(
    {
      name: 'retention-incidents',
      // An event is received at most ten minutes before the time it is believed to have (docs/contract/incidents.md
      // 5.2).
      text: `select incident_id as "incidentId", last_seen_at as "lastSeenAtMs",
      greatest(newest_received_at, status_changed_at) < $2 as "isExpired",
          first_seen_at < $2::timestamptz + interval '10 min' as "isLongLived"
        from incidents
        where project_id = $1
          and (seen_step, last_seen_at, incident_id) > (seen_step($3::timestamptz), $3::timestamptz, $4::uuid)
        order by seen_step, last_seen_at, incident_id limit $5`,
    },
    [
      projectId,
      new Date(keptFromMs),
      after === null ? '-infinity' : new Date(after.lastSeenAtMs),
      after?.incidentId ?? '00000000-0000-0000-0000-000000000000',
      limit,
    ],
  );
}

/**
 * Locks those of some incidents that are past their window. One that another transaction holds at this moment, to count
 * an event or to change its status, is left alone; a transaction that comes later finds none and creates a new one.
 */
export async function lockExpiredIncidents(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
  keptFromMs: number,
): Promise<string[]> {
  const rows = await transaction.query<{ incident_id: string }>(
    sql('retention-hold-incidents')`select incident_id from incidents
        where incident_id = any ($2::uuid[]) and project_id = $1
          and greatest(newest_received_at, status_changed_at) < $3
        order by incident_id for update skip locked`,
    [projectId, [...incidentIds], new Date(keptFromMs)],
  );
  return rows.map((row) => row.incident_id);
}

/** Ends incidents that are held with their bundles for everybody who looks, and leaves tombstones for the rest. */
export async function deleteIncidents(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
): Promise<void> {
  await transaction.query(
    sql('retention-remove-incidents')`
        with marked as (
          insert into incident_tombstones (incident_id, project_id) select unnest($2::uuid[]), $1
        ), remembered as (
          insert into snooze_memories (project_id, service_name, environment, fingerprint_version, fingerprint,
            snoozed_until, occurrences_left, users_left, wake_after_deploy_at, wake_at_hourly, snoozed_by_user_id,
            snooze_reason)
          select i.project_id, i.service_name, i.environment, i.fingerprint_version, i.fingerprint, i.snoozed_until,
            greatest(1, i.wake_at_count - i.occurrence_count), greatest(1, i.wake_at_users - i.affected_users),
            i.wake_after_deploy_at, i.wake_at_hourly, t.snoozed_by_user_id, t.snooze_reason
          from incidents i left join incident_triage t using (incident_id)
          where i.incident_id = any ($2::uuid[]) and i.project_id = $1 and i.sample_id is null
            and i.snoozed_until > (select culprit_now())
          on conflict do nothing
        )
        delete from incidents where incident_id = any ($2::uuid[]) and project_id = $1`,
    [projectId, [...incidentIds]],
  );
  await transaction.query(
    sql('retention-remove-bundles')`delete from bundles where incident_id = any ($1::uuid[])`,
    [[...incidentIds]],
  );
}

/** Incidents that ended, behind an id; `isRested` when that was long enough ago for everything under way to be over. */
export const listIncidentTombstones = statement.many<
  [projectId: string, restSeconds: number, afterId: string | null, limit: number],
  { incidentId: string; isRested: boolean }
>(
  'retention-incident-tombstones',
  `select incident_id as "incidentId", created_at < culprit_now() - make_interval(secs => $2) as "isRested"
    from incident_tombstones where project_id = $1 and ($3::uuid is null or incident_id > $3)
    order by incident_id limit $4`,
);

/** Nothing is left of these incidents. */
export const deleteIncidentTombstones = statement.run<[incidentIds: readonly string[]]>(
  'retention-incidents-done',
  'delete from incident_tombstones where incident_id = any ($1::uuid[])',
);
