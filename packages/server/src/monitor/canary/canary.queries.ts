import type { Queryable } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** Seconds from the receipt of an event, by the database clock; null as long as it has not arrived there. */
interface CanaryProgress {
  toIncident: number | null;
  toWebhook: number | null;
}

/** Returns the progress of a project's event: its incident, and the webhook delivery of the first bundle. */
export async function readProgress(
  database: Queryable,
  projectId: string,
  eventId: string,
): Promise<CanaryProgress> {
  const [row] = await database.query<{ to_incident: number; to_webhook: number | null }>(
    sql('canary-progress')`select extract(epoch from l.occurred_at - s.received_at)::float8 as to_incident,
          (select extract(epoch from d.delivered_at - s.received_at)
            from lifecycle_events b join webhook_deliveries d using (lifecycle_id)
            where b.incident_id = i.incident_id and b.kind = 'bundle.created')::float8 as to_webhook
        from incidents i
          join incident_samples s using (incident_id)
          join lifecycle_events l on l.incident_id = i.incident_id and l.kind = 'incident.opened'
        where i.project_id = $1 and s.event_id = $2
          and i.seen_step >= seen_step(culprit_now() - interval '1 h')`,
    [projectId, eventId],
  );
  return { toIncident: row?.to_incident ?? null, toWebhook: row?.to_webhook ?? null };
}

/** Notes what became of an event; times in whole milliseconds. */
export async function insertRun(
  database: Queryable,
  run: { missing: string | null; incidentMs: number | null; webhookMs: number | null },
): Promise<void> {
  await database.query(
    sql('canary-run-insert')`insert into canary_runs (missing, incident_ms, webhook_ms) values ($1, $2, $3)`,
    [run.missing, run.incidentMs, run.webhookMs],
  );
}

/** The last events of the canary in figures; times are milliseconds, moments those since the epoch. */
interface CanaryFigures {
  last_at: number;
  /** The times of the last event that arrived there. */
  incident_ms: number | null;
  webhook_ms: number | null;
  failures: number;
  /** The slowest way to the webhook of each hour, oldest first; 0 where none arrived. */
  slowest: number[];
}

/** Null when none was sent in that time. */
export async function readFigures(database: Queryable, hours: number): Promise<CanaryFigures | null> {
  const [row] = await database.query<CanaryFigures>(FIGURES, [hours]);
  return row ?? null;
}

const FIGURES = sql('canary-figures')`
    with moment as materialized (select culprit_now() as now), runs as materialized (
      select canary_run_id, ran_at, missing, incident_ms, webhook_ms, now,
        floor(extract(epoch from now - ran_at) / 3600)::int as hours_ago
      from canary_runs, moment where ran_at > now - make_interval(hours => $1)
    )
    select max(ran_at) as last_at,
      (select incident_ms from runs where incident_ms is not null order by ran_at desc limit 1) as incident_ms,
      (select webhook_ms from runs where webhook_ms is not null order by ran_at desc limit 1) as webhook_ms,
      count(*) filter (where missing is not null) as failures,
      array(select coalesce((select max(webhook_ms) from runs where hours_ago = h), 0)
        from generate_series($1 - 1, 0, -1) as h) as slowest
    from runs having count(*) > 0`;
