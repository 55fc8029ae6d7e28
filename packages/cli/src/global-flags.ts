import type { Flag } from './flag.ts';

/** Flags of every command (docs/contract/command-line.md 2.3). None takes a secret. */
export const GLOBAL_FLAGS: readonly Flag[] = [
  { name: 'url', value: 'URL', says: 'address of the server, without /v1' },
  { name: 'profile', value: 'NAME', says: 'stored profile' },
  { name: 'project', short: 'p', value: 'REF', says: 'project: id, slug or name' },
  { name: 'json', says: 'print the response as JSON' },
  { name: 'fields', value: 'LIST', says: 'with --json: only these keys, separated by commas' },
  { name: 'quiet', short: 'q', says: 'only ids on standard output, only errors on standard error' },
  { name: 'no-color', says: 'no colours' },
  { name: 'color', says: 'colours even without a terminal' },
  { name: 'local-time', says: 'times in the local time zone instead of UTC' },
  { name: 'no-input', says: 'never ask' },
  { name: 'yes', short: 'y', says: 'answer yes to confirmations' },
  {
    name: 'timeout',
    value: 'SECONDS',
    kind: 'integer',
    min: 1,
    max: 600,
    standard: '30',
    says: 'limit for the whole call',
  },
  {
    name: 'verbose',
    short: 'v',
    says: 'log every call to standard error, without headers, bodies and values',
  },
];
