import { statement } from '../../platform/db/statement.ts';

/**
 * The live projects a person owns, by ascending id, bare: those of their organization, and any other they are the owner
 * of.
 */
export const findOwnedProjects = statement.many<
  [userId: string],
  { projectId: string; organizationId: string }
>(
  'projects-owned',
  `
    select p.project_id as "projectId", p.organization_id as "organizationId" from projects p
    where p.deleted_at is null and p.project_id in (
      select owned.project_id from organizations o
      join projects owned on owned.organization_id = o.organization_id where o.owner_user_id = $1
      union all
      select m.project_id from project_members m where m.user_id = $1 and m.role = 'owner')
    order by p.project_id`,
);
