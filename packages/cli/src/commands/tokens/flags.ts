import type { FieldFlag } from '../../records/fields.ts';

export const TOKEN_FIELDS: readonly FieldFlag[] = [
  { name: 'label', value: 'TEXT', field: 'label', says: 'what it is for' },
  {
    name: 'allowed-origin',
    value: 'ORIGIN',
    isRepeatable: true,
    field: 'allowed_origins',
    as: 'list',
    says: 'browser origin from which alone it may be used',
  },
];

/** The fields of a rotation. */
export const OVERLAP_FIELDS: readonly FieldFlag[] = [
  {
    name: 'overlap-hours',
    value: 'N',
    field: 'overlap_hours',
    as: 'number',
    standard: '24',
    says: 'hours that the old one still works; 0 revokes it immediately',
  },
];

/** The fields of member tokens. */
export const ACCESS_FIELDS: readonly FieldFlag[] = [
  {
    name: 'access',
    value: 'WORD',
    choices: ['full', 'read', 'build'],
    field: 'access',
    standard: 'full',
    says: 'with --member: read changes nothing; build uploads source maps and nothing else, for CI',
  },
];
