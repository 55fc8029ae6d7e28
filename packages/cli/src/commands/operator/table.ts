import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

export const OPERATOR: CommandGroup = {
  noun: 'operator',
  says: 'show the health of the server, for operators',
  heading: 'Tools',
  commands: [
    {
      path: 'operator health',
      says: 'show problems of the server; exits with 1 if there are any',
      examples: ['operator health', 'operator health --json'],
      exits: { 1: 'something is wrong' },
      endpoints: ['getOperatorHealth'],
      load: () => import('./operator.ts').then(({ health }) => health),
    },
    {
      path: 'operator dead-letters list',
      says: 'list the events that could not be processed, and why',
      flags: LIST_FLAGS,
      examples: ['operator dead-letters list', 'operator dead-letters list --all -q'],
      endpoints: ['listDeadLetters'],
      load: () => import('./operator.ts').then(({ listLetters }) => listLetters),
    },
    {
      path: 'operator dead-letters retry',
      says: 'process dead letters again, like new events',
      arguments: '<ID...>',
      flags: [DRY_RUN],
      examples: ['operator dead-letters retry 17', 'operator dead-letters retry 17 18 --yes'],
      endpoints: ['retryDeadLetters'],
      load: () => import('./operator.ts').then(({ retryLetters }) => retryLetters),
    },
  ],
};
