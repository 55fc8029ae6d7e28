import { MAP_VERDICTS, type MapVerdict } from '@culprit/contract/releases/map-limits';
import { MAP_REASONS } from '@culprit/contract/releases/map-words';
import type { Mapping } from '@culprit/evidence/events/fingerprint/stack/mapped-frames';
import { counter, gauge, histogram } from '../platform/metrics/metric-kinds.ts';

/** The metrics of the results of source maps for stacks, and of their cost (docs/contract/source-maps.md 12). */

const frames = counter({
  name: 'culprit_map_frames_total',
  help: 'Frames of events that were looked up in source maps, by outcome: mapped, or why not.',
  labelNames: ['outcome'],
});
for (const outcome of ['mapped', ...MAP_REASONS]) frames.inc({ outcome }, 0);

const lookUps = histogram({
  name: 'culprit_map_lookup_seconds',
  help: 'Duration of lookups of unknown names and positions of a batch of events.',
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
});

const readings = histogram({
  name: 'culprit_map_read_seconds',
  help: 'Time from reading an uploaded map to its verdict.',
  labelNames: ['verdict'],
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 3, 10, 30, 120],
});
for (const verdict of MAP_VERDICTS) readings.zero({ verdict });

let sizeOf = () => 0;
gauge({
  name: 'culprit_map_cache_bytes',
  help: 'Parts of source maps that are held in memory.',
  collect() {
    this.set(sizeOf());
  },
});

/** Counts the frames of an event that was processed. */
export function countFrames({ mapped, unmapped }: Pick<Mapping, 'mapped' | 'unmapped'>): void {
  frames.inc({ outcome: 'mapped' }, mapped);
  for (const [outcome, count] of Object.entries(unmapped)) frames.inc({ outcome }, count);
}

/** Runs a look-up and notes how long it took. */
export async function measureLookUp(lookUp: () => Promise<void>): Promise<void> {
  const end = lookUps.startTimer();
  await lookUp();
  end();
}

/** Starts to measure how long a map is read; the result ends it. */
export function startReading(): (verdict: MapVerdict) => void {
  const end = readings.startTimer();
  return (verdict) => void end({ verdict });
}

/** Shows the size of what this thread holds. */
export function showCache(size: () => number): void {
  sizeOf = size;
}
