import type { Table } from '../../table.ts';

export const SLACK_TABLES: readonly Table[] = [
  {
    name: 'slack_destinations',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'slack_destinations',
        scope: 'organization',
        key: 'slack_destination_id',
        columns: `slack_destination_id, organization_id, slack_team_id, slack_team_name, slack_channel_id,
          slack_channel_name, installed_by_member_id, is_active, created_at, updated_at`,
        from: 'slack_destinations where organization_id = $1',
      },
    ],
  },
  {
    name: 'slack_installs',
    purge: ['by_project'],
    retention: 'by_its_statements',
    exported: 'connections in progress',
  },
];
