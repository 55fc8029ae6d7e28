import { MAP_BYTES_MAX } from '@culprit/contract/releases/map-limits';

/** The settings of this installation for source maps (docs/contract/source-maps.md 12). */
export interface MapSettings {
  /** Off: the endpoints answer `not_found`, and nothing is mapped. */
  isOn: boolean;
  /** The limit of a project. */
  budgetBytes: number;
  /** The limit of one map. */
  mapBytesMax: number;
}

/** Without settings (docs/contract/source-maps.md 12). */
export const MAP_DEFAULTS: MapSettings = {
  isOn: true,
  budgetBytes: 2_147_483_648,
  mapBytesMax: MAP_BYTES_MAX,
};
