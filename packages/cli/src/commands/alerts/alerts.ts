import { listAlertDeliveries, testAlert } from '@culprit/contract/alerts/alert-deliveries';
import {
  createAlert,
  deleteAlert,
  listAlerts,
  previewAlert,
  updateAlert,
} from '@culprit/contract/alerts/alerts';
import type { JsonObject } from '../../config/json-file.ts';
import { valueAt } from '../../config/json-file.ts';
import { ageText } from '../../duration.ts';
import type { Input } from '../../input.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { ALERT_FIELDS, PREVIEW_FIELDS } from './flags.ts';

const PREVIEW_DAYS = 7;

export const list = listCommand({
  endpoint: listAlerts,
  project: 'query.project_id',
  key: 'alerts',
  id: 'alert_id',
  columns: [
    ['NAME', 'name', 'wide'],
    ['WHEN', 'condition_type'],
    ['CHANNEL', 'channel'],
    [
      'TO',
      (alert) =>
        valueAt(alert, 'config.to') ??
        valueAt(alert, 'config.target_url') ??
        valueAt(alert, 'config.webhook_url') ??
        valueAt(alert, 'config.slack_destination_id') ??
        valueAt(alert, 'config.tracker_id'),
      'wide',
    ],
    ['SERVICES', ({ services, service_id }) => services ?? service_id, 'wide'],
    ['ENVIRONMENTS', 'environments', 'wide'],
    ['SEVERITY', 'severity_min'],
    ['ON', ({ is_enabled }) => (is_enabled === true ? 'yes' : 'no')],
    ['ID', 'alert_id'],
  ],
  empty: 'No alerts.',
});

export const create = recordCommand({
  endpoint: createAlert,
  project: 'body.project_id',
  key: 'alert',
  id: 'alert_id',
  flags: ALERT_FIELDS,
  body: (_, input) => {
    for (const name of ['channel', 'condition-type']) input.required(name);
    return serviceOf(input, false);
  },
});

export const update = recordCommand({
  endpoint: updateAlert,
  project: 'none',
  argument: 'id',
  key: 'alert',
  id: 'alert_id',
  flags: ALERT_FIELDS,
  body: (_, input) => serviceOf(input, true),
  needsChange: true,
});

export const preview = recordCommand({
  endpoint: previewAlert,
  project: 'body.project_id',
  flags: [...ALERT_FIELDS, ...PREVIEW_FIELDS],
  body: (_, input) => {
    for (const name of ['channel', 'condition-type']) input.required(name);
    return { ...(input.has('days') ? {} : { days: PREVIEW_DAYS }), ...serviceOf(input, false) };
  },
});

export const test = recordCommand({
  endpoint: testAlert,
  project: 'none',
  argument: 'id',
  key: 'delivery',
  id: 'alert_delivery_id',
});

export const deliveries = listCommand({
  endpoint: listAlertDeliveries,
  project: 'none',
  argument: 'id',
  key: 'deliveries',
  id: 'alert_delivery_id',
  columns: [
    ['STATUS', 'status'],
    ['CHANNEL', 'channel'],
    ['ATTEMPTS', 'attempt_count'],
    ['ANSWER', ({ last_response_code, last_error }) => last_response_code ?? last_error, 'wide'],
    ['AGE', ({ created_at }) => ageText(String(created_at), Date.now())],
    ['INCIDENT', 'incident_id'],
  ],
  empty: 'Nothing was sent in the last 30 days.',
});

export const remove = recordCommand({
  endpoint: deleteAlert,
  project: 'none',
  argument: 'id',
  question: (_, input) => `Delete the alert ${input.first}? It will no longer be sent.`,
  done: () => 'The alert is deleted.',
});

const SERVICE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Services are named, or one of them by its id. A change replaces the other form. */
function serviceOf(input: Input, isChange: boolean): JsonObject {
  if (isChange && input.list('clear').includes('service')) return { services: null, service_id: null };
  const names = input.list('service');
  const [first] = names;
  if (first === undefined) return {};
  if (names.length > 1 || !SERVICE_ID.test(first)) return isChange ? { service_id: null } : {};
  return { services: null, service_id: first };
}
