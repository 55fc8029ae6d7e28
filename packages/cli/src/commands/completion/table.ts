import type { CommandGroup } from '../../command.ts';

export const TOOLS: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Tools',
  commands: [
    {
      path: 'completion',
      says: 'print a script that completes commands, flags and names in a shell',
      arguments: '<SHELL>',
      examples: [
        'completion bash > ~/.local/share/bash-completion/completions/culprit',
        'completion zsh > ~/.zfunc/_culprit',
        'completion fish > ~/.config/fish/completions/culprit.fish',
      ],
      load: () => import('./completion.ts').then(({ run }) => run),
    },
    {
      path: 'doctor',
      says: 'find out why something does not work; changes nothing',
      flags: [
        {
          name: 'origin',
          value: 'URL',
          says: 'origin with which to try a token or key that is bound to origins',
        },
        {
          name: 'dsn',
          value: 'DSN',
          says: 'check only this DSN: send an event to it and follow it to its incident',
        },
        { name: 'send', says: 'also send a test event and wait until its incident is visible' },
        { name: 'dry-run', says: 'with --send: print what would be sent, and send nothing' },
      ],
      examples: [
        'doctor',
        'doctor --send',
        'doctor --url https://culprit.example.com',
        'doctor --dsn $SENTRY_DSN',
      ],
      exits: { 8: 'something is wrong' },
      endpoints: ['getHealth', 'getReady', 'getServer', 'listEventFates'],
      load: () => import('../doctor/doctor.ts').then(({ run }) => run),
    },
  ],
};
