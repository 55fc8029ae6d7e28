import type { FieldFlag } from '../../records/fields.ts';

/** The fields of a person's own profile. */
export const PROFILE_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'as others see you' },
  { name: 'handle', value: 'HANDLE', field: 'handle', says: 'by which notes mention you' },
];
