import { cancelInvite, invitePerson, listInvites } from '@culprit/contract/workspace/invites';
import {
  changeMemberRole,
  leaveProject,
  listMembers,
  removeMember,
} from '@culprit/contract/workspace/members';
import { listPeople, updateProfile } from '@culprit/contract/workspace/people';
import { notFoundError, usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import type { Context } from '../../context.ts';

import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { PROFILE_FIELDS } from './flags.ts';

const PEOPLE_MAX = 1000;

export const members = listCommand({
  endpoint: listMembers,
  project: 'params.id',
  key: 'members',
  id: 'user_id',
  columns: [
    ['ADDRESS', 'email', 'wide'],
    ['ROLE', 'role'],
    ['SINCE', 'created_at'],
    ['ID', 'user_id'],
  ],
  empty: 'No members.',
});

export const people = listCommand({
  endpoint: listPeople,
  project: 'params.id',
  isWhole: true,
  key: 'people',
  id: 'user_id',
  columns: [
    ['HANDLE', 'handle'],
    ['NAME', 'name'],
    ['ADDRESS', 'email', 'wide'],
    ['ROLE', 'role'],
    ['ID', 'user_id'],
  ],
  empty: 'No people.',
});

export const me = recordCommand({
  endpoint: updateProfile,
  project: 'none',
  key: 'profile',
  id: 'handle',
  flags: PROFILE_FIELDS,
  needsChange: true,
});

const changeRole = recordCommand({
  endpoint: changeMemberRole,
  project: 'params.id',
  argument: 'userId',
  key: 'member',
  id: 'user_id',
  body: (_, input) => ({ role: input.args[1] }),
});
export const role: Run = async (context, input) => {
  const [user = '', wanted = ''] = input.args;
  if (wanted !== 'admin' && wanted !== 'member') throw usageError('The role must be admin or member.');
  return await changeRole(context, input.withArguments([await userId(context, user), wanted]));
};

const removeOne = recordCommand({
  endpoint: removeMember,
  project: 'params.id',
  argument: 'userId',
  key: 'member',
  id: 'user_id',
  question: () => 'Remove this person? They no longer see the project.',
});
export const remove: Run = async (context, input) =>
  await removeOne(context, input.withArguments([await userId(context, input.first)]));

export const leave = recordCommand({
  endpoint: leaveProject,
  project: 'params.id',
  key: 'member',
  id: 'user_id',
  question: () => 'Leave the project? You no longer see it.',
});

export const invites = listCommand({
  endpoint: listInvites,
  project: 'params.id',
  key: 'invites',
  id: 'invite_id',
  columns: [
    ['ADDRESS', 'email', 'wide'],
    ['ROLE', 'role'],
    [
      'STATE',
      ({ accepted_at, canceled_at }) =>
        accepted_at !== null ? 'accepted' : canceled_at !== null ? 'canceled' : 'open',
    ],
    ['UNTIL', 'expires_at'],
    ['ID', 'invite_id'],
  ],
  empty: 'No invites.',
});

export const send = recordCommand({
  endpoint: invitePerson,
  project: 'params.id',
  key: 'invite',
  id: 'invite_id',
  body: (_, input) => ({ email: input.first, ...(input.has('role') ? { role: input.text('role') } : {}) }),
});

export const cancel = recordCommand({
  endpoint: cancelInvite,
  project: 'params.id',
  argument: 'inviteId',
  key: 'invite',
  id: 'invite_id',
  question: () => 'Cancel the invite? Its link stops working.',
});

/** A person by id or address. */
async function userId(context: Context, user: string): Promise<string> {
  if (!user.includes('@')) return user;
  const api = await context.api();
  const id = await projectId(context);
  let cursor: string | null = null;
  for (let seen = 0; seen < PEOPLE_MAX; seen += 100) {
    const page: { members: { user_id: string; email: string }[]; next_cursor: string | null } =
      await api.call(listMembers, {
        params: { id },
        query: { limit: 100, ...(cursor === null ? {} : { cursor }) },
      });
    const found = page.members.find(({ email }) => email.toLowerCase() === user.toLowerCase());
    if (found !== undefined) return found.user_id;
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  throw notFoundError(`${user} is not in this project.`, 'culprit members list');
}
