import { AGENT_HOSTS } from '../../agents/agent-hosts.ts';
import type { CommandGroup } from '../../command.ts';

export const MCP: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Tools',
  commands: [
    {
      path: 'mcp',
      says: 'serve incidents to a coding agent over the Model Context Protocol',
      flags: [
        {
          name: 'allow-writes',
          says: 'also resolve incidents, create filters and enable probes, each after a confirmation',
        },
        { name: 'local', says: 'only events that client libraries wrote on this machine' },
        {
          name: 'max-tokens',
          value: 'N',
          kind: 'integer',
          min: 500,
          max: 20_000,
          standard: '4000',
          says: 'default number of tokens in an answer',
        },
      ],
      examples: ['mcp', 'mcp --project my-app --max-tokens 2000'],
      load: () => import('./mcp.ts').then(({ run }) => run),
    },
    {
      path: 'mcp config',
      says: 'print or write the settings entry that starts culprit mcp',
      flags: [
        { name: 'client', value: 'NAME', choices: AGENT_HOSTS, says: 'client to configure' },
        { name: 'write', says: 'write it into the file of the client, after a diff' },
        { name: 'read-token', says: 'create a read-only token for it, as a separate profile' },
      ],
      examples: ['mcp config --client claude-code', 'mcp config --client cursor --write --read-token'],
      endpoints: ['createMemberToken'],
      load: () => import('./config.ts').then(({ run }) => run),
    },
  ],
};
