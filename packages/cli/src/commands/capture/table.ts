import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { CLEAR } from '../../records/clear-flag.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { APPLY_FIELDS, POLICY_FIELDS, RULE_FIELDS } from './flags.ts';

const POLICY_CHANGES = [
  { name: 'reset', value: 'FIELD', isRepeatable: true, says: 'reset this field to the preset' },
  { name: 'client-error-status', value: 'LIST', says: 'statuses 400 to 499 that open an incident' },
  {
    name: 'client-error-path',
    value: 'RULE',
    isRepeatable: true,
    says: "statuses, paths and methods, such as '404=/api/*@GET,POST'",
  },
] as const;
const MATCHER = [
  { name: 'matcher', value: 'FILE', says: 'the matcher as JSON, - for standard input' },
  { name: 'match-fingerprint', value: 'HEX', says: 'events of this fingerprint' },
  { name: 'match-status', value: 'N', isRepeatable: true, says: 'requests with this status' },
] as const;

export const CAPTURE: CommandGroup = {
  noun: 'capture',
  says: 'manage event filters and the capture policy',
  heading: 'Act',
  commands: [
    {
      path: 'capture policy show',
      says: 'show the capture policy and what was changed from its preset',
      examples: ['capture policy show', 'capture policy show --json'],
      endpoints: ['getCapturePolicy'],
      load: () => import('./policy.ts').then(({ show }) => show),
    },
    {
      path: 'capture policy set',
      says: 'change the capture policy',
      flags: [...POLICY_FIELDS, ...POLICY_CHANGES, DRY_RUN],
      examples: [
        'capture policy set --preset investigative',
        'capture policy set --capture-logs error --reset capture_request_events',
      ],
      endpoints: ['updateCapturePolicy'],
      load: () => import('./policy.ts').then(({ set }) => set),
    },
    {
      path: 'capture rules list',
      says: 'list the filters of a project',
      flags: LIST_FLAGS,
      examples: ['capture rules list', 'capture rules list --json'],
      endpoints: ['listCaptureRules'],
      load: () => import('./rules.ts').then(({ list }) => list),
    },
    {
      path: 'capture rules create',
      says: 'create a filter',
      flags: [...RULE_FIELDS, ...MATCHER, { name: 'disabled', says: 'create it disabled' }, DRY_RUN],
      examples: [
        'capture rules create --name "no bots" --action demote --match-message-contains bot',
        'capture rules create --name noise --action sample --sample-rate 0.1 --matcher matcher.json --expires 30d',
      ],
      endpoints: ['createCaptureRule'],
      load: () => import('./rules.ts').then(({ create }) => create),
    },
    {
      path: 'capture rules update',
      says: 'change a filter',
      arguments: '<ID>',
      flags: [...RULE_FIELDS, ...MATCHER, CLEAR, DRY_RUN],
      examples: [
        'capture rules update 01a2… --sample-rate 0.5',
        'capture rules update 01a2… --clear expires',
      ],
      endpoints: ['updateCaptureRule'],
      load: () => import('./rules.ts').then(({ update }) => update),
    },
    {
      path: 'capture rules enable',
      says: 'enable a filter',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['capture rules enable 01a2…', 'capture rules enable 01a2… --yes'],
      endpoints: ['updateCaptureRule'],
      load: () => import('./rules.ts').then(({ enable }) => enable),
    },
    {
      path: 'capture rules disable',
      says: 'disable a filter',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['capture rules disable 01a2…', 'capture rules disable 01a2… --dry-run'],
      endpoints: ['updateCaptureRule'],
      load: () => import('./rules.ts').then(({ disable }) => disable),
    },
    {
      path: 'capture rules delete',
      says: 'delete a filter',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['capture rules delete 01a2…', 'capture rules delete 01a2… --yes'],
      endpoints: ['deleteCaptureRule'],
      load: () => import('./rules.ts').then(({ remove }) => remove),
    },
    {
      path: 'capture preview',
      says: 'show the effect of another policy or filter on recent events',
      flags: [
        ...POLICY_FIELDS,
        ...POLICY_CHANGES,
        ...RULE_FIELDS,
        ...MATCHER,
        {
          name: 'hours',
          value: 'N',
          kind: 'integer',
          min: 1,
          max: 168,
          standard: '24',
          says: 'how far back',
        },
        DRY_RUN,
      ],
      examples: [
        'capture preview --preset minimal',
        'capture preview --action drop --match-message-contains bot --hours 168 --json',
      ],
      endpoints: ['previewCapture'],
      load: () => import('./preview.ts').then(({ run }) => run),
    },
    {
      path: 'capture suggest',
      says: 'suggest filters for a noisy incident',
      arguments: '<REF>',
      examples: ['capture suggest @1', 'capture suggest @1 --json'],
      endpoints: ['suggestCaptureRules'],
      load: () => import('./rules.ts').then(({ suggest }) => suggest),
    },
    {
      path: 'capture apply',
      says: 'create the filter of a suggestion',
      arguments: '<REF> <SUGGESTION>',
      flags: [...APPLY_FIELDS, DRY_RUN],
      examples: ['capture apply @1 demote_fingerprint', 'capture apply @1 drop_fingerprint --disabled'],
      endpoints: ['createSuggestedCaptureRule'],
      load: () => import('./rules.ts').then(({ apply }) => apply),
    },
  ],
};
