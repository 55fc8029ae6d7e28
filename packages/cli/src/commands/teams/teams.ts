import { listPeople, peopleNamed, teamsNamed } from '@culprit/contract/workspace/people';
import {
  addTeamMember,
  createTeam,
  deleteTeam,
  listTeams,
  removeTeamMember,
  type Team,
  updateTeam,
} from '@culprit/contract/workspace/teams';
import { notFoundError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';
import { listCommand, type RecordOptions, recordCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { TEAM_FIELDS } from './flags.ts';

export const list = listCommand({
  endpoint: listTeams,
  project: 'params.id',
  isWhole: true,
  key: 'teams',
  id: 'team_id',
  columns: [
    ['SLUG', 'slug'],
    ['NAME', 'name', 'wide'],
    ['PEOPLE', ({ members }) => (Array.isArray(members) ? members.length : 0)],
    ['ID', 'team_id'],
  ],
  empty: 'No teams.',
});

const RECORD: Pick<RecordOptions, 'project' | 'key' | 'id'> = {
  project: 'params.id',
  key: 'team',
  id: 'team_id',
};

export const create = recordCommand({
  ...RECORD,
  endpoint: createTeam,
  argument: 'slug',
  secondArgument: 'name',
});

const renameOne = recordCommand({
  ...RECORD,
  endpoint: updateTeam,
  argument: 'teamId',
  flags: TEAM_FIELDS,
  needsChange: true,
});
export const rename: Run = async (context, input) =>
  await renameOne(context, input.withArguments([(await teamNamed(context, input.first)).team_id]));

const removeOne = recordCommand({
  ...RECORD,
  endpoint: deleteTeam,
  argument: 'teamId',
  question: () => 'Delete this team? Its incidents become unassigned.',
});
export const remove: Run = async (context, input) =>
  await removeOne(context, input.withArguments([(await teamNamed(context, input.first)).team_id]));

const OF_MEMBER = { ...RECORD, argument: 'teamId', secondArgument: 'userId' };
const addOne = recordCommand({ ...OF_MEMBER, endpoint: addTeamMember });
export const addPerson: Run = async (context, input) => {
  const [team = '', word = ''] = input.args;
  const { team_id: teamId } = await teamNamed(context, team);
  const api = await context.api();
  const { people } = await api.call(listPeople, { params: { id: await projectId(context) } });
  const [person, ...others] = peopleNamed(people, word);
  if (person === undefined) throw notFoundError(`${word} is not in this project.`, 'culprit members people');
  if (others.length > 0)
    throw usageError(`Several people are called ${word}.`, 'use the handle or the address');
  return await addOne(context, input.withArguments([teamId, person.user_id]));
};

const removeMember = recordCommand({ ...OF_MEMBER, endpoint: removeTeamMember });
export const removePerson: Run = async (context, input) => {
  const [word = '', who = ''] = input.args;
  const team = await teamNamed(context, word);
  const name = who.replace(/^@/, '').toLowerCase();
  const member = team.members.find(({ user_id: id, handle, email }) =>
    [id, handle, email.toLowerCase()].includes(name),
  );
  if (member === undefined) throw notFoundError(`${who} is not in this team.`, 'culprit teams list');
  return await removeMember(context, input.withArguments([team.team_id, member.user_id]));
};

/** A team of the chosen project's organization by slug, name or id. */
export async function teamNamed(context: Context, word: string): Promise<Team> {
  const api = await context.api();
  const { teams } = await api.call(listTeams, { params: { id: await projectId(context) } });
  const [found] = teamsNamed(teams, word);
  const team = teams.find(({ team_id: id }) => id === found?.team_id);
  if (team === undefined) throw notFoundError(`There is no team ${word}.`, 'culprit teams list');
  return team;
}
