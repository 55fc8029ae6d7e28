import type { FieldFlag } from '../../records/fields.ts';

export const RELEASE_FILTERS: readonly FieldFlag[] = [
  { name: 'service', value: 'NAME', field: 'service', says: 'only those of this service' },
  { name: 'environment', short: 'e', value: 'NAME', field: 'environment', says: 'only in this environment' },
  { name: 'search', value: 'TEXT', field: 'q', says: 'part of the version' },
];

export const RELEASE_FACTS: readonly FieldFlag[] = [
  { name: 'commit', value: 'SHA', field: 'commit_sha', says: 'commit of the release' },
  { name: 'branch', value: 'NAME', field: 'branch', says: 'branch of the release' },
  { name: 'link', value: 'URL', field: 'url', says: 'page about the release' },
];
