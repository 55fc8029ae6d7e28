import { listIncidentLogs } from '@culprit/contract/incidents/logs';
import { BUNDLE_SECTIONS } from '../../bundle-text/bundle-sections.ts';
import type { CommandGroup } from '../../command.ts';
import type { Flag } from '../../flag.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { choicesOf } from '../../records/field-flags.ts';

/** The form of a bundle, for `bundle` and `local bundle`. */
export const FORMAT: Flag = {
  name: 'format',
  value: 'FORM',
  choices: ['text', 'markdown', 'json'],
  standard: 'text',
  says: 'output format',
};

/** The flags of the Markdown output, for `bundle` and `local bundle`. */
export const MARKDOWN_FLAGS: readonly Flag[] = [
  {
    name: 'max-tokens',
    value: 'N',
    kind: 'integer',
    min: 200,
    max: 100_000,
    says: 'with --markdown: the best evidence within this number of tokens',
  },
  { name: 'raw', says: 'with --markdown: remove only what the server removed' },
];

export const EVIDENCE: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Look',
  commands: [
    {
      path: 'bundle',
      says: 'show everything that is known about one incident',
      arguments: '<REF>',
      flags: [
        FORMAT,
        { name: 'markdown', says: 'same as --format markdown, for an issue or an agent' },
        {
          name: 'section',
          value: 'LIST',
          says: `only these, separated by commas: ${BUNDLE_SECTIONS.join(', ')}`,
        },
        ...MARKDOWN_FLAGS,
        { name: 'full', says: 'show everything' },
        { name: 'wait', says: 'wait until it is built, at most 30 s' },
        { name: 'output', short: 'o', value: 'FILE', says: 'write to a file' },
        { name: 'web', short: 'w', says: 'open its page in the browser' },
      ],
      examples: [
        'bundle @latest',
        'bundle @1 --markdown | gh issue create -F -',
        'bundle @1 --markdown --max-tokens 2000',
        'bundle @1 --json -o bundle.json',
      ],
      exits: { 8: 'the bundle is pending or failed' },
      endpoints: ['getIncidentBundle'],
      local: 'local bundle',
      load: () => import('./bundle.ts').then(({ run }) => run),
    },
    {
      path: 'logs',
      says: 'list the events of an incident, newest first',
      arguments: '<REF>',
      flags: [
        {
          name: 'level',
          value: 'LEVEL',
          choices: choicesOf(listIncidentLogs, 'level'),
          says: 'exactly this level',
        },
        { name: 'event', value: 'ID', says: 'one event in full' },
        ...LIST_FLAGS,
      ],
      examples: ['logs @1', 'logs @1 --level error --json'],
      endpoints: ['listIncidentLogs', 'listLogs', 'getIncidentEvent'],
      local: 'local logs',
      load: () => import('../logs/logs.ts').then(({ run }) => run),
    },
  ],
};
