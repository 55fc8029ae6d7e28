import { ALERTS_LANE } from '../alerts/alerts.jobs.ts';
import { BILLING_LANE } from '../billing/billing.jobs.ts';
import { BUNDLES_LANE, REFRESHES_LANE } from '../bundles/bundles.jobs.ts';
import { IMPROVEMENT_BUNDLES_LANE, IMPROVEMENTS_LANE } from '../improvements/improvements.jobs.ts';
import { EVENTS_LANE } from '../incidents/incidents.jobs.ts';
import type { Database } from '../platform/db/database.ts';
import { MAIL_LANE } from '../platform/mail/mail.jobs.ts';
import { CLEANUP_LANE } from '../projects/projects.jobs.ts';
import { REPORTS_LANE } from '../reports/reports.jobs.ts';
import { RETENTION_LANE } from '../retention/retention.jobs.ts';
import { WEBHOOKS_LANE } from '../webhooks/webhooks.jobs.ts';

/** Records that are claimed as the rows they are; each kind counts as a lane here. */
const DELIVERIES = 'webhook-deliveries';
const ALERT_MESSAGES = 'alert-messages';
const CHECKS = 'availability-checks';

/** Every word that a lane has in the metrics, besides `other` for lanes of another release. */
export const MEASURED_LANES: readonly string[] = [
  ...[EVENTS_LANE, BUNDLES_LANE, REFRESHES_LANE, IMPROVEMENTS_LANE, IMPROVEMENT_BUNDLES_LANE, WEBHOOKS_LANE],
  ...[ALERTS_LANE, MAIL_LANE, BILLING_LANE, REPORTS_LANE, RETENTION_LANE, CLEANUP_LANE],
  ...[DELIVERIES, ALERT_MESSAGES, CHECKS],
];

/** A statement that is still running by then is broken off by the server. */
const STATEMENT_TIMEOUT = '2s';

/** How the service is doing, as the database shows it. */
export interface DatabaseLook {
  lanes: { lane: string; waiting: number; due: number; oldestDueSeconds: number }[];
  deadLetters: number;
  /** Of the queue table, by the statistics of the server. */
  deadRows: number;
  oldestTransactionSeconds: number;
}

/** Looks at the queue and the transactions: a few short scans, under a time limit on the server. */
export async function lookAtDatabase(database: Database): Promise<DatabaseLook> {
  return await database.transaction(async (transaction) => {
    await transaction.query(
      { name: 'metrics-limit', text: `select set_config('statement_timeout', $1, true)` },
      [STATEMENT_TIMEOUT],
    );
    const lanes = await transaction.query<LaneRow>(LANES, [[...MEASURED_LANES]]);
    const [rest] = await transaction.query<RestRow>(REST);
    return {
      lanes: lanes.map((row) => ({
        lane: row.lane,
        waiting: row.waiting,
        due: row.due,
        oldestDueSeconds: row.oldest_due_seconds,
      })),
      deadLetters: rest?.dead_letters ?? 0,
      deadRows: rest?.dead_rows ?? 0,
      oldestTransactionSeconds: rest?.oldest_transaction_seconds ?? 0,
    };
  });
}

interface LaneRow {
  lane: string;
  waiting: number;
  due: number;
  oldest_due_seconds: number;
}

// A check is always planned, so only late ones wait.
const LANES = {
  name: 'metrics-lanes',
  text: `
    with moment as materialized (select culprit_now() as now), waiting as (
      select case when lane = any ($1) then lane else 'other' end as lane, run_at as due_at from jobs
      union all
      select '${DELIVERIES}', next_attempt_at from webhook_deliveries where next_attempt_at is not null
      union all
      select '${ALERT_MESSAGES}', next_attempt_at from alert_messages where next_attempt_at is not null
      union all
      select '${CHECKS}', next_check_at from availability_checks, moment where is_enabled and next_check_at <= now
    )
    select lane, count(*)::float8 as waiting, count(*) filter (where due_at <= now)::float8 as due,
      greatest(0, extract(epoch from now - min(due_at)))::float8 as oldest_due_seconds
    from waiting, moment group by lane, now`,
};

interface RestRow {
  dead_letters: number;
  dead_rows: number;
  oldest_transaction_seconds: number;
}

const REST = {
  name: 'metrics-rest',
  text: `
    select (select count(*) from dead_letters)::float8 as dead_letters,
      (select n_dead_tup from pg_stat_user_tables where relid = 'jobs'::regclass)::float8 as dead_rows,
      (select coalesce(extract(epoch from clock_timestamp() - min(xact_start)), 0) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid())::float8 as oldest_transaction_seconds`,
};
