import type { CommandGroup } from '../../command.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

const BY_MAIL = [
  { name: 'email', value: 'ADDRESS', says: 'your address' },
  { name: 'code-file', value: 'FILE', says: 'read the mailed code from a file, - for standard input' },
  { name: 'accept-terms', says: 'accept the terms of the server' },
] as const;

export const SESSIONS: CommandGroup = {
  noun: 'sessions',
  aliases: ['session'],
  says: 'list and end browser sessions; a mailed code proves that they are yours',
  heading: 'Set up',
  commands: [
    {
      path: 'sessions list',
      says: 'list where you are signed in with a browser',
      flags: BY_MAIL,
      examples: ['sessions list --email you@example.com', 'sessions list --email you@example.com --json'],
      endpoints: ['listSessions'],
      load: () => import('./sessions.ts').then(({ list }) => list),
    },
    {
      path: 'sessions end',
      says: 'end one session, or all of them',
      arguments: '[ID]',
      flags: [{ name: 'all', says: 'every session' }, ...BY_MAIL, DRY_RUN],
      examples: [
        'sessions end 01a2… --email you@example.com',
        'sessions end --all --email you@example.com --yes',
      ],
      endpoints: ['endOwnSession'],
      load: () => import('./sessions.ts').then(({ end }) => end),
    },
  ],
};
