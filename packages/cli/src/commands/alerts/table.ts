import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { CLEAR } from '../../records/clear-flag.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { ALERT_FIELDS, PREVIEW_FIELDS } from './flags.ts';

export const ALERTS: CommandGroup = {
  noun: 'alerts',
  aliases: ['alert'],
  says: 'list and change what is sent when something happens',
  heading: 'Set up',
  commands: [
    {
      path: 'alerts list',
      says: 'list the alerts of a project',
      flags: LIST_FLAGS,
      examples: ['alerts list', 'alerts list --json'],
      endpoints: ['listAlerts'],
      load: () => import('./alerts.ts').then(({ list }) => list),
    },
    {
      path: 'alerts create',
      says: 'create an alert',
      flags: [...ALERT_FIELDS, DRY_RUN],
      examples: [
        'alerts create --channel email --to team@example.com --condition-type new_incident',
        "alerts create --channel email --to team@example.com --condition-type new_incident --environment 'prod*' --service checkout",
        'alerts create --channel email --to team@example.com --condition-type occurrence_threshold --threshold-count 100 --window-minutes 5',
        "alerts create --channel email --to team@example.com --condition-type new_incident --query 'tag.plan:enterprise -type:Timeout*'",
        'alerts create --channel webhook --target-url https://hooks.example.com/x --condition-type severity_threshold --severity-min high',
      ],
      endpoints: ['createAlert'],
      load: () => import('./alerts.ts').then(({ create }) => create),
    },
    {
      path: 'alerts update',
      says: 'change an alert',
      arguments: '<ID>',
      flags: [...ALERT_FIELDS, CLEAR, DRY_RUN],
      examples: ['alerts update alt_01a2… --cooldown 15m', 'alerts update alt_01a2… --clear environment'],
      endpoints: ['updateAlert'],
      load: () => import('./alerts.ts').then(({ update }) => update),
    },
    {
      path: 'alerts templates',
      says: 'list the bodies from which a template alert can start, or print one',
      arguments: '[NAME]',
      examples: [
        'alerts templates',
        'alerts templates opsgenie',
        'alerts create --channel template --target-url https://chat.example.com/x --body "$(culprit alerts templates google-chat)" --condition-type new_incident',
      ],
      load: () => import('./templates.ts').then(({ templates }) => templates),
    },
    {
      path: 'alerts preview',
      says: 'show what an alert would have sent in recent days; nothing is created or sent',
      flags: [...ALERT_FIELDS, ...PREVIEW_FIELDS, DRY_RUN],
      examples: [
        'alerts preview --channel email --to team@example.com --condition-type new_incident',
        'alerts preview --channel email --to team@example.com --condition-type error_spike --days 14 --json',
      ],
      endpoints: ['previewAlert'],
      load: () => import('./alerts.ts').then(({ preview }) => preview),
    },
    {
      path: 'alerts test',
      says: 'send a test message over the channel of an alert',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['alerts test alt_01a2…', 'alerts test alt_01a2… --json'],
      endpoints: ['testAlert'],
      load: () => import('./alerts.ts').then(({ test }) => test),
    },
    {
      path: 'alerts deliveries',
      says: 'list what an alert sent in the last 30 days, newest first',
      arguments: '<ID>',
      flags: LIST_FLAGS,
      examples: ['alerts deliveries alt_01a2…', 'alerts deliveries alt_01a2… --json'],
      endpoints: ['listAlertDeliveries'],
      load: () => import('./alerts.ts').then(({ deliveries }) => deliveries),
    },
    {
      path: 'alerts verdicts',
      says: 'show why alerts did or did not send something about an incident, or one alert about all incidents',
      arguments: '<REF|ID>',
      flags: LIST_FLAGS,
      examples: ['alerts verdicts @1', 'alerts verdicts CHECKOUT-42 --json', 'alerts verdicts alt_01a2…'],
      endpoints: ['listAlertVerdicts', 'listRuleVerdicts'],
      load: () => import('./verdicts.ts').then(({ verdicts }) => verdicts),
    },
    {
      path: 'alerts delete',
      says: 'delete an alert',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['alerts delete alt_01a2…', 'alerts delete alt_01a2… --yes'],
      endpoints: ['deleteAlert'],
      load: () => import('./alerts.ts').then(({ remove }) => remove),
    },
  ],
};
