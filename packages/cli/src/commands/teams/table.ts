import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { TEAM_FIELDS } from './flags.ts';

export const TEAMS: CommandGroup = {
  noun: 'teams',
  aliases: ['team'],
  says: 'list and change teams, to which incidents can be assigned',
  heading: 'Set up',
  commands: [
    {
      path: 'teams list',
      says: "list the teams of the project's organization",
      flags: LIST_FLAGS,
      examples: ['teams list', 'teams list -p shop --json'],
      endpoints: ['listTeams'],
      load: () => import('./teams.ts').then(({ list }) => list),
    },
    {
      path: 'teams create',
      says: 'create a team',
      arguments: '<SLUG> <NAME>',
      flags: [DRY_RUN],
      examples: ['teams create payments "Payments and invoices"', 'teams create infra Infrastructure'],
      endpoints: ['createTeam'],
      load: () => import('./teams.ts').then(({ create }) => create),
    },
    {
      path: 'teams rename',
      says: 'change the name or the slug of a team',
      arguments: '<TEAM>',
      flags: [...TEAM_FIELDS, DRY_RUN],
      examples: ['teams rename payments --name Billing', 'teams rename payments --slug billing'],
      endpoints: ['updateTeam', 'listTeams'],
      load: () => import('./teams.ts').then(({ rename }) => rename),
    },
    {
      path: 'teams delete',
      aliases: [],
      says: 'delete a team',
      arguments: '<TEAM>',
      flags: [DRY_RUN],
      examples: ['teams delete payments', 'teams delete payments --yes'],
      endpoints: ['deleteTeam', 'listTeams'],
      load: () => import('./teams.ts').then(({ remove }) => remove),
    },
    {
      path: 'teams add',
      says: 'add a person to a team',
      arguments: '<TEAM> <WHO>',
      flags: [DRY_RUN],
      examples: ['teams add payments ada', 'teams add payments ada@example.com'],
      endpoints: ['addTeamMember', 'listTeams', 'listPeople'],
      load: () => import('./teams.ts').then(({ addPerson }) => addPerson),
    },
    {
      path: 'teams remove',
      says: 'remove a person from a team',
      arguments: '<TEAM> <WHO>',
      flags: [DRY_RUN],
      examples: ['teams remove payments ada', 'teams remove payments ada@example.com'],
      endpoints: ['removeTeamMember', 'listTeams'],
      load: () => import('./teams.ts').then(({ removePerson }) => removePerson),
    },
  ],
};
