import type { Table } from '../../table.ts';

export const TOKEN_TABLES: readonly Table[] = [
  {
    name: 'project_tokens',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'project_tokens',
        scope: 'project',
        key: 'token_id',
        columns: `token_id, project_id, label, kind, token_preview, public_key, allowed_origins, service_name,
          events_per_minute, created_by_user_id, created_at, last_used_at, revoked_at`,
        from: 'project_tokens where project_id = $1',
      },
    ],
  },
  {
    name: 'member_tokens',
    purge: 'no_project',
    retention: 'with_its_record',
    exported: [
      {
        kind: 'member_tokens',
        scope: 'user',
        key: 'token_id',
        columns:
          'token_id, organization_id, label, access, token_preview, created_at, last_used_at, revoked_at',
        from: 'member_tokens where user_id = $1',
      },
    ],
  },
];
