import { inTransaction } from '../../platform/db/statement.ts';

/** The meters that a project's record counts for the month (docs/contract/incidents.md 7.2). */
type ProjectMeter = 'monthly_raw_ingested_events' | 'monthly_bundle_requests' | 'monthly_alert_deliveries';

/**
 * Counts what a project used this month, UTC, inside the transaction that uses it: beside the organization's own
 * counter, which is the one that limits.
 */
export const addProjectUsage = inTransaction.send<[projectId: string, meter: ProjectMeter, amount: number]>(
  'project-usage-add',
  `insert into project_usage as u (project_id, month_started_at, meter, used)
    values ($1, date_trunc('month', culprit_now(), 'UTC'), $2, $3)
    on conflict (project_id, month_started_at, meter) do update set used = u.used + excluded.used`,
);
