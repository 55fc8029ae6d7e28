import type { Table } from '../../table.ts';

export const AUDIT_TABLES: readonly Table[] = [
  {
    name: 'audit_log',
    purge: 'kept',
    retention: 'kept',
    exported: [
      {
        kind: 'own_actions',
        scope: 'user',
        key: { expression: 'audit_id', type: 'bigint' },
        columns: 'at as done_at, action, organization_id, project_id, subject, address_class, data',
        from: `audit_log where actor_user_id = $1
          and not exists (select from organizations o
            where o.organization_id = audit_log.organization_id and o.owner_user_id = $1)`,
      },
      {
        kind: 'audit',
        scope: 'organization',
        key: { expression: 'audit_id', type: 'bigint' },
        columns: 'at as done_at, action, actor_user_id, project_id, subject, address_class, data',
        from: 'audit_log where organization_id = $1',
      },
    ],
  },
];
