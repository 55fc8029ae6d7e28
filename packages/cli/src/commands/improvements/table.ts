import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { IMPROVEMENT_FILTERS, SETTING_FIELDS } from './flags.ts';

const one = (
  verb: 'resolve' | 'reopen',
  says: string,
  endpoint: string,
  load: CommandGroup['commands'][number]['load'],
) =>
  ({
    path: `improvements ${verb}`,
    says,
    arguments: '<ID>',
    flags: [DRY_RUN],
    examples: [`improvements ${verb} bun_01a2…`, `improvements ${verb} bun_01a2… --json`],
    endpoints: [endpoint],
    load,
  }) as const;

export const IMPROVEMENTS: CommandGroup = {
  noun: 'improvements',
  aliases: ['improvement'],
  says: 'list problems that do not cause failures yet, such as slow requests',
  heading: 'Look',
  commands: [
    {
      path: 'improvements list',
      says: 'list improvements, latest first',
      flags: [...IMPROVEMENT_FILTERS, ...LIST_FLAGS],
      examples: ['improvements list', 'improvements list --status open --kind slow_request'],
      endpoints: ['listImprovements'],
      load: () => import('./improvements.ts').then(({ list }) => list),
    },
    {
      path: 'improvements show',
      says: 'show an improvement and its evidence',
      arguments: '<ID>',
      examples: ['improvements show bun_01a2…', 'improvements show bun_01a2… --json'],
      endpoints: ['getImprovement'],
      load: () => import('./improvements.ts').then(({ show }) => show),
    },
    {
      path: 'improvements bundle',
      says: 'print the bundle of an improvement',
      arguments: '<ID>',
      examples: [
        'improvements bundle bun_01a2… --json',
        'improvements bundle bun_01a2… --json > bundle.json',
      ],
      endpoints: ['getImprovementBundle'],
      load: () => import('./improvements.ts').then(({ bundle }) => bundle),
    },
    one('resolve', 'resolve an improvement', 'resolveImprovement', () =>
      import('./improvements.ts').then(({ resolve }) => resolve),
    ),
    one('reopen', 'reopen an improvement', 'reopenImprovement', () =>
      import('./improvements.ts').then(({ reopen }) => reopen),
    ),
    {
      path: 'improvements snooze',
      says: 'snooze an improvement',
      arguments: '<ID> <DURATION>',
      flags: [DRY_RUN],
      examples: ['improvements snooze bun_01a2… 7d', 'improvements snooze bun_01a2… 24h --json'],
      endpoints: ['snoozeImprovement'],
      load: () => import('./improvements.ts').then(({ snooze }) => snooze),
    },
    {
      path: 'improvements settings',
      says: 'show or change the settings of improvements',
      flags: [...SETTING_FIELDS, DRY_RUN],
      examples: ['improvements settings', 'improvements settings --sensitivity high_confidence'],
      endpoints: ['getImprovementSettings', 'updateImprovementSettings'],
      load: () => import('./improvements.ts').then(({ settings }) => settings),
    },
  ],
};
