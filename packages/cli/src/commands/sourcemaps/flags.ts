import type { FieldFlag } from '../../records/fields.ts';

/** Filters of source maps. */
export const MAP_FILTERS: readonly FieldFlag[] = [
  { name: 'release', value: 'VERSION', field: 'release', says: 'only of this release' },
  { name: 'debug-id', value: 'ID', field: 'debug_id', says: 'only with this debug id, removed ones too' },
  { name: 'path', value: 'TEXT', field: 'path', says: 'part of the path' },
];
