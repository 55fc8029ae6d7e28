import type { WebhookEventName } from '@culprit/contract/alerts/webhook-events';
import type {
  createWebhook,
  updateWebhook,
  Webhook,
  WebhookFilters,
} from '@culprit/contract/alerts/webhooks';
import type { BodyOf } from '@culprit/contract/endpoints/endpoint';

type BundleType = 'failure' | 'improvement';

/** The values of the editor. Names are in one line, comma-separated. */
export interface WebhookValues {
  url: string;
  events: WebhookEventName[];
  environments: string;
  services: string;
  severityMin: '' | 'low' | 'medium' | 'high' | 'critical';
  bundleTypes: BundleType[];
  withVerification: boolean;
  isEnabled: boolean;
}

export const NEW_WEBHOOK: WebhookValues = {
  url: '',
  events: ['bundle.created', 'bundle.reopened', 'incident.spike_detected'],
  environments: '',
  services: '',
  severityMin: '',
  bundleTypes: ['failure', 'improvement'],
  withVerification: true,
  isEnabled: true,
};

export function valuesOf({ url, events, filters, is_enabled: isEnabled }: Webhook): WebhookValues {
  const types = filters.bundle_type ?? [];
  return {
    url,
    events: [...events],
    environments: (filters.environment ?? []).join(', '),
    services: (filters.service ?? []).join(', '),
    severityMin: filters.severity_min ?? '',
    // No filter lets both pass.
    bundleTypes: types.length === 0 ? ['failure', 'improvement'] : [...types],
    withVerification: filters.verification !== false,
    isEnabled,
  };
}

/** Returns the names of a comma-separated line, each once. */
export function namesIn(line: string): string[] {
  return [...new Set(line.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}

/** Only what narrows: an absent key lets everything pass. */
export function filtersOf(values: WebhookValues): WebhookFilters {
  const environment = namesIn(values.environments);
  const service = namesIn(values.services);
  return {
    ...(environment.length === 0 ? {} : { environment }),
    ...(service.length === 0 ? {} : { service }),
    ...(values.severityMin === '' ? {} : { severity_min: values.severityMin }),
    ...(values.bundleTypes.length === 1 ? { bundle_type: [...values.bundleTypes] } : {}),
    ...(values.withVerification ? {} : { verification: false }),
  };
}

export function newWebhookOf(values: WebhookValues, projectId: string): BodyOf<typeof createWebhook> {
  return {
    project_id: projectId,
    url: values.url.trim(),
    events: [...values.events],
    filters: filtersOf(values),
    is_enabled: values.isEnabled,
  };
}

/** The dirty fields: lists are marked item by item. */
type Changed = Readonly<
  Partial<Record<keyof WebhookValues, boolean | readonly (boolean | undefined)[] | undefined>>
>;

/** Returns only the changed fields, so that another person's changes stay. Filters are sent as a whole. */
export function patchOf(values: WebhookValues, changed: Changed): BodyOf<typeof updateWebhook> {
  const isChanged = (name: keyof WebhookValues) => changed[name] !== undefined && changed[name] !== false;
  const isFilter = (
    ['environments', 'services', 'severityMin', 'bundleTypes', 'withVerification'] as const
  ).some(isChanged);
  return {
    ...(isChanged('url') ? { url: values.url.trim() } : {}),
    ...(isChanged('events') ? { events: [...values.events] } : {}),
    ...(isFilter ? { filters: filtersOf(values) } : {}),
    ...(isChanged('isEnabled') ? { is_enabled: values.isEnabled } : {}),
  };
}
