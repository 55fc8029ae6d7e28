import type { Queryable } from '../platform/db/database.ts';

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

export interface LifecycleEvent {
  projectId: string;
  incidentId: string;
  kind: LifecycleKind;
  data: object;
}

/** Writes ledger rows inside the transaction of the transitions they tell. */
export async function insertLifecycleEvents(
  transaction: Queryable,
  events: readonly LifecycleEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await transaction.query(
    {
      name: 'lifecycle-insert',
      text: `insert into lifecycle_events (project_id, incident_id, kind, data)
        select project_id, incident_id, kind, data
        from json_to_recordset($1::json) as l (n integer, project_id uuid, incident_id uuid, kind text, data jsonb)
        order by n`,
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
    ],
  );
}
