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
      says: 'set up an application, up to its first visible incident',
      arguments: '[DIR]',
      flags: [
        { name: 'framework', value: 'NAME', says: 'framework, if the dependencies do not show it' },
        { name: 'entry', value: 'FILE', says: 'the file that starts the application' },
        { name: 'service', value: 'NAME', says: 'name of the service', standard: 'the name of the package' },
        { name: 'environment', short: 'e', value: 'NAME', says: 'environment of its events' },
        { name: 'create-project', value: 'NAME', says: 'create a project with this name' },
        { name: 'no-alert', says: 'create no alert rule for a new project' },
        {
          name: 'allowed-origin',
          value: 'ORIGIN',
          isRepeatable: true,
          says: 'origin of the pages that send events',
        },
        {
          name: 'package-manager',
          value: 'NAME',
          choices: PACKAGE_MANAGERS,
          says: 'package manager, if the lockfile does not show it',
        },
        { name: 'no-install', says: 'do not install packages' },
        { name: 'no-test-event', says: 'send no test event' },
        { name: 'keep-incident', says: 'leave the incident of the test event open' },
        {
          name: 'agent',
          value: 'NAME',
          choices: AGENT_CHOICES,
          standard: 'none',
          says: 'let this coding agent read incidents, with an entry in its settings',
        },
        { name: 'local', says: 'without a server: incidents stay in files in this folder' },
        DRY_RUN,
      ],
      examples: ['init', 'init apps/api --create-project shop --yes', 'init --local --dry-run'],
      exits: { 8: 'everything is set up, but the test event did not become visible' },
      load: () => import('./init.ts').then(({ run }) => run),
    },
  ],
};
