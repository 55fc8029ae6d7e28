import type { FieldFlag } from '../../records/fields.ts';

export const PROBE_FIELDS: readonly FieldFlag[] = [
  { name: 'service', value: 'NAME', field: 'service', says: 'only in this service' },
  { name: 'environment', short: 'e', value: 'NAME', field: 'environment', says: 'only in this environment' },
  {
    name: 'ttl',
    value: 'DURATION',
    kind: 'duration',
    field: 'ttl_seconds',
    as: 'seconds',
    says: 'how long, 1m to 1h',
  },
  {
    name: 'trigger-ttl',
    value: 'DURATION',
    kind: 'duration',
    field: 'trigger_ttl_seconds',
    as: 'seconds',
    says: 'how long its trigger token works',
  },
  {
    name: 'sample-rate',
    value: 'SHARE',
    kind: 'number',
    min: 0,
    max: 1,
    field: 'sample_rate',
    as: 'number',
    says: 'share of the reports',
  },
];

export const RESULT_FILTERS: readonly FieldFlag[] = [
  { name: 'activation', value: 'ID', field: 'activation_id', says: 'only of this activation' },
];
