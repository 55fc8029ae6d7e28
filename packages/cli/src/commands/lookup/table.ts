import { eventTypes } from '@culprit/contract/events/event-fields';
import { tailEvents } from '@culprit/contract/events/recent-events';
import type { CommandGroup } from '../../command.ts';
import { choicesOf } from '../../records/field-flags.ts';

const FILTERS = [
  {
    name: 'type',
    value: 'TYPE',
    choices: eventTypes,
    says: 'only this type',
  },
  {
    name: 'level',
    value: 'LEVEL',
    choices: choicesOf(tailEvents, 'level'),
    says: 'minimum level',
  },
  { name: 'service', value: 'NAME', says: 'only this service' },
  { name: 'environment', short: 'e', value: 'NAME', says: 'only this environment' },
  { name: 'search', value: 'TEXT', says: 'only with this text' },
] as const;

export const LOOKUP: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Look',
  commands: [
    {
      path: 'lookup',
      says: 'find an event, trace, request, session, incident or bundle by its id',
      arguments: '<ID>',
      examples: ['lookup 5f1d7a84c3a94c7f9b0e2d6a8c4e1f37', 'lookup req_01a2… --json'],
      exits: { 3: 'nothing has this id' },
      endpoints: ['lookUpId'],
      load: () => import('./lookup.ts').then(({ run }) => run),
    },
  ],
};

export const EVENTS: CommandGroup = {
  noun: 'events',
  aliases: ['event'],
  says: 'show the newest accepted events',
  heading: 'Look',
  commands: [
    {
      path: 'events tail',
      says: 'print the events of the last minutes, oldest first; with --follow, also new ones',
      flags: [
        ...FILTERS,
        { name: 'follow', short: 'f', says: 'continue until Ctrl-C' },
        { name: 'for', value: 'DURATION', kind: 'duration', says: 'with --follow: end after this time' },
      ],
      examples: ['events tail', 'events tail --follow --level warning --service shop-api'],
      endpoints: ['tailEvents'],
      load: () => import('../events/tail-events.ts').then(({ run }) => run),
    },
  ],
};
