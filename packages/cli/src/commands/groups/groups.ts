import {
  createGroupGrant,
  deleteGroupGrant,
  listGroupGrants,
} from '@culprit/contract/workspace/group-grants';
import type { Run } from '../../command.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { teamNamed } from '../teams/teams.ts';

export const list = listCommand({
  endpoint: listGroupGrants,
  project: 'none',
  isWhole: true,
  key: 'group_grants',
  id: 'grant_id',
  columns: [
    ['GROUP', 'group', 'wide'],
    ['ROLE', 'role'],
    ['PROJECT', ({ project_id }) => (typeof project_id === 'string' ? project_id : 'all')],
    ['TEAM', 'team_id'],
    ['ID', 'grant_id'],
  ],
  empty: 'No groups have access.',
});

const create = (project: 'body.project_id' | 'none') =>
  recordCommand({
    endpoint: createGroupGrant,
    project,
    key: 'group_grant',
    id: 'grant_id',
    body: async (context, input) => {
      const team = input.text('team');
      return {
        group: input.first,
        role: input.args[1],
        ...(team === null
          ? {}
          : { team_id: team === 'none' ? null : (await teamNamed(context, team)).team_id }),
      };
    },
  });

export const grant: Run = async (context, input) =>
  await create(input.has('for-project') ? 'body.project_id' : 'none')(context, input);

export const revoke = recordCommand({
  endpoint: deleteGroupGrant,
  project: 'none',
  argument: 'grantId',
  key: 'group_grant',
  id: 'grant_id',
});
