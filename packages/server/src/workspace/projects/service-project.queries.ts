import type { Transaction } from '../../platform/db/database.ts';
import { inTransaction, sql } from '../../platform/db/statement.ts';

/**
 * A project of the service itself. It has no members, and its organization belongs to a person who cannot sign in, so
 * that it is in no list, export, report or mail of any person.
 */
interface ServiceProject {
  organizationId: string;
  ownerUserId: string;
  /** The address of the owner; no mail server has it. */
  email: string;
  name: string;
  slug: string;
}

/** Writes the project unless it is there, with its organization and owner; returns its bare id. */
export async function lockServiceProject(
  transaction: Transaction,
  project: ServiceProject,
  made: { projectId: string; userKey: Buffer },
): Promise<string> {
  const { organizationId, ownerUserId, email, name, slug } = project;
  await transaction.query(
    sql('service-owner-insert')`insert into users (user_id, email) values ($1, $2) on conflict do nothing`,
    [ownerUserId, email],
  );
  await transaction.query(
    sql(
      'service-organization-insert',
    )`insert into organizations (organization_id, owner_user_id, name) values ($1, $2, $3)
        on conflict do nothing`,
    [organizationId, ownerUserId, name],
  );
  const [row] = await transaction.query<{ project_id: string }>(
    sql(
      'service-project-hold',
    )`insert into projects (project_id, organization_id, name, slug, capture_preset, user_key,
          automated_improvement_bundles_enabled)
        values ($1, $2, $3, $4, 'balanced', $5, false)
        on conflict (organization_id, slug) where deleted_at is null do update set name = excluded.name
        returning project_id`,
    [made.projectId, organizationId, name, slug, made.userKey],
  );
  if (row === undefined) throw new Error('a project of the service was not written');
  return row.project_id;
}

/** The live projects of the organization but one, by ascending id. */
export const findOtherProjects = inTransaction.many<
  [organizationId: string, projectId: string],
  { project_id: string },
  string
>(
  'service-projects-other',
  `select project_id from projects
    where organization_id = $1 and project_id <> $2 and deleted_at is null order by project_id`,
  (row) => row.project_id,
);
