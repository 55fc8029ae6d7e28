import { listSourceMaps } from '@culprit/contract/releases/source-maps';
import { flagsOf } from '../../records/field-flags.ts';

const filter = flagsOf(listSourceMaps);

/** Filters of source maps. */
export const MAP_FILTERS = [
  filter('--release VERSION', 'only this release'),
  filter('--debug-id ID', 'only this debug id, including removed maps'),
  filter('--path TEXT', 'part of the path'),
];
