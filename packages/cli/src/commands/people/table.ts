import { invitePerson } from '@culprit/contract/workspace/invites';
import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { flagsOf } from '../../records/field-flags.ts';
import { PROFILE_FIELDS } from './flags.ts';

export const MEMBERS: CommandGroup = {
  noun: 'members',
  aliases: ['member'],
  says: 'list the people of a project and change their roles',
  heading: 'Set up',
  commands: [
    {
      path: 'members list',
      says: 'list the people of a project',
      flags: LIST_FLAGS,
      examples: ['members list', 'members list -p shop --json'],
      endpoints: ['listMembers'],
      load: () => import('./people.ts').then(({ members }) => members),
    },
    {
      path: 'members people',
      says: 'list the people who can be assigned to incidents, with handles',
      examples: ['members people', 'members people -p shop --json'],
      endpoints: ['listPeople'],
      load: () => import('./people.ts').then(({ people }) => people),
    },
    {
      path: 'members me',
      says: 'change your name and handle',
      flags: PROFILE_FIELDS,
      examples: ['members me --name Ada', 'members me --handle ada'],
      endpoints: ['updateProfile'],
      load: () => import('./people.ts').then(({ me }) => me),
    },
    {
      path: 'members role',
      says: 'change the role of a person',
      arguments: '<USER> <ROLE>',
      flags: [DRY_RUN],
      examples: ['members role ada@example.com admin', 'members role ada@example.com member'],
      endpoints: ['changeMemberRole'],
      load: () => import('./people.ts').then(({ role }) => role),
    },
    {
      path: 'members remove',
      says: 'remove a person from a project',
      arguments: '<USER>',
      flags: [DRY_RUN],
      examples: ['members remove ada@example.com', 'members remove ada@example.com --yes'],
      endpoints: ['removeMember'],
      load: () => import('./people.ts').then(({ remove }) => remove),
    },
    {
      path: 'members leave',
      says: 'leave a project yourself',
      flags: [DRY_RUN],
      examples: ['members leave -p shop', 'members leave -p shop --yes'],
      endpoints: ['leaveProject'],
      load: () => import('./people.ts').then(({ leave }) => leave),
    },
  ],
};

export const INVITES: CommandGroup = {
  noun: 'invites',
  aliases: ['invite'],
  says: 'invite people to a project',
  heading: 'Set up',
  commands: [
    {
      path: 'invites list',
      says: 'list the invites of a project',
      flags: LIST_FLAGS,
      examples: ['invites list', 'invites list --json'],
      endpoints: ['listInvites'],
      load: () => import('./people.ts').then(({ invites }) => invites),
    },
    {
      path: 'invites send',
      says: 'invite a person by mail',
      arguments: '<EMAIL>',
      flags: [flagsOf(invitePerson)('--role ROLE', 'role of the person', { standard: 'member' }), DRY_RUN],
      examples: ['invites send ada@example.com', 'invites send ada@example.com --role admin'],
      endpoints: ['invitePerson'],
      load: () => import('./people.ts').then(({ send }) => send),
    },
    {
      path: 'invites cancel',
      says: 'cancel an invite',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['invites cancel 01a2…', 'invites cancel 01a2… --yes'],
      endpoints: ['cancelInvite'],
      load: () => import('./people.ts').then(({ cancel }) => cancel),
    },
    {
      path: 'invites accept',
      says: 'accept an invite, whose token comes from standard input or a prompt',
      flags: [
        { name: 'email', value: 'ADDRESS', says: 'invited address' },
        { name: 'code-file', value: 'FILE', says: 'read the mailed code from a file' },
        { name: 'accept-terms', says: 'accept the terms of the server' },
      ],
      examples: [
        'invites accept --email ada@example.com --accept-terms < invite.txt',
        'invites accept --url https://culprit.example.com',
      ],
      endpoints: ['readInvite', 'acceptInvite', 'acceptInviteAlias'],
      load: () => import('./accept-invite.ts').then(({ run }) => run),
    },
  ],
};
