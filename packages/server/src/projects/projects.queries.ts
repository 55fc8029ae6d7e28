import type { Queryable } from '../platform/db/database.ts';

/** The ids of every project a person may see. */
export async function findVisibleProjectIds(database: Queryable, userId: string): Promise<string[]> {
  const rows = await database.query<{ project_id: string }>(
    {
      name: 'projects-visible',
      text: `select p.project_id from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        where m.user_id = $1`,
    },
    [userId],
  );
  return rows.map((row) => row.project_id);
}

/** True when the person may see the project. */
export async function isProjectVisible(
  database: Queryable,
  userId: string,
  projectId: string,
): Promise<boolean> {
  const rows = await database.query(
    {
      name: 'project-visible',
      text: `select 1 from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        where m.user_id = $1 and m.project_id = $2`,
    },
    [userId, projectId],
  );
  return rows.length > 0;
}

/** Writes a project and its owner's membership. */
export async function insertProject(
  transaction: Queryable,
  project: {
    projectId: string;
    organizationId: string;
    ownerUserId: string;
    name: string;
    slug: string;
    capturePreset: string;
    userKey: Buffer;
  },
): Promise<void> {
  await transaction.query(
    {
      name: 'project-insert',
      text: `insert into projects (project_id, organization_id, name, slug, capture_preset, user_key)
        values ($1, $2, $3, $4, $5, $6)`,
    },
    [
      project.projectId,
      project.organizationId,
      project.name,
      project.slug,
      project.capturePreset,
      project.userKey,
    ],
  );
  await transaction.query(
    {
      name: 'project-owner-insert',
      text: `insert into project_members (project_id, user_id, role) values ($1, $2, 'owner')`,
    },
    [project.projectId, project.ownerUserId],
  );
}

/** A live project of an organization by its exact name, the oldest first. */
export async function findProjectByName(
  transaction: Queryable,
  organizationId: string,
  name: string,
): Promise<string | null> {
  const [row] = await transaction.query<{ project_id: string }>(
    {
      name: 'project-by-name',
      text: `select project_id from projects where organization_id = $1 and name = $2 and deleted_at is null
        order by created_at, project_id limit 1`,
    },
    [organizationId, name],
  );
  return row?.project_id ?? null;
}

/** The slugs of an organization that begin like the given one (`slugStem`). */
export async function findSlugs(
  transaction: Queryable,
  organizationId: string,
  stem: string,
): Promise<string[]> {
  const rows = await transaction.query<{ slug: string }>(
    {
      name: 'project-slugs',
      text: `select slug from projects
        where organization_id = $1 and deleted_at is null and starts_with(slug, $2)`,
    },
    [organizationId, stem],
  );
  return rows.map((row) => row.slug);
}
