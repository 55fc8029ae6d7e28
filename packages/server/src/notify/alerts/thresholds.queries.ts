import type { Severity } from '@culprit/evidence/events/normalize/event';
import { SEVERITIES } from '@culprit/evidence/events/normalize/severity';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';

/** Statements on what rules with a threshold look at (docs/contract/notifications.md 1.22). Ids are bare UUIDs. */

/** A project is looked at this often while it has such a rule. */
const THRESHOLD_SECONDS = 30;
/** Incidents of one look: those with the newest signals. */
const INCIDENTS_MAX = 1000;

/** Takes the project that was looked at the longest ago, until the transaction ends; null when none is due. */
export const claimThresholds = inTransaction.one<[], { projectId: string; nowMs: number; sinceMs: number }>(
  'alert-threshold-claim',
  `with due as (
      select project_id, thresholds_checked_at from projects
      where deleted_at is null
        and thresholds_checked_at <= (select culprit_now()) - interval '${THRESHOLD_SECONDS} s'
        and project_id in (
          select project_id from alert_rules where condition_type = 'occurrence_threshold' and is_enabled)
      order by thresholds_checked_at limit 1 for no key update skip locked
    )
    update projects p set thresholds_checked_at = culprit_now()
    from due where p.project_id = due.project_id
    returning p.project_id as "projectId", p.thresholds_checked_at as "nowMs",
      greatest(due.thresholds_checked_at, p.thresholds_checked_at - interval '1 hour') as "sinceMs"`,
);

/** An active incident that is not snoozed. */
export interface BusyIncident {
  incidentId: string;
  title: string;
  serviceId: string;
  serviceName: string;
  environment: string;
  severity: Severity;
  affectedUsers: number;
  statusChangedAtMs: number;
}

/** Active incidents of a project with signals since a moment, the newest first. */
export async function findBusyIncidents(
  database: Queryable,
  projectId: string,
  sinceMs: number,
): Promise<BusyIncident[]> {
  const rows = await database.query<{
    incident_id: string;
    title: string;
    service_id: string;
    service_name: string;
    environment: string;
    severity: number;
    affected_users: number | null;
    status_changed_at: number;
  }>(
    {
      name: 'alert-threshold-incidents',
      // A signal is received at most ten minutes before the time it is believed to have (docs/contract/incidents.md
      // 5.2) and may be read later than that, so the order of the index bounds the search.
      text: `select i.incident_id, i.title, i.service_id, i.service_name, i.environment, i.severity,
          i.affected_users, i.status_changed_at
        from incidents i
        where i.project_id = $1 and i.status <> 'resolved' and i.snoozed_until is null and i.sample_id is null
          and i.seen_step >= $2::timestamptz - interval '1 hour' and i.newest_received_at >= $2::timestamptz - interval '1 min'
        order by i.seen_step desc limit ${INCIDENTS_MAX}`,
    },
    [projectId, new Date(sinceMs)],
  );
  return rows.map((row) => ({
    incidentId: row.incident_id,
    title: row.title,
    serviceId: row.service_id,
    serviceName: row.service_name,
    environment: row.environment,
    severity: SEVERITIES[row.severity] ?? 'low',
    affectedUsers: row.affected_users ?? 0,
    statusChangedAtMs: row.status_changed_at,
  }));
}

/** Some last minutes of an incident. */
interface Window {
  incidentId: string;
  windowMinutes: number;
}

/** The occurrences in each window: whole minutes, and of more than two hours the rest in whole hours. */
export async function countWindows(
  database: Queryable,
  windows: readonly Window[],
  nowMs: number,
): Promise<number[]> {
  if (windows.length === 0) return [];
  const nowMinute = Math.floor(nowMs / 60_000);
  const rows = await database.query<{ occurrences: number }>(
    sql('alert-threshold-counts')`select (
            select coalesce(sum(m.occurrences), 0) from incident_minutes m
            where m.incident_id = w.incident_id and m.minute >= w.from_minute
          ) + (
            select coalesce(sum(h.occurrences), 0) from incident_hours h
            where h.incident_id = w.incident_id and h.hour >= w.from_minute / 60
          ) as occurrences
        from json_to_recordset($1::json) as w (n integer, incident_id uuid, from_minute integer)
        order by w.n`,
    [
      JSON.stringify(
        windows.map(({ incidentId, windowMinutes }, n) => ({
          n,
          incident_id: incidentId,
          from_minute: nowMinute - windowMinutes,
        })),
      ),
    ],
  );
  return rows.map((row) => row.occurrences);
}

/** An incident that is above the threshold of a rule. */
export interface Crossing {
  alertId: string;
  incidentId: string;
  threshold: number;
  windowMinutes: number | null;
  reachedAtMs: number;
  heldAtMs: number;
}

export const findCrossings = inTransaction.many<
  [projectId: string, incidentIds: readonly string[]],
  Crossing
>(
  'alert-threshold-crossings',
  `select alert_id as "alertId", incident_id as "incidentId", threshold, window_minutes as "windowMinutes",
      reached_at as "reachedAtMs", held_at as "heldAtMs"
    from alert_crossings where project_id = $1 and incident_id = any ($2::uuid[])`,
);

/** Writes what a look found: crossings that began or hold, and those that are over. */
export function saveCrossings(
  transaction: Transaction,
  projectId: string,
  kept: readonly Crossing[],
  over: readonly Pick<Crossing, 'alertId' | 'incidentId'>[],
): void {
  if (over.length > 0) {
    transaction.send(
      sql('alert-threshold-over')`delete from alert_crossings c
          using json_to_recordset($2::json) as o (alert_id uuid, incident_id uuid)
          where c.project_id = $1 and c.alert_id = o.alert_id and c.incident_id = o.incident_id`,
      [
        projectId,
        JSON.stringify(over.map((each) => ({ alert_id: each.alertId, incident_id: each.incidentId }))),
      ],
    );
  }
  if (kept.length === 0) return;
  transaction.send(
    sql('alert-threshold-keep')`insert into alert_crossings
          (project_id, alert_id, incident_id, threshold, window_minutes, reached_at, held_at)
        select $1, alert_id, incident_id, threshold, window_minutes, reached_at, held_at
        from json_to_recordset($2::json) as k (alert_id uuid, incident_id uuid, threshold integer,
          window_minutes integer, reached_at timestamptz, held_at timestamptz)
        on conflict (project_id, alert_id, incident_id) do update set threshold = excluded.threshold,
          window_minutes = excluded.window_minutes, reached_at = excluded.reached_at, held_at = excluded.held_at`,
    [
      projectId,
      JSON.stringify(
        kept.map((each) => ({
          alert_id: each.alertId,
          incident_id: each.incidentId,
          threshold: each.threshold,
          window_minutes: each.windowMinutes,
          reached_at: new Date(each.reachedAtMs).toISOString(),
          held_at: new Date(each.heldAtMs).toISOString(),
        })),
      ),
    ],
  );
}
