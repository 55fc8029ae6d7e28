import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { availabilityFingerprint, groupingKeyOf } from '@culprit/evidence/events/fingerprint/fingerprint';
import type { GroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import { type JudgedEvent, judgeEvent } from '@culprit/evidence/incidents/judge-event';
import type { ObjectStore } from '../../../platform/objects/object-store.ts';
import type { Observation } from '../../improvements/observation.ts';
import { observeEvent } from '../../improvements/observe-event.ts';
import {
  type BatchRequest,
  DamagedObjectError,
  type DecodedRecord,
  decodeBatchObject,
  derivedEventId,
  type FailingCheck,
} from '../../stored-events/batch-object.ts';
import { type CountedEvent, countedEvent } from './counted-event.ts';
import type { BatchJobPayload } from './incidents.jobs.ts';

/** An accepted event, read back and judged: what the transaction needs of it. */
export interface ReadEvent extends Omit<JudgedEvent, 'event'> {
  event: CountedEvent;
  batchId: string;
  record: DecodedRecord;
  /** Null: the service itself made the event, of which no fate is counted and nothing is charged. */
  tokenId: string | null;
  isOriginBound: boolean;
  /** The check of whose failure it tells; null for events of clients. */
  failingCheck: FailingCheck | null;
  /** What it says to the detectors of improvements; mostly nothing. */
  observations: readonly Observation[];
}

/** Told about progress, so that a thread stuck in one event can be found (docs/contract/reliability.md A3). */
export interface ReadProgress {
  /** Parsing begins; no I/O until `rest`. */
  work(): void;
  /** One event is done. */
  step(): void;
  rest(): void;
}

/** A batch with the records of its raw object. */
export type DecodedBatch = Awaited<ReturnType<typeof decodeBatchObject>> & { batch: BatchJobPayload };

/**
 * Reads the raw objects of batches.
 * @throws ObjectMissingError, ObjectStoreUnavailableError, DamagedObjectError
 */
export async function decodeBatches(
  objects: ObjectStore,
  batches: readonly BatchJobPayload[],
): Promise<DecodedBatch[]> {
  return await Promise.all(
    batches.map(async (batch) => ({
      batch,
      ...(await decodeBatchObject(await readBytes(objects, batch))),
    })),
  );
}

/**
 * The events of batches of one project, all of them or the single one that a job names.
 * @throws DamagedObjectError
 */
export function readEvents(
  decoded: readonly DecodedBatch[],
  keyOf: GroupingKeyMaker,
  progress: ReadProgress,
): ReadEvent[] {
  const events: ReadEvent[] = [];
  progress.work();
  try {
    for (const { batch, header, records } of decoded) {
      for (const record of records) {
        if (batch.position !== null && record.position !== batch.position) continue;
        const request = header.requests[record.requestIndex];
        if (request === undefined)
          throw new DamagedObjectError('a record names a request that is not in the header');
        events.push(readRecord(batch.batchId, record, request, header.receivedAtMs, keyOf));
        progress.step();
      }
    }
  } finally {
    progress.rest();
  }
  return events;
}

function readBytes(objects: ObjectStore, { objectKey, range }: BatchJobPayload): Promise<Buffer> {
  return range === null ? objects.get(objectKey) : objects.getRange(objectKey, range.offset, range.sizeBytes);
}

function readRecord(
  batchId: string,
  record: DecodedRecord,
  request: BatchRequest,
  receivedAtMs: number,
  keyOf: GroupingKeyMaker,
): ReadEvent {
  const raw: unknown = JSON.parse(record.eventBytes.toString('utf8'));
  if (!isJsonObject(raw)) throw new DamagedObjectError('a record is not a JSON object');
  const sender =
    'failingCheck' in request
      ? { tokenId: null, isOriginBound: false, failingCheck: request.failingCheck }
      : { ...request, failingCheck: null };
  const check = sender.failingCheck;
  const judged = judgeEvent(
    raw,
    {
      eventClass: record.eventClass,
      isDemoted: record.isDemoted,
      isOriginBound: sender.isOriginBound,
      receivedAtMs,
      derivedId: () => derivedEventId(batchId, record.position),
    },
    check === null ? keyOf : () => groupingKeyOf(availabilityFingerprint(check.checkId)),
  );
  const { event, hashes } = judged;
  return {
    ...judged,
    event: countedEvent(event),
    batchId,
    record,
    ...sender,
    // What the service itself asks says nothing of how an application is used.
    observations: check === null ? observeEvent(event, record, hashes.trace ?? hashes.session) : [],
  };
}
