import type { CommandGroup } from '../../command.ts';

export const API: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Tools',
  commands: [
    {
      path: 'api',
      says: 'call any endpoint of the server',
      arguments: '[PATH]',
      flags: [
        { name: 'method', short: 'X', value: 'METHOD', says: 'GET, or POST when there are fields' },
        {
          name: 'raw-field',
          short: 'f',
          value: 'KEY=TEXT',
          isRepeatable: true,
          says: 'field of the body, as text',
        },
        {
          name: 'field',
          short: 'F',
          value: 'KEY=JSON',
          isRepeatable: true,
          says: 'field of the body, as JSON',
        },
        { name: 'query', value: 'KEY=VALUE', isRepeatable: true, says: 'parameter of the query' },
        { name: 'input', value: 'FILE', says: 'the body, - for standard input' },
        { name: 'include', short: 'i', says: 'status line and headers too' },
        { name: 'paginate', says: 'follow the cursor and merge the rows' },
        {
          name: 'as',
          value: 'WHO',
          choices: ['member', 'project'],
          standard: 'member',
          says: 'the credential to use',
        },
        { name: 'list', says: 'list the endpoints that this program knows; PATH is a word to look for' },
      ],
      examples: [
        'api /v1/projects',
        'api /v1/incidents --query status=open --paginate',
        'api --list webhook',
      ],
      exits: { 0: 'status below 300', 1: 'and others as every command, by the status' },
      load: () => import('./api.ts').then(({ run }) => run),
    },
  ],
};
