import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { PROBE_FIELDS, RESULT_FILTERS } from './flags.ts';

export const PROBES: CommandGroup = {
  noun: 'probes',
  aliases: ['probe'],
  says: 'enable probes in running applications, and read their results',
  heading: 'Act',
  commands: [
    {
      path: 'probes list',
      says: 'list the active probes',
      flags: LIST_FLAGS,
      examples: ['probes list', 'probes list --json'],
      endpoints: ['listProbes'],
      load: () => import('./probes.ts').then(({ list }) => list),
    },
    {
      path: 'probes activate',
      says: 'enable the probes whose label matches a pattern; * is any text and ? one character',
      arguments: '<PATTERN>',
      flags: [
        ...PROBE_FIELDS,
        { name: 'show-trigger', says: 'print the token that enables them for one request' },
        DRY_RUN,
      ],
      examples: [
        'probes activate "checkout.*" --ttl 15m',
        'probes activate checkout.cart --service shop-api --show-trigger',
      ],
      endpoints: ['activateProbe'],
      load: () => import('./probes.ts').then(({ activate }) => activate),
    },
    {
      path: 'probes results',
      says: 'list what probes reported in the last 7 days, newest first',
      flags: [...RESULT_FILTERS, ...LIST_FLAGS],
      examples: ['probes results', 'probes results --activation 01a2… --json'],
      endpoints: ['listProbeResults'],
      load: () => import('./probes.ts').then(({ results }) => results),
    },
    {
      path: 'probes deactivate',
      says: 'disable probes before they expire',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['probes deactivate 01a2…', 'probes deactivate 01a2… --json'],
      endpoints: ['deactivateProbe'],
      load: () => import('./probes.ts').then(({ deactivate }) => deactivate),
    },
  ],
};
