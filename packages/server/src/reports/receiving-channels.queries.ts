import type { ReportConfig } from '@culprit/contract/weekly-reports';
import type { Queryable } from '../platform/db/database.ts';

/** An enabled channel of a live project, as a sender needs it; null when it is none by now. Ids are bare UUIDs. */
export async function findReceivingChannel(
  database: Queryable,
  channelId: string,
): Promise<{ config: ReportConfig; organizationId: string } | null> {
  const [row] = await database.query<{ config: ReportConfig; organization_id: string }>(
    {
      name: 'report-receiving-channel',
      text: `select c.config, p.organization_id from weekly_report_channels c
        join projects p on p.project_id = c.project_id and p.deleted_at is null
        where c.channel_id = $1 and c.is_enabled`,
    },
    [channelId],
  );
  return row === undefined ? null : { config: row.config, organizationId: row.organization_id };
}
