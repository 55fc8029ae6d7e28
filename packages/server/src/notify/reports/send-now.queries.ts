import type { ReportConfig } from '@culprit/contract/alerts/weekly-reports';
import type { Queryable, Transaction } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/statement.ts';

/** A channel whose report is sent now. */
interface SendNow {
  config: ReportConfig;
  timezone: string;
  projectName: string;
  /** By the database clock, in milliseconds since the epoch. */
  nowMs: number;
}

/**
 * Takes the turn of an enabled channel of a live project, once in so many seconds; null when it is none, or not yet its
 * turn again. A time ahead of the clock is one of a clock that was set back since.
 */
export async function claimSendNow(
  transaction: Transaction,
  projectId: string,
  channelId: string,
  everySeconds: number,
): Promise<SendNow | null> {
  const [row] = await transaction.query<SendNow>(
    sql('report-send-now')`update weekly_report_channels c set sent_now_at = culprit_now()
        from projects p
        where c.channel_id = $1 and c.project_id = $2 and p.project_id = c.project_id and p.deleted_at is null
          and c.is_enabled and (c.sent_now_at is null or c.sent_now_at > culprit_now()
            or c.sent_now_at <= culprit_now() - make_interval(secs => $3))
        returning c.config, c.timezone, p.name as "projectName", c.sent_now_at as "nowMs"`,
    [channelId, projectId, everySeconds],
  );
  return row ?? null;
}

/** Why a channel has no turn; null when it is not there. */
export async function findSendNow(
  database: Queryable,
  projectId: string,
  channelId: string,
): Promise<{ isEnabled: boolean; passedSeconds: number | null } | null> {
  const [row] = await database.query<{ is_enabled: boolean; passed: number | null }>(
    sql(
      'report-send-now-why',
    )`select is_enabled, extract(epoch from culprit_now() - sent_now_at)::float8 as passed
        from weekly_report_channels where channel_id = $1 and project_id = $2`,
    [channelId, projectId],
  );
  return row === undefined ? null : { isEnabled: row.is_enabled, passedSeconds: row.passed };
}
