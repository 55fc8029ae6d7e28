import type { FieldFlag } from '../../records/fields.ts';

const KINDS = [
  'warning_hotspot',
  'slow_request',
  'request_failure_pattern',
  'recurring_incident',
  'post_deploy_regression',
];

export const IMPROVEMENT_FILTERS: readonly FieldFlag[] = [
  {
    name: 'status',
    value: 'STATUS',
    choices: ['open', 'resolved', 'snoozed'],
    field: 'status',
    says: 'exactly this status',
  },
  {
    name: 'severity',
    value: 'WORD',
    choices: ['low', 'medium', 'high', 'critical'],
    field: 'severity',
    says: 'exactly this severity',
  },
  { name: 'service', value: 'NAME', field: 'service', says: 'exactly this service' },
  { name: 'environment', short: 'e', value: 'NAME', field: 'environment', says: 'exactly this environment' },
  {
    name: 'kind',
    value: 'KIND',
    choices: KINDS,
    field: 'kind',
    says: 'exactly this kind',
  },
  {
    name: 'except-kind',
    value: 'KIND',
    choices: KINDS,
    field: 'except_kind',
    says: 'every kind but this one',
  },
];

export const SETTING_FIELDS: readonly FieldFlag[] = [
  { name: 'on', field: 'automated_improvement_bundles_enabled', as: 'true', says: 'look for improvements' },
  {
    name: 'off',
    field: 'automated_improvement_bundles_enabled',
    as: 'false',
    says: 'do not look for improvements',
  },
  {
    name: 'sensitivity',
    value: 'WORD',
    choices: ['high_confidence', 'balanced', 'verbose'],
    field: 'improvement_bundle_sensitivity',
    says: 'how sure it has to be',
  },
];
