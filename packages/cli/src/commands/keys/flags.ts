import type { FieldFlag } from '../../records/fields.ts';

export const KEY_FIELDS: readonly FieldFlag[] = [
  { name: 'label', value: 'TEXT', field: 'label', says: 'what it is for' },
  {
    name: 'allowed-origin',
    value: 'ORIGIN',
    isRepeatable: true,
    field: 'allowed_origins',
    as: 'list',
    says: 'browser origin from which alone it may be used',
  },
  { name: 'service-name', value: 'NAME', field: 'service_name', says: 'service of events that name none' },
  {
    name: 'events-per-minute',
    value: 'N',
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    field: 'events_per_minute',
    as: 'number',
    says: "limit of the key beside the plan's",
  },
];

export const KEY_CHANGES: readonly FieldFlag[] = [
  ...KEY_FIELDS,
  {
    name: 'any-origin',
    field: 'allowed_origins',
    as: 'empty list',
    says: 'it may be used from everywhere',
  },
];
