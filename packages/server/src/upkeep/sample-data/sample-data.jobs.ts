/** The lane in which sample data are removed. */
export const SAMPLE_DATA_LANE = 'sample-data';

/** Job kind: removes the sample data that a payload names; the key is its id. */
export const REMOVE_SAMPLE_DATA = { lane: SAMPLE_DATA_LANE, kind: 'sample-data.remove' } as const;

/** Reads the payload back from its row. */
export function readRemoval({ sampleId }: Record<string, unknown>): string {
  if (typeof sampleId !== 'string') throw new Error('unreadable removal of sample data');
  return sampleId;
}
