import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { WRITE_ENV } from '../../records/write-env-flag.ts';
import { ACCESS_FIELDS, OVERLAP_FIELDS, TOKEN_FIELDS } from './flags.ts';

const MEMBER = { name: 'member', says: 'your own member tokens instead of those of the project' };

export const TOKENS: CommandGroup = {
  noun: 'tokens',
  aliases: ['token'],
  says: 'manage the tokens of a project, or your own',
  heading: 'Set up',
  commands: [
    {
      path: 'tokens list',
      says: 'list tokens, without their secrets',
      flags: [MEMBER, { name: 'revoked', says: 'include revoked ones' }, ...LIST_FLAGS],
      examples: ['tokens list', 'tokens list --member --revoked'],
      endpoints: ['listProjectTokens', 'listMemberTokens'],
      load: () => import('./tokens.ts').then(({ list }) => list),
    },
    {
      path: 'tokens create',
      says: 'create a token and print it once',
      flags: [MEMBER, ...TOKEN_FIELDS, ...ACCESS_FIELDS, WRITE_ENV, DRY_RUN],
      examples: [
        'tokens create --label "shop server" --write-env .env.local',
        'tokens create --label "shop page" --allowed-origin https://shop.example.com',
      ],
      endpoints: ['createProjectToken', 'createMemberToken'],
      load: () => import('./tokens.ts').then(({ create }) => create),
    },
    {
      path: 'tokens rotate',
      says: 'replace a token with a new one and print it once',
      arguments: '<ID>',
      flags: [MEMBER, ...OVERLAP_FIELDS, WRITE_ENV, DRY_RUN],
      examples: ['tokens rotate tok_01a2…', 'tokens rotate tok_01a2… --member --overlap-hours 0'],
      endpoints: ['rotateProjectToken', 'rotateMemberToken'],
      load: () => import('./tokens.ts').then(({ rotate }) => rotate),
    },
    {
      path: 'tokens revoke',
      says: 'revoke a token',
      arguments: '<ID>',
      flags: [MEMBER, DRY_RUN],
      examples: ['tokens revoke tok_01a2…', 'tokens revoke tok_01a2… --member --yes'],
      endpoints: ['revokeProjectToken', 'revokeMemberToken'],
      load: () => import('./tokens.ts').then(({ revoke }) => revoke),
    },
  ],
};
