import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { HEARTBEAT_FIELDS, PAUSE_FLAGS, SCHEDULE_FLAGS } from './flags.ts';

export const HEARTBEATS: CommandGroup = {
  noun: 'heartbeats',
  aliases: ['heartbeat'],
  says: 'watch scheduled jobs, and open an incident when one fails or does not run',
  heading: 'Set up',
  commands: [
    {
      path: 'heartbeats list',
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
        { name: 'slug', value: 'SLUG', says: 'slug that check-ins use' },
        ...SCHEDULE_FLAGS,
        { name: 'environment', value: 'NAME', says: 'environment of the job' },
        ...HEARTBEAT_FIELDS,
        DRY_RUN,
      ],
      examples: [
        'heartbeats create --slug nightly --cron "0 3 * * *"',
        'heartbeats create --slug nightly --cron "0 3 * * *" --timezone Europe/Berlin --margin 10',
        'heartbeats create --slug mail --every "15 minutes"',
      ],
      endpoints: ['createHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ create }) => create),
    },
    {
      path: 'heartbeats update',
      says: 'change a heartbeat',
      arguments: '<ID>',
      flags: [...SCHEDULE_FLAGS, ...PAUSE_FLAGS, ...HEARTBEAT_FIELDS, DRY_RUN],
      examples: [
        'heartbeats update 01a2… --margin 30',
        'heartbeats update 01a2… --cron @hourly',
        'heartbeats update 01a2… --disable',
      ],
      endpoints: ['updateHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ update }) => update),
    },
    {
      path: 'heartbeats delete',
      says: 'delete a heartbeat with its runs',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['heartbeats delete 01a2…', 'heartbeats delete 01a2… --yes'],
      endpoints: ['deleteHeartbeat'],
      load: () => import('./heartbeats.ts').then(({ remove }) => remove),
    },
    {
      path: 'heartbeats rotate-key',
      says: 'give a heartbeat a new address; the old one stops working',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['heartbeats rotate-key 01a2…', 'heartbeats rotate-key 01a2… --yes --json'],
      endpoints: ['rotateHeartbeatKey'],
      load: () => import('./heartbeats.ts').then(({ rotate }) => rotate),
    },
    {
      path: 'heartbeats run',
      says: 'run a command and report its start, end, exit code and output',
      arguments: '<COMMAND...>',
      flags: [
        {
          name: 'address',
          value: 'URL',
          says: 'address of the heartbeat; default CULPRIT_HEARTBEAT_URL',
        },
      ],
      examples: [
        'heartbeats run --address https://culprit.example.com/v1/heartbeats/hb_… -- ./backup.sh --all',
        'heartbeats run -- node report.js',
      ],
      exits: {
        0: 'the command succeeded; otherwise its own code, 128 and more after a signal, 127 if it is not found',
      },
      load: () => import('./run.ts').then(({ run }) => run),
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
    {
      path: 'heartbeats days',
      says: "list the outcomes of a job's runs by day, latest first, for 90 days",
      arguments: '<ID>',
      flags: LIST_FLAGS,
      examples: ['heartbeats days 01a2…', 'heartbeats days 01a2… --limit 90 --json'],
      endpoints: ['listHeartbeatDays'],
      load: () => import('./heartbeats.ts').then(({ days }) => days),
    },
  ],
};
