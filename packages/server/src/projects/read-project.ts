import type { Project } from '@culprit/contract/projects';
import type { PlanSettings } from '../billing/plan.ts';
import type { Queryable } from '../platform/db/database.ts';
import { Problem } from '../platform/http/problem.ts';
import type { Member } from '../tokens/authenticate-member.ts';
import { listProjectRecords } from './project-records.queries.ts';
import { requireProject } from './require-project.ts';

/**
 * One project of a member.
 * @throws Problem `project_not_found`, `shared_access_suspended`
 */
export async function readProject(
  database: Queryable,
  plans: PlanSettings,
  member: Member,
  id: string,
): Promise<Project> {
  const { projectId } = await requireProject(database, plans, member.userId, id);
  return await readProjectRecord(database, plans, member.userId, projectId);
}

/**
 * The record of a project whose access was judged already.
 * @param projectId bare
 * @throws Problem `project_not_found` when the project or the person's place in it ended meanwhile
 */
export async function readProjectRecord(
  database: Queryable,
  plans: PlanSettings,
  userId: string,
  projectId: string,
): Promise<Project> {
  const page = { projectId, after: null, limit: 1 };
  const [project] = await listProjectRecords(database, plans, userId, page);
  if (project === undefined) throw new Problem('project_not_found');
  return project;
}
