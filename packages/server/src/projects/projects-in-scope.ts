import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { findAccessibleProjectIds } from './projects.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * The bare ids a list speaks of: the named project if the member may read it, else all they may read. Of these, projects
 * whose sharing is paused are left out.
 * @throws Problem `project_not_found`, `shared_access_suspended` for the named one
 */
export async function projectsInScope(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  projectId: string | undefined,
): Promise<string[]> {
  if (projectId === undefined) return await findAccessibleProjectIds(database, plans, member.userId);
  return [(await requireProject(database, plans, member.userId, projectId)).projectId];
}
