import type { FieldFlag } from '../../records/fields.ts';

/** Filters of deployments. */
export const DEPLOY_FILTERS: readonly FieldFlag[] = [
  { name: 'service', value: 'NAME', field: 'service', says: 'only of this service' },
  { name: 'environment', short: 'e', value: 'NAME', field: 'environment', says: 'only in this environment' },
];
