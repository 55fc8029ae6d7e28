import type { CommandGroup } from '../../command.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

export const OWNERSHIP: CommandGroup = {
  noun: 'ownership',
  says: "show, preview and change the owners of a project's new incidents",
  heading: 'Set up',
  commands: [
    {
      path: 'ownership show',
      says: 'print the lines of a project, as in CODEOWNERS',
      examples: ['ownership show', 'ownership show -p shop > OWNERS'],
      endpoints: ['getOwnership'],
      load: () => import('./ownership.ts').then(({ show }) => show),
    },
    {
      path: 'ownership set',
      says: 'replace the lines with those from a file, or from standard input with -',
      arguments: '<FILE>',
      flags: [DRY_RUN],
      examples: ['ownership set .github/CODEOWNERS', 'ownership set -'],
      endpoints: ['saveOwnership', 'getOwnership'],
      load: () => import('./ownership.ts').then(({ set }) => set),
    },
    {
      path: 'ownership preview',
      says: 'preview the lines of a file on recent incidents',
      arguments: '<FILE>',
      flags: [{ name: 'days', value: 'N', kind: 'integer', min: 1, max: 30, says: 'number of days (30)' }],
      examples: ['ownership preview .github/CODEOWNERS', 'ownership preview - --days 7'],
      endpoints: ['previewOwnership'],
      load: () => import('./ownership.ts').then(({ preview }) => preview),
    },
    {
      path: 'ownership apply',
      says: 'assign unassigned active incidents',
      flags: [DRY_RUN],
      examples: ['ownership apply', 'ownership apply -p shop --json'],
      endpoints: ['applyOwnership'],
      load: () => import('./ownership.ts').then(({ apply }) => apply),
    },
  ],
};
