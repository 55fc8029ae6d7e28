import type { Table } from '../../table.ts';

export const TRACKER_TABLES: readonly Table[] = [
  {
    name: 'trackers',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'trackers',
        scope: 'project',
        key: 'tracker_id',
        columns: `tracker_id, project_id, kind, name, base_url, target, user_name, issue_type, extra_fields, close_on_resolve,
          reopen_on_regress, resolve_on_close, wont_fix, sync_assignee, notes_since, created_at, updated_at`,
        from: 'trackers where project_id = $1',
      },
    ],
  },
];
