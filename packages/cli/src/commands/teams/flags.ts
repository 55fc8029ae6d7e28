import type { FieldFlag } from '../../records/fields.ts';

/** What is changed about a team. */
export const TEAM_FIELDS: readonly FieldFlag[] = [
  { name: 'name', value: 'NAME', field: 'name', says: 'as people see it' },
  { name: 'slug', value: 'SLUG', field: 'slug', says: 'by which notes mention it' },
];
