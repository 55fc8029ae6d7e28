import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { CHECK_FIELDS, TARGET_FIELDS } from './flags.ts';

export const CHECKS: CommandGroup = {
  noun: 'checks',
  aliases: ['check'],
  says: 'request URLs at an interval, and open an incident when they fail',
  heading: 'Set up',
  commands: [
    {
      path: 'checks list',
      says: 'list the checks of a project',
      flags: LIST_FLAGS,
      examples: ['checks list', 'checks list --json'],
      endpoints: ['listAvailabilityChecks'],
      load: () => import('./checks.ts').then(({ list }) => list),
    },
    {
      path: 'checks show',
      says: 'show a check',
      arguments: '<ID>',
      examples: ['checks show 01a2…', 'checks show 01a2… --json'],
      endpoints: ['getAvailabilityCheck'],
      load: () => import('./checks.ts').then(({ show }) => show),
    },
    {
      path: 'checks create',
      says: 'create a check',
      flags: [...CHECK_FIELDS, DRY_RUN],
      examples: [
        'checks create --name shop --target https://shop.example.com/health',
        'checks create --name shop --target https://shop.example.com --interval 5m',
      ],
      endpoints: ['createAvailabilityCheck'],
      load: () => import('./checks.ts').then(({ create }) => create),
    },
    {
      path: 'checks update',
      says: 'change a check',
      arguments: '<ID>',
      flags: [...CHECK_FIELDS, DRY_RUN],
      examples: ['checks update 01a2… --disable', 'checks update 01a2… --interval 10m'],
      endpoints: ['updateAvailabilityCheck'],
      load: () => import('./checks.ts').then(({ update }) => update),
    },
    {
      path: 'checks delete',
      says: 'delete a check with its results',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['checks delete 01a2…', 'checks delete 01a2… --yes'],
      endpoints: ['deleteAvailabilityCheck'],
      load: () => import('./checks.ts').then(({ remove }) => remove),
    },
    {
      path: 'checks test',
      says: 'request a URL once, from the server',
      arguments: '<URL>',
      flags: TARGET_FIELDS,
      examples: [
        'checks test https://shop.example.com/health',
        'checks test https://shop.example.com --method HEAD',
      ],
      exits: { 8: 'the URL does not respond as expected' },
      endpoints: ['testAvailabilityTarget'],
      load: () => import('./checks.ts').then(({ test }) => test),
    },
    {
      path: 'checks results',
      says: 'list the results of a check, newest first',
      arguments: '<ID>',
      flags: LIST_FLAGS,
      examples: ['checks results 01a2…', 'checks results 01a2… --limit 100 --json'],
      endpoints: ['listAvailabilityResults'],
      load: () => import('./checks.ts').then(({ results }) => results),
    },
    {
      path: 'checks days',
      says: 'show the days of one check or all as a strip, oldest first',
      arguments: '[ID]',
      flags: LIST_FLAGS,
      examples: ['checks days 01a2…', 'checks days 01a2… --limit 90'],
      endpoints: ['listDailyRollups', 'listCheckDays'],
      load: () => import('./checks.ts').then(({ days }) => days),
    },
    {
      path: 'checks latency',
      says: 'show response times of a check',
      arguments: '<ID>',
      flags: [
        { name: 'from', value: 'TIME', kind: 'time', says: 'start time' },
        { name: 'to', value: 'TIME', kind: 'time', says: 'end time' },
      ],
      examples: ['checks latency 01a2…', 'checks latency 01a2… --from 7d --json'],
      endpoints: ['getCheckLatency'],
      load: () => import('./checks.ts').then(({ latency }) => latency),
    },
  ],
};
