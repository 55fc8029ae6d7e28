import type { MapFacts, MapReason, MapState } from '@culprit/contract/map-words';

/** What became of a frame (docs/contract/source-maps.md 5.3). */
export interface FrameMap {
  state: MapState;
  reason: MapReason | null;
  facts: MapFacts | null;
  sourceMapId: string | null;
  /** Of a mapped frame, as it was sent. */
  generated: {
    function: string;
    file: string | null;
    line: number | null;
    column: number | null;
    isServed?: true;
  } | null;
}
