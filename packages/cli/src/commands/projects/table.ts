import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import type { FieldFlag } from '../../records/fields.ts';

export const PROJECT_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'name' },
  { name: 'slug', value: 'SLUG', field: 'slug', says: 'short name, unique among yours' },
  {
    name: 'environment-default',
    value: 'NAME',
    field: 'environment_default',
    says: 'environment of events that name none',
  },
];
/** What a project says about its grouping, once it is there. */
export const STACK_RULE_FIELDS: readonly FieldFlag[] = [
  {
    name: 'stack-rule',
    value: 'RULE',
    isRepeatable: true,
    field: 'stack_rules',
    as: 'list',
    says: 'GLOB own, GLOB foreign or GLOB ignore, for files and modules of stack traces; replaces all rules',
  },
  { name: 'no-stack-rules', field: 'stack_rules', as: 'empty list', says: 'no rules at all' },
];
export const GROUPING_FIELDS: readonly FieldFlag[] = [
  ...STACK_RULE_FIELDS,
  {
    name: 'learn-slots',
    field: 'learns_slots',
    as: 'true',
    says: 'learn which words of messages are values',
  },
  { name: 'no-learn-slots', field: 'learns_slots', as: 'false', says: 'learn no more of them' },
];
export const NEW_PROJECT_FIELDS: readonly FieldFlag[] = [
  ...PROJECT_FIELDS.slice(1),
  {
    name: 'weekly-report-timezone',
    value: 'ZONE',
    field: 'weekly_report_timezone',
    says: 'zone of the weekly report',
  },
];

export const ACTIVITY_FILTERS: readonly FieldFlag[] = [
  {
    name: 'window',
    value: 'SPAN',
    choices: ['24h', '7d'],
    field: 'window',
    standard: '24h',
    says: 'how far back',
  },
];
export const CLIENT_FILTERS: readonly FieldFlag[] = [
  {
    name: 'days',
    value: 'N',
    kind: 'integer',
    min: 1,
    max: 90,
    field: 'days',
    as: 'number',
    says: 'of the last days',
  },
];

export const PROJECTS: CommandGroup = {
  noun: 'projects',
  aliases: ['project'],
  says: 'list, create, change and choose projects',
  heading: 'Set up',
  commands: [
    {
      path: 'projects list',
      aliases: ['ls'],
      says: 'list the projects you see',
      flags: LIST_FLAGS,
      examples: ['projects list', 'projects list --json --fields slug,metrics.open_incidents'],
      endpoints: ['listProjects'],
      load: () => import('./projects.ts').then(({ list }) => list),
    },
    {
      path: 'projects show',
      says: 'show a project and its counts',
      arguments: '[REF]',
      examples: ['projects show', 'projects show shop --json'],
      endpoints: ['getProject'],
      load: () => import('./projects.ts').then(({ show }) => show),
    },
    {
      path: 'projects create',
      says: 'create a project',
      arguments: '<NAME>',
      flags: [...NEW_PROJECT_FIELDS, DRY_RUN],
      examples: ['projects create shop', 'projects create "Web shop" --slug shop'],
      endpoints: ['createProject'],
      load: () => import('./projects.ts').then(({ create }) => create),
    },
    {
      path: 'projects update',
      says: 'change name, slug, default environment or grouping of a project',
      arguments: '[REF]',
      flags: [...PROJECT_FIELDS, ...GROUPING_FIELDS, DRY_RUN],
      examples: [
        'projects update shop --name "Web shop"',
        'projects update --environment-default staging',
        "projects update --stack-rule '*/vendor/* foreign'",
        'projects update --no-stack-rules',
      ],
      endpoints: ['updateProject'],
      load: () => import('./projects.ts').then(({ update }) => update),
    },
    {
      path: 'projects preview-grouping',
      says: 'tell which incidents other stack rules would make one or take apart; changes nothing',
      arguments: '[REF]',
      flags: [
        ...STACK_RULE_FIELDS,
        {
          name: 'hours',
          value: 'N',
          kind: 'integer',
          min: 1,
          max: 168,
          standard: '24',
          says: 'with the events of the last hours',
        },
      ],
      examples: [
        "projects preview-grouping --stack-rule '*/vendor/* foreign'",
        "projects preview-grouping shop --stack-rule '*/shared/* ignore' --hours 168 --json",
        'projects preview-grouping --no-stack-rules',
      ],
      endpoints: ['previewGrouping'],
      load: () => import('./preview-grouping.ts').then(({ run }) => run),
    },
    {
      path: 'projects regroup',
      says: 'give a project other stack rules, and group the incidents that are there by them',
      arguments: '[REF]',
      flags: [
        ...STACK_RULE_FIELDS,
        {
          name: 'hours',
          value: 'N',
          kind: 'integer',
          min: 1,
          max: 168,
          standard: '24',
          says: 'with the events of the last hours',
        },
        DRY_RUN,
      ],
      examples: [
        "projects regroup --stack-rule '*/vendor/* foreign'",
        'projects regroup shop --no-stack-rules --yes',
      ],
      endpoints: ['applyRegrouping'],
      load: () => import('./regroupings.ts').then(({ apply }) => apply),
    },
    {
      path: 'projects regroupings',
      says: 'list the rules that were applied to incidents, newest first',
      flags: LIST_FLAGS,
      examples: ['projects regroupings', 'projects regroupings --json'],
      endpoints: ['listRegroupings'],
      load: () => import('./regroupings.ts').then(({ list }) => list),
    },
    {
      path: 'projects undo-regroup',
      says: 'take the newest regrouping back: incidents come back with their own counts',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: [
        'projects undo-regroup 3b0e7c52-9a41-4d0e-8f6b-2c5d1e7a9f04',
        'projects undo-regroup 3b0e7c52-9a41-4d0e-8f6b-2c5d1e7a9f04 --dry-run',
      ],
      endpoints: ['undoRegrouping'],
      load: () => import('./regroupings.ts').then(({ undo }) => undo),
    },
    {
      path: 'projects delete',
      aliases: ['rm'],
      says: 'delete a project with everything in it',
      arguments: '<REF>',
      flags: [
        { name: 'confirm', value: 'SLUG', says: 'the slug once more, in place of the question' },
        DRY_RUN,
      ],
      examples: ['projects delete shop', 'projects delete shop --confirm shop'],
      endpoints: ['deleteProject'],
      load: () => import('./projects.ts').then(({ remove }) => remove),
    },
    {
      path: 'projects use',
      says: 'make a project the default',
      arguments: '<REF>',
      flags: [{ name: 'here', says: 'of this folder, in .culprit/config.json, instead of the profile' }],
      examples: ['projects use shop', 'projects use shop --here'],
      load: () => import('./projects.ts').then(({ use }) => use),
    },
  ],
};

export const SERVICES: CommandGroup = {
  noun: 'services',
  aliases: ['service'],
  says: 'list the services that sent events',
  heading: 'Look',
  commands: [
    {
      path: 'services list',
      aliases: ['ls'],
      says: 'list services by name and environment',
      flags: [
        { name: 'environment', short: 'e', value: 'NAME', says: 'only this environment' },
        ...LIST_FLAGS,
      ],
      examples: ['services list', 'services list -e production --json'],
      endpoints: ['listServices'],
      load: () => import('./projects.ts').then(({ services }) => services),
    },
    {
      path: 'services activity',
      says: 'show trend and open incidents of each service',
      flags: ACTIVITY_FILTERS,
      examples: ['services activity', 'services activity --window 7d --json'],
      endpoints: ['getServiceActivity'],
      load: () => import('./projects.ts').then(({ activity }) => activity),
    },
    {
      path: 'services clients',
      says: 'list the client libraries that sent events, by service and release',
      flags: [...CLIENT_FILTERS, ...LIST_FLAGS],
      examples: ['services clients', 'services clients --days 7 --json'],
      endpoints: ['listProjectClients'],
      load: () => import('./projects.ts').then(({ clients }) => clients),
    },
  ],
};
