import { ALERTING_KINDS, ALERTS_LANE, EVALUATE_ALERTS } from '../alerts/alerts.jobs.ts';
import type { Queryable } from '../platform/db/database.ts';
import { WAKE_CHANNEL } from '../platform/jobs/wake-listener.ts';
import { FAN_OUT, TOLD_KINDS, WEBHOOKS_LANE } from '../webhooks/webhooks.jobs.ts';

/** Words of the ledger; webhooks, alerts and timelines are readings of it. */
export type LifecycleKind =
  | 'incident.opened'
  | 'incident.regressed'
  | 'incident.resolved'
  | 'incident.reopened'
  | 'incident.spike_detected'
  | 'incident.severity_raised'
  | 'bundle.created'
  | 'bundle.updated'
  | 'improvement_bundle.created';

const TOLD: readonly LifecycleKind[] = TOLD_KINDS;
const ALERTING: readonly LifecycleKind[] = ALERTING_KINDS;

/** Ledger rows of one job at most: each may become a delivery of every webhook or alert rule. */
const ROWS_PER_JOB = 50;

/** A row tells of one incident or one improvement. */
export type LifecycleEvent = { projectId: string; data: object } & (
  | { kind: Exclude<LifecycleKind, 'improvement_bundle.created'>; incidentId: string }
  | { kind: 'improvement_bundle.created'; improvementId: string }
);

/**
 * Writes ledger rows inside the transaction of the transitions they tell, with the jobs that make webhook deliveries
 * and alerts of them (reliability rule A4). A project without an enabled webhook or alert rule has no such job.
 */
export async function insertLifecycleEvents(
  transaction: Queryable,
  events: readonly LifecycleEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await transaction.query(
    {
      name: 'lifecycle-insert',
      text: `
        with written as (
          insert into lifecycle_events (project_id, incident_id, improvement_id, kind, data)
          select project_id, incident_id, improvement_id, kind, data
          from json_to_recordset($1::json) as l (n integer, project_id uuid, incident_id uuid, improvement_id uuid,
            kind text, data jsonb)
          order by n
          returning lifecycle_id, project_id, kind
        ), queued as (
          insert into jobs (lane, kind, project_id, payload)
          select lane, job_kind, project_id,
            jsonb_build_object('lifecycleIds', jsonb_agg(lifecycle_id order by lifecycle_id))
          from (
            select lane, job_kind, lifecycle_id, project_id,
              (row_number() over (partition by lane order by lifecycle_id) - 1) / ${ROWS_PER_JOB} as part
            from written join (values
              ('${WEBHOOKS_LANE}', '${FAN_OUT}', $2::text[]), ('${ALERTS_LANE}', '${EVALUATE_ALERTS}', $3::text[])
            ) readers (lane, job_kind, kinds) on written.kind = any (readers.kinds)
          ) told
          where case lane
            when '${WEBHOOKS_LANE}'
              then exists (select from webhooks w where w.project_id = told.project_id and w.is_enabled)
            else exists (select from alert_rules r where r.project_id = told.project_id and r.is_enabled) end
          group by lane, job_kind, project_id, part
          returning lane
        )
        select pg_notify('${WAKE_CHANNEL}', lane) from queued group by lane`,
    },
    [
      JSON.stringify(
        events.map((event, n) => ({
          n,
          project_id: event.projectId,
          incident_id: 'incidentId' in event ? event.incidentId : null,
          improvement_id: 'improvementId' in event ? event.improvementId : null,
          kind: event.kind,
          data: event.data,
        })),
      ),
      [...TOLD],
      [...ALERTING],
    ],
  );
}
