import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import type { FieldFlag } from '../../records/fields.ts';

export const PROBE_FIELDS: readonly FieldFlag[] = [
  { name: 'service', value: 'NAME', field: 'service', says: 'only in this service' },
  { name: 'environment', short: 'e', value: 'NAME', field: 'environment', says: 'only in this environment' },
  {
    name: 'ttl',
    value: 'DURATION',
    kind: 'duration',
    field: 'ttl_seconds',
    as: 'seconds',
    says: 'how long, 1m to 1h',
  },
  {
    name: 'trigger-ttl',
    value: 'DURATION',
    kind: 'duration',
    field: 'trigger_ttl_seconds',
    as: 'seconds',
    says: 'how long its trigger token works',
  },
  {
    name: 'sample-rate',
    value: 'SHARE',
    kind: 'number',
    min: 0,
    max: 1,
    field: 'sample_rate',
    as: 'number',
    says: 'share of the reports',
  },
];

export const RESULT_FILTERS: readonly FieldFlag[] = [
  { name: 'activation', value: 'ID', field: 'activation_id', says: 'only of this activation' },
];

export const PROBES: CommandGroup = {
  noun: 'probes',
  aliases: ['probe'],
  says: 'let running applications report more for a while',
  heading: 'Act',
  commands: [
    {
      path: 'probes list',
      aliases: ['ls'],
      says: 'list the active probes',
      flags: LIST_FLAGS,
      examples: ['probes list', 'probes list --json'],
      endpoints: ['listProbes'],
      load: () => import('./probes.ts').then(({ list }) => list),
    },
    {
      path: 'probes activate',
      says: 'switch on the probes whose label fits a pattern',
      arguments: '<PATTERN>',
      flags: [
        ...PROBE_FIELDS,
        { name: 'show-trigger', says: 'print the token that switches them on for one request' },
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
      says: 'switch probes off before their time',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['probes deactivate 01a2…', 'probes deactivate 01a2… --json'],
      endpoints: ['deactivateProbe'],
      load: () => import('./probes.ts').then(({ deactivate }) => deactivate),
    },
  ],
};
