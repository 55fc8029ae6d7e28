import type { CommandGroup } from '../../command.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

export const OWNERSHIP: CommandGroup = {
  noun: 'ownership',
  says: 'show, try and change who gets which new incidents of a project',
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
      says: 'replace the lines by those of a file, or of standard input with -',
      arguments: '<FILE>',
      flags: [DRY_RUN],
      examples: ['ownership set .github/CODEOWNERS', 'ownership set -'],
      endpoints: ['saveOwnership', 'getOwnership'],
      load: () => import('./ownership.ts').then(({ set }) => set),
    },
    {
      path: 'ownership preview',
      says: 'try the lines of a file on the incidents of the last days',
      arguments: '<FILE>',
      flags: [{ name: 'days', value: 'N', kind: 'integer', min: 1, max: 30, says: 'how many days (30)' }],
      examples: ['ownership preview .github/CODEOWNERS', 'ownership preview - --days 7'],
      endpoints: ['previewOwnership'],
      load: () => import('./ownership.ts').then(({ preview }) => preview),
    },
    {
      path: 'ownership apply',
      says: 'assign active incidents that no one has',
      flags: [DRY_RUN],
      examples: ['ownership apply', 'ownership apply -p shop --json'],
      endpoints: ['applyOwnership'],
      load: () => import('./ownership.ts').then(({ apply }) => apply),
    },
  ],
};
