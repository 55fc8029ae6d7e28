import type { FieldFlag } from '../../records/fields.ts';

export const WEBHOOK_FIELDS: readonly FieldFlag[] = [
  { name: 'target', value: 'URL', field: 'url', says: 'where deliveries go' },
  {
    name: 'event',
    value: 'EVENT',
    isRepeatable: true,
    field: 'events',
    as: 'list',
    says: 'which events; all but verification when absent',
  },
  {
    name: 'filter-environment',
    value: 'NAME',
    isRepeatable: true,
    field: 'filters.environment',
    as: 'list',
    says: 'only these environments',
  },
  {
    name: 'filter-service',
    value: 'NAME',
    isRepeatable: true,
    field: 'filters.service',
    as: 'list',
    says: 'only these services',
  },
  {
    name: 'filter-severity-min',
    value: 'WORD',
    choices: ['low', 'medium', 'high', 'critical'],
    field: 'filters.severity_min',
    says: 'least severity',
  },
  {
    name: 'filter-bundle-type',
    value: 'TYPE',
    choices: ['failure', 'improvement'],
    isRepeatable: true,
    field: 'filters.bundle_type',
    as: 'list',
    says: 'only these bundles',
  },
  {
    name: 'no-verification',
    field: 'filters.verification',
    as: 'false',
    says: 'nothing of verification events',
  },
  { name: 'enable', field: 'is_enabled', as: 'true', says: 'enable it' },
  { name: 'disable', field: 'is_enabled', as: 'false', says: 'disable it' },
];
