import type { CommandGroup } from '../../command.ts';
import { CLEAR } from '../../records/clear-flag.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { HOOK_FIELDS, KIND_FIELDS, TARGETS_FIELDS, TRACKER_FIELDS } from './flags.ts';

export const TRACKERS: CommandGroup = {
  noun: 'trackers',
  aliases: ['tracker'],
  says: 'connect GitHub, Jira, GitLab, Linear or your own tracker',
  heading: 'Set up',
  commands: [
    {
      path: 'trackers list',
      aliases: ['ls'],
      says: 'list the issue trackers of a project',
      examples: ['trackers list', 'trackers list --json'],
      endpoints: ['listTrackers'],
      load: () => import('./trackers.ts').then(({ list }) => list),
    },
    {
      path: 'trackers create',
      says: 'connect an issue tracker',
      flags: [...KIND_FIELDS, ...TRACKER_FIELDS, DRY_RUN],
      examples: [
        'trackers create --kind github --target acme/shop --token-file ~/.github-token',
        'trackers create --kind jira --base-url https://acme.atlassian.net --user ada@acme.example --target ENG --token-file token.txt',
        'trackers create --kind generic --base-url https://tickets.example.com/culprit --target support',
      ],
      endpoints: ['createTracker'],
      load: () => import('./trackers.ts').then(({ create }) => create),
    },
    {
      path: 'trackers update',
      says: 'change an issue tracker',
      arguments: '<ID>',
      flags: [...TRACKER_FIELDS, CLEAR, DRY_RUN],
      examples: ['trackers update 01a2… --wont-fix nothing', 'trackers update 01a2… --token-file token.txt'],
      endpoints: ['updateTracker'],
      load: () => import('./trackers.ts').then(({ update }) => update),
    },
    {
      path: 'trackers test',
      says: 'test the token, its rights and the target; a success restarts a stopped tracker',
      arguments: '<ID>',
      examples: ['trackers test 01a2…', 'trackers test 01a2… --json'],
      endpoints: ['testTracker'],
      load: () => import('./trackers.ts').then(({ test }) => test),
    },
    {
      path: 'trackers targets',
      says: 'list where a tracker can create tickets: repositories, projects, teams',
      arguments: '[ID]',
      flags: [...KIND_FIELDS, ...TARGETS_FIELDS],
      examples: [
        'trackers targets 01a2… --query shop',
        'trackers targets --kind github --token-file ~/.github-token',
      ],
      endpoints: ['listTrackerTargets'],
      load: () => import('./trackers.ts').then(({ targets }) => targets),
    },
    {
      path: 'trackers install-hook',
      says: 'create the webhook at the tracker, or correct the existing one',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['trackers install-hook 01a2…', 'trackers install-hook 01a2… --dry-run'],
      endpoints: ['installTrackerHook'],
      load: () => import('./trackers.ts').then(({ install }) => install),
    },
    {
      path: 'trackers hook',
      says: 'create the address and secret for a webhook that you create at the tracker, and print them once',
      arguments: '<ID>',
      flags: [...HOOK_FIELDS, DRY_RUN],
      examples: ['trackers hook 01a2… --yes', 'trackers hook 01a2… --secret-file linear.txt --yes'],
      endpoints: ['createTrackerHook'],
      load: () => import('./trackers.ts').then(({ hook }) => hook),
    },
    {
      path: 'trackers delete',
      aliases: ['rm'],
      says: 'disconnect an issue tracker without tickets',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['trackers delete 01a2…', 'trackers delete 01a2… --yes'],
      endpoints: ['deleteTracker'],
      load: () => import('./trackers.ts').then(({ remove }) => remove),
    },
  ],
};
