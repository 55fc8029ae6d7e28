import type { Table } from '../../table.ts';

const COLUMNS = `view_id, project_id, owner_user_id is null as is_shared, created_by_user_id, name, q, status, sort,
  position, created_at, updated_at`;

export const VIEW_TABLES: readonly Table[] = [
  {
    name: 'views',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'own_views',
        scope: 'user',
        key: 'view_id',
        columns: COLUMNS,
        from: 'views where owner_user_id = $1',
      },
      {
        kind: 'shared_views',
        scope: 'project',
        key: 'view_id',
        columns: COLUMNS,
        from: 'views where project_id = $1 and owner_user_id is null',
      },
    ],
  },
];
