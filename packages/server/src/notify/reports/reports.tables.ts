import type { Table } from '../../table.ts';

export const REPORT_TABLES: readonly Table[] = [
  {
    name: 'weekly_report_channels',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'weekly_report_channels',
        scope: 'project',
        key: 'channel_id',
        columns: `channel_id, project_id, channel, config - 'webhook_url' as config, day_of_week, hour_of_day, timezone,
          is_enabled, created_at, updated_at`,
        from: 'weekly_report_channels where project_id = $1',
      },
    ],
  },
  {
    name: 'weekly_reports',
    purge: 'no_project',
    retention: { expired: `made_at < (select culprit_now() - interval '30 days')` },
    exported: 'weeks with a report',
  },
];
