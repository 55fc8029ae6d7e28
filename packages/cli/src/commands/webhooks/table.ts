import { listWebhookDeliveries } from '@culprit/contract/alerts/webhooks';
import type { CommandGroup } from '../../command.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { flagsOf } from '../../records/field-flags.ts';
import { WRITE_ENV } from '../../records/write-env-flag.ts';
import { WEBHOOK_FIELDS } from './flags.ts';

export const WEBHOOKS: CommandGroup = {
  noun: 'webhooks',
  aliases: ['webhook'],
  says: 'manage webhooks and their deliveries',
  heading: 'Set up',
  commands: [
    {
      path: 'webhooks list',
      says: 'list the webhooks of a project',
      flags: LIST_FLAGS,
      examples: ['webhooks list', 'webhooks list --json'],
      endpoints: ['listWebhooks'],
      load: () => import('./webhooks.ts').then(({ list }) => list),
    },
    {
      path: 'webhooks show',
      says: 'show a webhook',
      arguments: '<ID>',
      examples: ['webhooks show whk_01a2…', 'webhooks show whk_01a2… --json'],
      endpoints: ['getWebhook'],
      load: () => import('./webhooks.ts').then(({ show }) => show),
    },
    {
      path: 'webhooks create',
      says: 'create a webhook and print its secret once',
      flags: [...WEBHOOK_FIELDS, WRITE_ENV, DRY_RUN],
      examples: [
        'webhooks create --target https://hooks.example.com/culprit',
        'webhooks create --target https://hooks.example.com/culprit --event bundle.created --write-env .env.local:CULPRIT_WEBHOOK_SECRET',
      ],
      endpoints: ['createWebhook'],
      load: () => import('./webhooks.ts').then(({ create }) => create),
    },
    {
      path: 'webhooks update',
      says: 'change a webhook; events and filters are replaced as a whole',
      arguments: '<ID>',
      flags: [...WEBHOOK_FIELDS, DRY_RUN],
      examples: [
        'webhooks update whk_01a2… --disable',
        'webhooks update whk_01a2… --event bundle.created --event bundle.updated',
      ],
      endpoints: ['updateWebhook'],
      load: () => import('./webhooks.ts').then(({ update }) => update),
    },
    {
      path: 'webhooks delete',
      says: 'delete a webhook with its deliveries',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['webhooks delete whk_01a2…', 'webhooks delete whk_01a2… --yes'],
      endpoints: ['deleteWebhook'],
      load: () => import('./webhooks.ts').then(({ remove }) => remove),
    },
    {
      path: 'webhooks test',
      says: 'send a test delivery',
      arguments: '<ID>',
      flags: [
        { name: 'failed', says: 'send the event of a failed verification' },
        { name: 'wait', says: 'wait until it is delivered or has failed, at most 30 s' },
      ],
      examples: ['webhooks test whk_01a2… --wait', 'webhooks test whk_01a2… --failed'],
      exits: { 8: 'with --wait: not delivered' },
      endpoints: ['testWebhook'],
      load: () => import('./deliveries.ts').then(({ test }) => test),
    },
    {
      path: 'webhooks deliveries',
      says: 'list the deliveries of a webhook, newest first',
      arguments: '<ID>',
      flags: [flagsOf(listWebhookDeliveries)('--status STATUS', 'only these'), ...LIST_FLAGS],
      examples: ['webhooks deliveries whk_01a2…', 'webhooks deliveries whk_01a2… --status failed --all'],
      endpoints: ['listWebhookDeliveries'],
      load: () => import('./deliveries.ts').then(({ list }) => list),
    },
    {
      path: 'webhooks delivery',
      says: 'show one delivery with its body, headers and attempts',
      arguments: '<ID> <DELIVERY>',
      examples: ['webhooks delivery whk_01a2… del_01a2…', 'webhooks delivery whk_01a2… del_01a2… --json'],
      endpoints: ['getWebhookDelivery'],
      load: () => import('./deliveries.ts').then(({ show }) => show),
    },
    {
      path: 'webhooks rotate-secret',
      says: 'give a webhook a new secret and print it once; the old one expires immediately',
      arguments: '<ID>',
      flags: [WRITE_ENV, DRY_RUN],
      examples: [
        'webhooks rotate-secret whk_01a2…',
        'webhooks rotate-secret whk_01a2… --yes --write-env .env.local:HOOK_SECRET',
      ],
      endpoints: ['rotateWebhookSecret'],
      load: () => import('./webhooks.ts').then(({ rotate }) => rotate),
    },
    {
      path: 'webhooks retry',
      says: 'resend deliveries',
      arguments: '<ID> [DELIVERY...]',
      flags: [
        { name: 'failed', says: 'all failed ones' },
        { name: 'since', value: 'TIME', kind: 'time', says: 'with --failed: only those created since then' },
      ],
      examples: ['webhooks retry whk_01a2… del_01a2…', 'webhooks retry whk_01a2… --failed --since 24h'],
      exits: { 7: 'some could not be resent' },
      endpoints: ['retryWebhookDelivery'],
      load: () => import('./deliveries.ts').then(({ retry }) => retry),
    },
    {
      path: 'webhooks verify',
      says: 'check the signature of a delivery, whose body comes from standard input',
      flags: [
        { name: 'signature', value: 'TEXT', says: 'the header X-Service-Signature' },
        { name: 'secret-file', value: 'FILE', says: 'file with the secret; prompts without it' },
      ],
      examples: [
        'webhooks verify --signature "$SIGNATURE" --secret-file secret.txt < body.json',
        'webhooks verify --signature "$SIGNATURE" < body.json',
      ],
      exits: { 8: 'the signature is wrong' },
      load: () => import('./verify.ts').then(({ run }) => run),
    },
    {
      path: 'webhooks listen',
      says: 'receive deliveries here while you develop, and forward them to your application',
      flags: [
        { name: 'forward-to', value: 'URL', says: 'address of your application' },
        {
          name: 'event',
          value: 'EVENT',
          isRepeatable: true,
          says: 'events to receive; default all but verification',
        },
        { name: 'public-url', value: 'URL', says: 'public address that leads here, such as a tunnel' },
        {
          name: 'port',
          value: 'N',
          kind: 'integer',
          min: 0,
          max: 65_535,
          says: 'local port for --public-url',
        },
        { name: 'passthrough', says: "keep the server's signature instead of the local one" },
        { name: 'always-ok', says: 'answer the server with 200, whatever your application returns' },
        { name: 'print-body', says: 'print the body of each delivery' },
        {
          name: 'max',
          value: 'N',
          kind: 'integer',
          min: 1,
          max: 1_000_000,
          says: 'end after this number of deliveries',
        },
      ],
      examples: [
        'webhooks listen --forward-to http://localhost:3000/culprit',
        'webhooks listen --public-url https://me.example.com/hooks --port 8099',
      ],
      exits: { 9: 'the server can neither reach this machine nor provide a feed' },
      endpoints: ['createWebhook', 'deleteWebhook', 'listLifecycle'],
      load: () => import('./listen.ts').then(({ run }) => run),
    },
  ],
};
