import {
  createAlert,
  deleteAlert,
  listAlertDeliveries,
  listAlerts,
  previewAlert,
  testAlert,
  updateAlert,
} from '@culprit/contract/alerts';
import { listServices } from '@culprit/contract/services';
import { notFoundError, usageError } from '../../cli-error.ts';
import type { JsonObject } from '../../config/json-file.ts';
import { valueAt } from '../../config/json-file.ts';
import type { Context } from '../../context.ts';
import { ageText } from '../../duration.ts';
import type { Input } from '../../input.ts';
import { listCommand, recordCommand } from '../../records/record-commands.ts';
import { projectId } from '../../references/project-reference.ts';
import { ALERT_FIELDS, PREVIEW_FIELDS } from './flags.ts';

const PREVIEW_DAYS = 7;

export const list = listCommand({
  endpoint: listAlerts,
  project: 'query.project_id',
  key: 'alerts',
  id: 'alert_id',
  columns: [
    ['WHEN', 'condition_type'],
    ['CHANNEL', 'channel'],
    [
      'TO',
      (alert) =>
        valueAt(alert, 'config.to') ??
        valueAt(alert, 'config.target_url') ??
        valueAt(alert, 'config.webhook_url') ??
        valueAt(alert, 'config.slack_destination_id'),
      'wide',
    ],
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
  body: async (context, input) => {
    for (const name of ['channel', 'condition-type']) input.required(name);
    return await serviceOf(context, input);
  },
});

export const update = recordCommand({
  endpoint: updateAlert,
  project: 'none',
  argument: 'id',
  key: 'alert',
  id: 'alert_id',
  flags: [...ALERT_FIELDS, { name: 'service', value: 'NAME', field: 'service_id', says: '' }],
  body: serviceOf,
  needsChange: true,
});

export const preview = recordCommand({
  endpoint: previewAlert,
  project: 'body.project_id',
  flags: [...ALERT_FIELDS, ...PREVIEW_FIELDS],
  body: async (context, input) => {
    for (const name of ['channel', 'condition-type']) input.required(name);
    return {
      ...(input.has('days') ? {} : { days: PREVIEW_DAYS }),
      ...(await serviceOf(context, input)),
    };
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
  question: (_, input) => `Delete the alert ${input.first}? It is not sent any more.`,
  done: () => 'The alert is deleted.',
});

/** A service is named here, and meant by its id there. */
async function serviceOf(context: Context, input: Input): Promise<JsonObject> {
  const name = input.text('service');
  if (name === null) return {};
  const api = await context.api();
  const { services } = await api.call(listServices, {
    query: { project_id: await projectId(context), limit: 100 },
  });
  const fitting = services.filter((service) => service.name === name || service.service_id === name);
  const [first] = fitting;
  if (first === undefined) throw notFoundError(`There is no service "${name}".`, 'culprit services list');
  if (fitting.length > 1) {
    throw usageError(
      `"${name}" is there in several environments.`,
      `use an id: ${fitting.map(({ service_id, environment }) => `${service_id} (${environment})`).join(', ')}`,
    );
  }
  return { service_id: first.service_id };
}
