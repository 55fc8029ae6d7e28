import type { Plan, PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { sharedAccessPlan } from './require-project.ts';

/** The ids of every project a person may read now: those whose shared access is paused are left out. */
export async function findAccessibleProjectIds(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
): Promise<string[]> {
  const rows = await database.query<{ project_id: string }>(
    {
      name: 'projects-accessible',
      text: `select p.project_id from project_members m
        join projects p on p.project_id = m.project_id and p.deleted_at is null
        join organizations o on o.organization_id = p.organization_id
        where m.user_id = $1 and not shared_access_suspended(m.role, o, $2)`,
    },
    [userId, sharedAccessPlan(plans)],
  );
  return rows.map((row) => row.project_id);
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
    environmentDefault: string;
    weeklyReportTimezone: string;
    capturePreset: string;
    userKey: Buffer;
  },
): Promise<void> {
  await transaction.query(
    {
      name: 'project-insert',
      text: `insert into projects (project_id, organization_id, name, slug, environment_default,
          weekly_report_timezone, capture_preset, user_key)
        values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    },
    [
      project.projectId,
      project.organizationId,
      project.name,
      project.slug,
      project.environmentDefault,
      project.weeklyReportTimezone,
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

/** Locks an organization, so that its projects are counted and named by one caller at a time. */
export async function lockOrganization(
  transaction: Queryable,
  organizationId: string,
): Promise<{ liveProjects: number }> {
  await transaction.query(
    {
      name: 'project-organization-lock',
      text: 'select organization_id from organizations where organization_id = $1 for no key update',
    },
    [organizationId],
  );
  const [row] = await transaction.query<{ live: number }>(
    {
      name: 'projects-live',
      text: 'select count(*) as live from projects where organization_id = $1 and deleted_at is null',
    },
    [organizationId],
  );
  return { liveProjects: row?.live ?? 0 };
}

/**
 * Holds a live project until the transaction ends, so that what it has is counted and added by one caller at a time;
 * null when it is gone. Count in a statement of its own: this one, if it waited, would count what it saw before. Events
 * are taken in meanwhile: intake's lock and this one go together.
 */
export async function lockProject(
  transaction: Queryable,
  projectId: string,
): Promise<{ name: string; environmentDefault: string } | null> {
  const [row] = await transaction.query<{ name: string; environment_default: string }>(
    {
      name: 'project-lock',
      text: `select name, environment_default from projects where project_id = $1 and deleted_at is null
        for no key update`,
    },
    [projectId],
  );
  return row === undefined ? null : { name: row.name, environmentDefault: row.environment_default };
}

/** Changes what is given of a live project; null leaves a value. False when the project is gone. */
export async function changeProject(
  transaction: Queryable,
  projectId: string,
  change: { name: string | null; slug: string | null; environmentDefault: string | null },
): Promise<boolean> {
  const rows = await transaction.query(
    {
      name: 'project-change',
      text: `update projects set name = coalesce($2, name), slug = coalesce($3, slug),
          environment_default = coalesce($4, environment_default), updated_at = culprit_now()
        where project_id = $1 and deleted_at is null returning project_id`,
    },
    [projectId, change.name, change.slug, change.environmentDefault],
  );
  return rows.length > 0;
}

/** The live project of an organization that has a slug. */
export async function findProjectBySlug(
  transaction: Queryable,
  organizationId: string,
  slug: string,
): Promise<string | null> {
  const [row] = await transaction.query<{ project_id: string }>(
    {
      name: 'project-by-slug',
      text: `select project_id from projects where organization_id = $1 and slug = $2 and deleted_at is null`,
    },
    [organizationId, slug],
  );
  return row?.project_id ?? null;
}

/** The plan an organization has now by its own terms. */
export async function findOrganizationPlan(transaction: Queryable, organizationId: string): Promise<Plan> {
  const [row] = await transaction.query<{ plan: Plan }>(
    {
      name: 'project-organization-plan',
      text: `select effective_plan(o, culprit_now()) as plan from organizations o where o.organization_id = $1`,
    },
    [organizationId],
  );
  if (row === undefined) throw new Error('the organization is gone');
  return row.plan;
}
