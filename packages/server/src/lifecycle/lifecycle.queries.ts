import type { Queryable } from '../platform/db/database.ts';
import { WAKE_CHANNEL } from '../platform/jobs/wake-listener.ts';
import { FAN_OUT, ROWS_PER_FAN_OUT, TOLD_KINDS, WEBHOOKS_LANE } from '../webhooks/webhooks.jobs.ts';

/** Words of the ledger; webhooks, alerts and timelines are readings of it. */
export type LifecycleKind =
  | 'incident.opened'
  | 'incident.regressed'
  | 'incident.resolved'
  | 'incident.reopened'
  | 'incident.spike_detected'
  | 'incident.severity_raised'
  | 'bundle.created'
  | 'bundle.updated';

const TOLD: readonly LifecycleKind[] = TOLD_KINDS;

export interface LifecycleEvent {
  projectId: string;
  incidentId: string;
  kind: LifecycleKind;
  data: object;
}

/**
 * Writes ledger rows inside the transaction of the transitions they tell, with the job that makes webhook deliveries of
 * them (reliability rule A4). A project without an enabled webhook has no such job.
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
          insert into lifecycle_events (project_id, incident_id, kind, data)
          select project_id, incident_id, kind, data
          from json_to_recordset($1::json) as l (n integer, project_id uuid, incident_id uuid, kind text, data jsonb)
          order by n
          returning lifecycle_id, project_id, kind
        ), queued as (
          insert into jobs (lane, kind, project_id, payload)
          select '${WEBHOOKS_LANE}', '${FAN_OUT}', project_id,
            jsonb_build_object('lifecycleIds', jsonb_agg(lifecycle_id order by lifecycle_id))
          from (
            select lifecycle_id, project_id, (row_number() over (order by lifecycle_id) - 1) / ${ROWS_PER_FAN_OUT} as part
            from written where kind = any ($2::text[])
          ) told
          where exists (select from webhooks w where w.project_id = told.project_id and w.is_enabled)
          group by project_id, part
          returning lane
        )
        select pg_notify('${WAKE_CHANNEL}', lane) from queued group by lane`,
    },
    [
      JSON.stringify(
        events.map((event, n) => ({
          n,
          project_id: event.projectId,
          incident_id: event.incidentId,
          kind: event.kind,
          data: event.data,
        })),
      ),
      [...TOLD],
    ],
  );
}
