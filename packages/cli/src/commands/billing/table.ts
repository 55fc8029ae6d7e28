import { startTrial } from '@culprit/contract/workspace/billing';
import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { flagsOf } from '../../records/field-flags.ts';
import { REPORT_FIELDS } from './flags.ts';

export const REPORTS: CommandGroup = {
  noun: 'reports',
  aliases: ['report'],
  says: 'manage weekly reports',
  heading: 'Set up',
  commands: [
    {
      path: 'reports list',
      says: 'list weekly reports',
      flags: LIST_FLAGS,
      examples: ['reports list', 'reports list --json'],
      endpoints: ['listWeeklyReportChannels'],
      load: () => import('../reports/reports.ts').then(({ list }) => list),
    },
    {
      path: 'reports create',
      says: 'create a weekly report',
      flags: [...REPORT_FIELDS, DRY_RUN],
      examples: [
        'reports create --channel email --to team@example.com',
        'reports create --channel email --to team@example.com --day-of-week friday --hour-of-day 16 --timezone Europe/Berlin',
      ],
      endpoints: ['createWeeklyReportChannel'],
      load: () => import('../reports/reports.ts').then(({ create }) => create),
    },
    {
      path: 'reports update',
      says: 'change the target or time of a weekly report',
      arguments: '<ID>',
      flags: [...REPORT_FIELDS.slice(1), DRY_RUN],
      examples: [
        'reports update 01a2… --disable',
        'reports update 01a2… --day-of-week monday --hour-of-day 8 --timezone UTC',
      ],
      endpoints: ['updateWeeklyReportChannel'],
      load: () => import('../reports/reports.ts').then(({ update }) => update),
    },
    {
      path: 'reports send',
      says: 'send the report of the last seven days now',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['reports send 01a2…', 'reports send 01a2… --json'],
      endpoints: ['sendWeeklyReport'],
      load: () => import('../reports/reports.ts').then(({ send }) => send),
    },
    {
      path: 'reports delete',
      says: 'delete a weekly report',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['reports delete 01a2…', 'reports delete 01a2… --yes'],
      endpoints: ['deleteWeeklyReportChannel'],
      load: () => import('../reports/reports.ts').then(({ remove }) => remove),
    },
  ],
};

export const SLACK: CommandGroup = {
  noun: 'slack',
  says: 'manage the Slack channels that alerts and reports can use',
  heading: 'Set up',
  commands: [
    {
      path: 'slack connect',
      says: 'connect a Slack channel, in a browser that is signed in to the dashboard',
      flags: [{ name: 'print', says: 'print the address instead of opening it' }],
      examples: ['slack connect', 'slack connect --print'],
      endpoints: ['getSlackInstallUrl'],
      load: () => import('../slack/slack.ts').then(({ connect }) => connect),
    },
    {
      path: 'slack list',
      says: 'list the connected channels',
      flags: LIST_FLAGS,
      examples: ['slack list', 'slack list --json'],
      endpoints: ['listSlackDestinations'],
      load: () => import('../slack/slack.ts').then(({ list }) => list),
    },
    {
      path: 'slack test',
      says: 'send a message to a connected channel',
      arguments: '<ID>',
      examples: ['slack test 01a2…', 'slack test 01a2… --json'],
      endpoints: ['testSlackDestination'],
      load: () => import('../slack/slack.ts').then(({ test }) => test),
    },
    {
      path: 'slack delete',
      says: 'disconnect a channel',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['slack delete 01a2…', 'slack delete 01a2… --yes'],
      endpoints: ['deleteSlackDestination'],
      load: () => import('../slack/slack.ts').then(({ remove }) => remove),
    },
  ],
};

export const BILLING: CommandGroup = {
  noun: 'billing',
  says: 'show and change the plan and capacity of your organization',
  heading: 'Set up',
  commands: [
    {
      path: 'billing show',
      says: "show the plan and this month's usage",
      examples: ['billing show', 'billing show --json'],
      endpoints: ['getBilling'],
      load: () => import('./billing.ts').then(({ show }) => show),
    },
    {
      path: 'billing trial',
      says: 'start the trial of a paid plan',
      flags: [flagsOf(startTrial)('--plan PLAN', 'plan to try', 'target_plan'), DRY_RUN],
      examples: ['billing trial', 'billing trial --plan team --yes'],
      endpoints: ['startTrial'],
      load: () => import('./billing.ts').then(({ trial }) => trial),
    },
    {
      path: 'billing capacity increase',
      says: 'increase the additional units to this number',
      arguments: '<N>',
      flags: [DRY_RUN],
      examples: ['billing capacity increase 2', 'billing capacity increase 2 --yes'],
      endpoints: ['increaseCapacity'],
      load: () => import('./billing.ts').then(({ increase }) => increase),
    },
    {
      path: 'billing capacity reduce',
      says: 'reduce the additional units to this number from next month',
      arguments: '<N>',
      flags: [DRY_RUN],
      examples: ['billing capacity reduce 1', 'billing capacity reduce 0 --yes'],
      endpoints: ['scheduleReduction'],
      load: () => import('./billing.ts').then(({ reduce }) => reduce),
    },
    {
      path: 'billing capacity keep',
      says: 'cancel a scheduled reduction',
      flags: [DRY_RUN],
      examples: ['billing capacity keep', 'billing capacity keep --json'],
      endpoints: ['cancelReduction'],
      load: () => import('./billing.ts').then(({ keep }) => keep),
    },
  ],
};
