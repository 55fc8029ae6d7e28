import { listPeople as listPeopleEndpoint } from '@culprit/contract/workspace/people';
import * as teams from '@culprit/contract/workspace/teams';
import type { Binder } from '../../platform/http/binding/bind-endpoint.ts';
import type { Runtime } from '../../runtime.ts';
import type { ApiCallers } from '../access/api-callers.ts';
import { addTeamMember, createTeam, deleteTeam, removeTeamMember, updateTeam } from './change-team.ts';
import { listPeople } from './list-people.ts';
import { listTeamRows } from './teams.queries.ts';

/** To whom incidents can be given: people of a project, and teams of its organization. */
export function bindTeamRoutes(binder: Binder<ApiCallers>, runtime: Runtime): void {
  binder
    .bind(listPeopleEndpoint)
    .to(async (request) => ({ status: 200, body: await listPeople(runtime, request) }));
  binder.bind(teams.listTeams).answers(({ access }) => listTeamRows(runtime.database, access.organizationId));
  binder.bind(teams.createTeam).answers((request) => createTeam(runtime, request));
  binder.bind(teams.updateTeam).answers((request) => updateTeam(runtime, request));
  binder.bind(teams.deleteTeam).answers((request) => deleteTeam(runtime, request));
  binder.bind(teams.addTeamMember).answers((request) => addTeamMember(runtime, request));
  binder.bind(teams.removeTeamMember).answers((request) => removeTeamMember(runtime, request));
}
