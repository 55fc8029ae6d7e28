import { listSourceMaps } from '@culprit/contract/releases/source-maps';
import { flagsOf } from '../../records/field-flags.ts';

const filter = flagsOf(listSourceMaps);

/** Filters of source maps. */
export const MAP_FILTERS = [
  filter('--release VERSION', 'only of this release'),
  filter('--debug-id ID', 'only with this debug id, removed ones too'),
  filter('--path TEXT', 'part of the path'),
];
