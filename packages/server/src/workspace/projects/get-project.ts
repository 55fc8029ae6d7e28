import type { Project } from '@culprit/contract/projects';
import { Problem } from '../../platform/http/problem.ts';
import type { Runtime } from '../../runtime.ts';
import { listProjectRecords } from './project-records.queries.ts';

/**
 * The record of a project as one of its members sees it. Ids are bare.
 * @throws Problem `project_not_found` when the project or the membership ended meanwhile
 */
export async function getProject(
  { database, plans }: Pick<Runtime, 'database' | 'plans'>,
  userId: string,
  projectId: string,
): Promise<Project> {
  const [project] = await listProjectRecords(database, plans, userId, { projectId, after: null, limit: 1 });
  if (project === undefined) throw new Problem('project_not_found');
  return project;
}
