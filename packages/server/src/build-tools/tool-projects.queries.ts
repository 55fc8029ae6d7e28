import type { Queryable } from '../platform/db/database.ts';
import { sql, statement } from '../platform/db/statement.ts';
import { sharedAccessPlan } from '../workspace/access/project-access.ts';
import type { PlanSettings } from '../workspace/billing/plan.ts';

/** Statements on projects as build tools name them. */

export interface ToolProject {
  projectId: string;
  organizationId: string;
  slug: string;
  name: string;
}

const PROJECTS = `select p.project_id, p.organization_id, p.slug, p.name from project_members m
    join projects p on p.project_id = m.project_id and p.deleted_at is null
    join organizations o on o.organization_id = p.organization_id
    where m.user_id = $1 and not shared_access_suspended(m.role, o, $2)`;

interface Row {
  project_id: string;
  organization_id: string;
  slug: string;
  name: string;
}

function projectOf(row: Row): ToolProject {
  return { projectId: row.project_id, organizationId: row.organization_id, slug: row.slug, name: row.name };
}

/** The projects of a person with one of these slugs or ids. */
export async function findProjects(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  { slugs, projectIds }: { slugs: readonly string[]; projectIds: readonly string[] },
): Promise<ToolProject[]> {
  const rows = await database.query<Row>(
    sql('tool-projects')`${PROJECTS} and (p.slug = any ($3::text[]) or p.project_id = any ($4::uuid[]))
        order by p.project_id limit 100`,
    [userId, sharedAccessPlan(plans), [...slugs], [...projectIds]],
  );
  return rows.map(projectOf);
}

/** The projects of a person that have a release of this version. */
export async function findProjectsOfRelease(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  version: string,
): Promise<ToolProject[]> {
  const rows = await database.query<Row>(
    sql(
      'tool-projects-of-release',
    )`${PROJECTS} and exists (select from releases r where r.project_id = p.project_id and r.version = $3)
        order by p.project_id limit 100`,
    [userId, sharedAccessPlan(plans), version],
  );
  return rows.map(projectOf);
}

/** The services of a project that ran in an environment in the last 30 days. */
export const findRunningServices = statement.many<
  [projectId: string, environment: string],
  { name: string },
  string
>(
  'tool-services',
  `select name from services where project_id = $1 and environment = $2
    and last_seen_at > culprit_now() - interval '30 days' order by name limit 50`,
  ({ name }) => name,
);
