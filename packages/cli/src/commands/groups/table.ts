import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

export const GROUPS: CommandGroup = {
  noun: 'groups',
  aliases: ['group'],
  says: 'give groups of the sign-in provider a role in your projects, and a team',
  heading: 'Set up',
  commands: [
    {
      path: 'groups list',
      says: 'list the roles of groups',
      flags: LIST_FLAGS,
      examples: ['groups list', 'groups list --json'],
      endpoints: ['listGroupGrants'],
      load: () => import('./groups.ts').then(({ list }) => list),
    },
    {
      path: 'groups grant',
      says: 'give a group a role in all your projects, or in one with --for-project, and optionally a team',
      arguments: '<GROUP> <ROLE>',
      flags: [
        { name: 'for-project', says: 'only in the chosen project' },
        { name: 'team', value: 'TEAM', says: "team of the chosen project's organization, or none" },
        DRY_RUN,
      ],
      examples: [
        'groups grant engineers member',
        'groups grant leads admin --for-project -p shop',
        'groups grant payments-dev member --team payments',
      ],
      endpoints: ['createGroupGrant', 'listTeams'],
      load: () => import('./groups.ts').then(({ grant }) => grant),
    },
    {
      path: 'groups revoke',
      says: 'revoke a grant',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['groups revoke 01a2…', 'groups revoke 01a2… --dry-run'],
      endpoints: ['deleteGroupGrant'],
      load: () => import('./groups.ts').then(({ revoke }) => revoke),
    },
  ],
};
