import type { CommandGroup } from '../../command.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';

export const SIGN_IN: CommandGroup = {
  noun: null,
  says: '',
  heading: 'Start',
  commands: [
    {
      path: 'login',
      says: 'sign in to a server and remember it',
      flags: [
        {
          name: 'with-token',
          says: 'a member token, or the output of admin bootstrap --json, from standard input',
        },
        { name: 'browser', says: 'with a code to compare in the browser' },
        { name: 'email', value: 'ADDRESS', says: 'by a mailed code' },
        { name: 'code-file', value: 'FILE', says: 'read the mailed code from a file, - for standard input' },
        { name: 'github', says: 'with the token of gh if it has one, otherwise with a device code' },
        { name: 'github-device', says: 'with a code to enter at GitHub' },
        { name: 'github-cli', says: 'by the token of gh' },
        { name: 'github-token', says: 'with a GitHub token from standard input' },
        { name: 'github-host', value: 'HOST', says: 'host name for gh' },
        { name: 'no-browser', says: 'print the address instead of opening it' },
        { name: 'accept-terms', says: 'accept the terms of the server' },
        { name: 'label', value: 'TEXT', says: 'name of the new token' },
        {
          name: 'store',
          value: 'STORE',
          choices: ['file', 'keyring'],
          standard: 'file',
          says: 'where to store the token',
        },
        { name: 'insecure-http', says: 'allow a server on the network without encryption' },
      ],
      examples: [
        'login --url https://culprit.example.com',
        'login --browser',
        'login --with-token < token.txt',
        'login --email you@example.com --accept-terms',
      ],
      exits: {
        4: 'the token or code was refused, or the sign-in expired',
        5: 'this account cannot sign in',
      },
      endpoints: [
        'getServer',
        'requestSignInCode',
        'verifySignInCode',
        'logOut',
        'startDeviceRequest',
        'pollDeviceRequest',
        'claimDeviceRequest',
        'exchangeGithubToken',
        'startCliSignIn',
        'pollCliSignIn',
        'claimCliSignIn',
      ],
      load: () => import('./login.ts').then(({ run }) => run),
    },
    {
      path: 'logout',
      says: 'remove the stored token of a server, and revoke it if this program created it',
      flags: [
        { name: 'all', says: 'every profile' },
        { name: 'keep-token', says: 'remove it without revoking it' },
        DRY_RUN,
      ],
      examples: ['logout', 'logout --all --yes'],
      exits: { 7: 'deleted here, but not revoked' },
      load: () => import('./logout.ts').then(({ run }) => run),
    },
    {
      path: 'whoami',
      says: 'show the server, the person and the token in use',
      examples: ['whoami', 'whoami --json'],
      load: () => import('./whoami.ts').then(({ run }) => run),
    },
  ],
};

export const PROFILES: CommandGroup = {
  noun: 'profiles',
  aliases: ['profile'],
  says: 'manage stored servers',
  heading: 'Start',
  commands: [
    {
      path: 'profiles list',
      says: 'list the stored servers',
      examples: ['profiles list', 'profiles list --json'],
      load: () => import('../profiles/profiles.ts').then(({ list }) => list),
    },
    {
      path: 'profiles use',
      says: 'make a profile the default',
      arguments: '<NAME>',
      examples: ['profiles use work', 'profiles use localhost'],
      load: () => import('../profiles/profiles.ts').then(({ use }) => use),
    },
    {
      path: 'profiles rename',
      says: 'rename a profile',
      arguments: '<OLD> <NEW>',
      examples: ['profiles rename localhost home', 'profiles rename culprit.example.com work'],
      load: () => import('../profiles/profiles.ts').then(({ rename }) => rename),
    },
    {
      path: 'profiles delete',
      says: 'sign out of a profile and delete it',
      arguments: '<NAME>',
      flags: [{ name: 'keep-token', says: 'delete the token without revoking it' }, DRY_RUN],
      examples: ['profiles delete work', 'profiles delete work --keep-token'],
      exits: { 7: 'deleted here, but the token was not revoked' },
      load: () => import('../profiles/profiles.ts').then(({ remove }) => remove),
    },
  ],
};
