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
          says: 'body field, as text',
        },
        {
          name: 'field',
          short: 'F',
          value: 'KEY=JSON',
          isRepeatable: true,
          says: 'body field, as JSON',
        },
        { name: 'query', value: 'KEY=VALUE', isRepeatable: true, says: 'query parameter' },
        { name: 'input', value: 'FILE', says: 'the body, - for standard input' },
        { name: 'include', short: 'i', says: 'also print the status line and headers' },
        { name: 'paginate', says: 'follow the cursor and merge the rows' },
        {
          name: 'as',
          value: 'WHO',
          choices: ['member', 'project'],
          standard: 'member',
          says: 'the credential to use',
        },
        { name: 'list', says: 'list the known endpoints; PATH is a word to search for' },
      ],
      examples: [
        'api /v1/projects',
        'api /v1/incidents --query status=open --paginate',
        'api --list webhook',
      ],
      exits: { 0: 'the status is below 300', 1: 'another status without an exit code' },
      load: () => import('./api.ts').then(({ run }) => run),
    },
  ],
};
