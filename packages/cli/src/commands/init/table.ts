import { PACKAGE_MANAGERS } from '@culprit/contract/setup/install-lines';
import { AGENT_CHOICES } from '../../agents/agent-hosts.ts';
import type { CommandGroup } from '../../command.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

export const INIT: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Start',
  commands: [
    {
      path: 'init',
      says: 'set an application up, from nothing to its first visible incident',
      arguments: '[DIR]',
      flags: [
        { name: 'framework', value: 'NAME', says: 'instead of what the dependencies say' },
        { name: 'entry', value: 'FILE', says: 'the file that starts the application' },
        { name: 'service', value: 'NAME', says: 'name of the service', standard: 'the name of the package' },
        { name: 'environment', short: 'e', value: 'NAME', says: 'environment of its events' },
        { name: 'create-project', value: 'NAME', says: 'a new project of this name' },
        { name: 'no-alert', says: 'mail nothing about the incidents of a new project' },
        {
          name: 'allowed-origin',
          value: 'ORIGIN',
          isRepeatable: true,
          says: 'origin of the pages that send events by themselves',
        },
        {
          name: 'package-manager',
          value: 'NAME',
          choices: PACKAGE_MANAGERS,
          says: 'instead of what the lockfile says',
        },
        { name: 'no-install', says: 'install nothing' },
        { name: 'no-test-event', says: 'send no event that proves the way' },
        { name: 'keep-incident', says: 'leave the incident of that event open' },
        {
          name: 'agent',
          value: 'NAME',
          choices: AGENT_CHOICES,
          standard: 'none',
          says: 'let this coding agent read incidents, by an entry in its settings',
        },
        { name: 'local', says: 'without a server: incidents stay in files of this folder' },
        DRY_RUN,
      ],
      examples: ['init', 'init apps/api --create-project shop --yes', 'init --local --dry-run'],
      exits: { 8: 'everything is set up, and the test event did not become visible' },
      load: () => import('./init.ts').then(({ run }) => run),
    },
  ],
};
