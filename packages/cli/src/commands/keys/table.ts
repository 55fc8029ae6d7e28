import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { CLEAR } from '../../records/clear-flag.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { KEY_CHANGES, KEY_FIELDS } from './flags.ts';

export const DSN: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Set up',
  commands: [
    {
      path: 'dsn',
      says: 'print the DSN for a Sentry library',
      flags: [{ name: 'env', value: 'NAME', says: 'print NAME=address, as a line of an environment file' }],
      examples: ['dsn', 'dsn --project shop --env SENTRY_DSN >> .env'],
      endpoints: ['listDsnKeys'],
      load: () => import('./dsn.ts').then(({ run }) => run),
    },
  ],
};

export const KEYS: CommandGroup = {
  noun: 'keys',
  aliases: ['key'],
  says: 'manage DSN keys, with which Sentry libraries send events',
  heading: 'Set up',
  commands: [
    {
      path: 'keys list',
      says: 'list DSN keys with their addresses',
      flags: [{ name: 'revoked', says: 'include revoked ones' }, ...LIST_FLAGS],
      examples: ['keys list', 'keys list --revoked --json'],
      endpoints: ['listDsnKeys'],
      load: () => import('./keys.ts').then(({ list }) => list),
    },
    {
      path: 'keys create',
      says: 'create a DSN key',
      flags: [...KEY_FIELDS, DRY_RUN],
      examples: [
        'keys create --label servers',
        'keys create --label pages --allowed-origin https://shop.example.com --events-per-minute 600',
      ],
      endpoints: ['createDsnKey'],
      load: () => import('./keys.ts').then(({ create }) => create),
    },
    {
      path: 'keys update',
      says: 'change a DSN key, effective with the next request',
      arguments: '<ID>',
      flags: [...KEY_CHANGES, CLEAR, DRY_RUN],
      examples: [
        'keys update tok_01a2… --allowed-origin https://shop.example.com',
        'keys update tok_01a2… --clear events-per-minute --any-origin',
      ],
      endpoints: ['updateDsnKey'],
      load: () => import('./keys.ts').then(({ update }) => update),
    },
    {
      path: 'keys revoke',
      says: 'revoke a DSN key',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['keys revoke tok_01a2…', 'keys revoke tok_01a2… --yes'],
      endpoints: ['revokeDsnKey'],
      load: () => import('./keys.ts').then(({ revoke }) => revoke),
    },
  ],
};
