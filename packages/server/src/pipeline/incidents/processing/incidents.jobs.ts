/** The lane of accepted batches. One worker thread lane claims it; ingestion fills it. */
export const EVENTS_LANE = 'events';

/** Job kinds of the events lane. */
export const PROCESS_BATCH = 'incidents.process-batch';
export const PROCESS_EVENT = 'incidents.process-event';

/** Failed attempts after which a batch is split into single events, and a single event is parked. */
export const SPLIT_AFTER_FAILURES = 3;
export const PARK_AFTER_FAILURES = 8;

/** Payload of both kinds; `position` is set for a single event only. */
export interface BatchJobPayload {
  batchId: string;
  objectKey: string;
  /** The range of the batch in its object; null if it is all of it. */
  range: { offset: number; sizeBytes: number } | null;
  position: number | null;
}

/** The payload of a batch that was stored just now, as its row has it. */
export function batchJobPayload(
  batchId: string,
  place: { key: string; offset: number | null },
  sizeBytes: number,
): object {
  const { key: objectKey, offset } = place;
  return offset === null ? { batchId, objectKey } : { batchId, objectKey, offset, sizeBytes };
}

/** Reads a payload back from its row; a row that was not written by this program is an error. */
export function readBatchJobPayload(payload: Record<string, unknown>): BatchJobPayload {
  const { batchId, objectKey, offset, sizeBytes, position } = payload;
  if (typeof batchId !== 'string' || typeof objectKey !== 'string') throw new Error('unreadable batch job');
  const range = typeof offset === 'number' && typeof sizeBytes === 'number' ? { offset, sizeBytes } : null;
  return { batchId, objectKey, range, position: typeof position === 'number' ? position : null };
}
