import type { FieldFlag } from '../../records/fields.ts';

/** The fields of a team that can change. */
export const TEAM_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'as people see it' },
  { name: 'slug', value: 'SLUG', field: 'slug', says: 'by which notes mention it' },
];
