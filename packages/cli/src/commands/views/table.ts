import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { VIEW_FIELDS } from './flags.ts';

export const VIEWS: CommandGroup = {
  noun: 'views',
  aliases: ['view'],
  says: 'manage views: saved incident lists',
  heading: 'Look',
  commands: [
    {
      path: 'views list',
      says: 'list your views and those shared with you',
      flags: LIST_FLAGS,
      examples: ['views list', 'views list --project shop --json'],
      endpoints: ['listViews'],
      load: () => import('./views.ts').then(({ list }) => list),
    },
    {
      path: 'views save',
      says: 'save a view, or change one with --id',
      arguments: '[NAME]',
      flags: [
        ...VIEW_FIELDS,
        { name: 'id', value: 'ID', says: 'change this view' },
        { name: 'for-project', says: 'a view of the chosen project instead of all projects' },
        DRY_RUN,
      ],
      examples: [
        'views save "Slow payments" --search "service:pay-* timeout" --for-project --share',
        'views save --id 01a2… --sort priority',
      ],
      endpoints: ['createView', 'updateView'],
      load: () => import('./views.ts').then(({ save }) => save),
    },
    {
      path: 'views rename',
      says: 'rename a view',
      arguments: '<ID> <NAME>',
      flags: [DRY_RUN],
      examples: ['views rename 01a2… "Slow payments"', 'views rename 01a2… "Slow payments" --dry-run'],
      endpoints: ['updateView'],
      load: () => import('./views.ts').then(({ rename }) => rename),
    },
    {
      path: 'views delete',
      says: 'delete a view',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['views delete 01a2…', 'views delete 01a2… --dry-run'],
      endpoints: ['deleteView'],
      load: () => import('./views.ts').then(({ remove }) => remove),
    },
  ],
};
