import type { Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';
import type { ObservedIncident } from './counted-key.ts';
import { WINDOW_MAX_MS } from './detectors.ts';

/** Incidents of a project with their regressions of the last 30 days, which are a reading of the ledger. */
export async function findObservedIncidents(
  transaction: Transaction,
  projectId: string,
  incidentIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, ObservedIncident>> {
  if (incidentIds.length === 0) return new Map();
  const rows = await transaction.query<{
    incident_id: string;
    service_id: string;
    severity: number;
    title: string;
    regressions: { at_ms: number; is_after_deploy: boolean }[];
  }>(
    sql(
      'improvements-incidents',
    )`select i.incident_id, i.service_id, i.severity, i.title, coalesce(l.regressions, '[]') as regressions
        from incidents i
        left join lateral (
          select json_agg(json_build_object('at_ms', (extract(epoch from occurred_at) * 1000)::bigint,
            'is_after_deploy', coalesce((data->>'regression_after_deploy')::boolean, false))) as regressions
          from (
            select occurred_at, data from lifecycle_events
            where incident_id = i.incident_id and kind = 'incident.regressed' and occurred_at >= $3
            order by lifecycle_id desc limit 100
          ) newest
        ) l on true
        where i.incident_id = any ($2::uuid[]) and i.project_id = $1`,
    [projectId, [...incidentIds], new Date(nowMs - WINDOW_MAX_MS)],
  );
  return new Map(
    rows.map((row) => [
      row.incident_id,
      {
        incidentId: row.incident_id,
        serviceId: row.service_id,
        severity: row.severity,
        title: row.title,
        regressions: row.regressions.map((each) => ({
          atMs: each.at_ms,
          isAfterDeploy: each.is_after_deploy,
        })),
      },
    ]),
  );
}
