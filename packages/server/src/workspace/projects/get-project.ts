import type { Project } from '@culprit/contract/workspace/projects';
import { Problem } from '../../platform/http/binding/problem.ts';
import type { Runtime } from '../../runtime.ts';
import { listProjectRecords } from './project-records.queries.ts';

/**
 * Returns the record of a project for one of its members. Ids are bare.
 * @throws Problem `project_not_found` when the project or the membership ended in the meantime
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
