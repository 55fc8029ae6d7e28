import type { Queryable } from '../platform/db/database.ts';

/** Seconds from the receipt of an event, by the database clock; null as long as it has not arrived there. */
export interface CanaryProgress {
  toIncident: number | null;
  toWebhook: number | null;
}

/** How far an event of a project got: its incident, and the webhook delivery of the first bundle. */
export async function readProgress(
  database: Queryable,
  projectId: string,
  eventId: string,
): Promise<CanaryProgress> {
  const [row] = await database.query<{ to_incident: number; to_webhook: number | null }>(
    {
      name: 'canary-progress',
      text: `select extract(epoch from l.occurred_at - s.received_at)::float8 as to_incident,
          (select extract(epoch from d.delivered_at - s.received_at)
            from lifecycle_events b join webhook_deliveries d using (lifecycle_id)
            where b.incident_id = i.incident_id and b.kind = 'bundle.created')::float8 as to_webhook
        from incidents i
          join incident_samples s using (incident_id)
          join lifecycle_events l on l.incident_id = i.incident_id and l.kind = 'incident.opened'
        where i.project_id = $1 and s.event_id = $2 and i.last_seen_at > culprit_now() - interval '1 h'`,
    },
    [projectId, eventId],
  );
  return { toIncident: row?.to_incident ?? null, toWebhook: row?.to_webhook ?? null };
}

/** The database clock, in milliseconds. */
export async function readClock(database: Queryable): Promise<number> {
  const [row] = await database.query<{ now: number }>({
    name: 'canary-clock',
    text: 'select culprit_now() as now',
  });
  if (row === undefined) throw new Error('the database has no clock');
  return row.now;
}
