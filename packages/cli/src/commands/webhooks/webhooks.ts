import { WEBHOOK_EVENTS } from '@culprit/contract/alerts/webhook-events';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from '@culprit/contract/alerts/webhooks';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { WEBHOOK_FIELDS } from './flags.ts';

export const list = listCommand({
  endpoint: listWebhooks,
  project: 'optional query',
  key: 'webhooks',
  id: 'webhook_id',
  columns: [
    ['URL', 'url', 'wide'],
    ['EVENTS', ({ events }) => (Array.isArray(events) ? events.length : null)],
    ['ON', ({ is_enabled }) => (is_enabled === true ? 'yes' : 'no')],
    ['ID', 'webhook_id'],
  ],
  empty: 'No webhooks.',
});

export const show = recordCommand({
  endpoint: getWebhook,
  project: 'none',
  argument: 'id',
  key: 'webhook',
  id: 'webhook_id',
});

/** The events of a webhook when none is named. */
export const STANDARD_EVENTS = WEBHOOK_EVENTS.filter((event) => !event.startsWith('verification.'));

export const create = recordCommand({
  endpoint: createWebhook,
  project: 'body.project_id',
  key: 'webhook',
  id: 'webhook_id',
  flags: WEBHOOK_FIELDS,
  body: (_, input) => {
    input.required('target');
    return input.has('event') ? {} : { events: STANDARD_EVENTS };
  },
  secret: { field: 'signing_secret', says: 'The secret that signs deliveries', facts: ['webhook_id', 'url'] },
});

export const update = recordCommand({
  endpoint: updateWebhook,
  project: 'none',
  argument: 'id',
  key: 'webhook',
  id: 'webhook_id',
  flags: WEBHOOK_FIELDS,
  needsChange: true,
});

export const rotate = recordCommand({
  endpoint: rotateWebhookSecret,
  project: 'none',
  argument: 'id',
  question: (_, input) =>
    `Give ${input.first} a new secret? Receivers that verify with the old one reject later deliveries.`,
  secret: { field: 'signing_secret', says: 'The new secret that signs deliveries' },
});

export const remove = recordCommand({
  endpoint: deleteWebhook,
  project: 'none',
  argument: 'id',
  question: (_, input) =>
    `Delete the webhook ${input.first} with its deliveries? Nothing will be sent to its address.`,
  done: () => 'The webhook is deleted.',
});
