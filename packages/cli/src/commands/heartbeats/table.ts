import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { HEARTBEAT_FIELDS } from './flags.ts';

const CRON = { name: 'cron', value: 'CRONTAB', says: 'when the job runs: five fields, or @daily' } as const;

export const HEARTBEATS: CommandGroup = {
  noun: 'heartbeats',
  aliases: ['heartbeat'],
  says: 'wait for scheduled jobs, and open an incident when one fails or does not run',
  heading: 'Set up',
  commands: [
    {
      path: 'heartbeats list',
      aliases: ['ls'],
      says: 'list the heartbeats of a project',
      flags: LIST_FLAGS,
      examples: ['heartbeats list', 'heartbeats list --json'],
      endpoints: ['listHeartbeats'],
      load: () => import('./heartbeats.ts').then(({ list }) => list),
    },
    {
      path: 'heartbeats show',
      says: 'show a heartbeat and the address that its job requests',
      arguments: '<ID>',
      examples: ['heartbeats show 01a2…', 'heartbeats show 01a2… --json'],
      endpoints: ['getHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ show }) => show),
    },
    {
      path: 'heartbeats create',
      says: 'create a heartbeat',
      flags: [
        { name: 'slug', value: 'SLUG', says: 'by which check-ins name it' },
        CRON,
        { name: 'environment', value: 'NAME', says: 'where the job runs' },
        ...HEARTBEAT_FIELDS,
        DRY_RUN,
      ],
      examples: [
        'heartbeats create --slug nightly --cron "0 3 * * *"',
        'heartbeats create --slug nightly --cron "0 3 * * *" --timezone Europe/Berlin --margin 10',
      ],
      endpoints: ['createHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ create }) => create),
    },
    {
      path: 'heartbeats update',
      says: 'change a heartbeat',
      arguments: '<ID>',
      flags: [CRON, ...HEARTBEAT_FIELDS, DRY_RUN],
      examples: ['heartbeats update 01a2… --margin 30', 'heartbeats update 01a2… --cron @hourly'],
      endpoints: ['updateHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ update }) => update),
    },
    {
      path: 'heartbeats delete',
      aliases: ['rm'],
      says: 'delete a heartbeat with its runs',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['heartbeats delete 01a2…', 'heartbeats delete 01a2… --yes'],
      endpoints: ['deleteHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ remove }) => remove),
    },
    {
      path: 'heartbeats runs',
      says: 'list the runs of a job, newest first',
      arguments: '<ID>',
      flags: LIST_FLAGS,
      examples: ['heartbeats runs 01a2…', 'heartbeats runs 01a2… --limit 100 --json'],
      endpoints: ['listHeartbeatRuns'],
      load: () => import('./heartbeats.ts').then(({ runs }) => runs),
    },
  ],
};
