import type { Table } from '../../table.ts';

export const TEAM_TABLES: readonly Table[] = [
  {
    name: 'teams',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'teams',
        scope: 'organization',
        key: 'team_id',
        columns: 'team_id, organization_id, slug, name, created_at, updated_at',
        from: 'teams where organization_id = $1',
      },
    ],
  },
  {
    name: 'team_members',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'own_teams',
        scope: 'user',
        key: 'm.team_id',
        columns: 'm.team_id, t.organization_id, t.slug, t.name, m.source, m.added_at',
        from: 'team_members m join teams t on t.team_id = m.team_id where m.user_id = $1',
      },
    ],
  },
];
