import type { Table } from '../../table.ts';

export const MEMBER_TABLES: readonly Table[] = [
  {
    name: 'group_memberships',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: 'what groups of the sign-in provider gave: it is in the memberships',
  },
  {
    name: 'project_members',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'memberships',
        scope: 'user',
        key: 'm.project_id',
        columns: 'm.project_id, p.name as project_name, m.role, m.created_at',
        from: `project_members m join projects p on p.project_id = m.project_id and p.deleted_at is null
          where m.user_id = $1 and m.role <> 'owner'`,
      },
      {
        kind: 'members',
        scope: 'project',
        key: 'm.user_id',
        columns: 'm.project_id, m.user_id, u.email, m.role, m.created_at',
        from: 'project_members m join users u on u.user_id = m.user_id where m.project_id = $1',
      },
    ],
  },
  {
    name: 'group_grants',
    purge: ['by_project'],
    retention: 'with_its_record',
    exported: [
      {
        kind: 'group_grants',
        scope: 'organization',
        key: 'grant_id',
        columns: 'grant_id, group_name, role, project_id, team_id, created_at',
        from: 'group_grants where organization_id = $1',
      },
    ],
  },
  {
    name: 'project_invites',
    purge: ['by_blocks'],
    // After they were accepted, canceled or ran out (docs/contract/incidents.md 8).
    retention: {
      expired: `coalesce(accepted_at, canceled_at, expires_at) < (select culprit_now()) - interval '30 days'`,
    },
    exported: [
      {
        kind: 'invites',
        scope: 'project',
        key: 'invite_id',
        columns: `invite_id, project_id, email, role, invited_by_user_id, accepted_at, canceled_at, expires_at,
          created_at`,
        from: 'project_invites where project_id = $1',
      },
    ],
  },
];
