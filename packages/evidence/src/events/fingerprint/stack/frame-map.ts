import type { MapFacts, MapReason, MapState } from '@culprit/contract/releases/map-words';

/** The result of looking a frame up in source maps (docs/contract/source-maps.md 5.3). */
export interface FrameMap {
  state: MapState;
  reason: MapReason | null;
  facts: MapFacts | null;
  sourceMapId: string | null;
  /** The raw place of a mapped frame. */
  generated: {
    function: string;
    file: string | null;
    line: number | null;
    column: number | null;
    isServed?: true;
  } | null;
}
