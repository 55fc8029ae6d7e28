import type { listPeople as endpoint, People } from '@culprit/contract/workspace/people';
import type { Runtime } from '../../runtime.ts';
import type { ApiRequest } from '../access/api-callers.ts';
import { listPeopleRows } from '../members/members.queries.ts';
import { listProjectTeams } from './teams.queries.ts';

/** All people of a project, the owner first, then by name, and its teams (docs/contract/team-workflow.md 2.1). */
export async function listPeople(
  { database }: Runtime,
  { access, caller }: ApiRequest<typeof endpoint>,
): Promise<People> {
  const rows = await listPeopleRows(database, access.projectId);
  return {
    people: rows.map((row) => ({ ...row, is_me: row.user_id === caller.userId })),
    teams: await listProjectTeams(database, access.projectId),
  };
}
