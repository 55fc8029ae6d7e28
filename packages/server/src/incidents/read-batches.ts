import {
  type BatchRequest,
  DamagedObjectError,
  type DecodedRecord,
  decodeBatchObject,
  derivedEventId,
  type FailingCheck,
} from '../events/batch-object.ts';
import type { NormalizedEvent, Severity } from '../events/event.ts';
import { eventSeverity } from '../events/event-severity.ts';
import {
  type AvailabilityFingerprint,
  availabilityFingerprint,
  type Fingerprint,
} from '../events/fingerprint/fingerprint-v1.ts';
import { identifierHash } from '../events/identifier-hash.ts';
import { isJsonObject } from '../events/json.ts';
import { normalizeEvent } from '../events/normalize-event.ts';
import type { Observation } from '../improvements/observation.ts';
import { observeEvent } from '../improvements/observe-event.ts';
import type { ObjectStore } from '../platform/objects/object-store.ts';
import type { BatchJobPayload } from './incidents.jobs.ts';

/** An accepted event, read back, normalized and fingerprinted; everything the transaction needs of it. */
export interface ReadEvent {
  event: NormalizedEvent;
  batchId: string;
  record: DecodedRecord;
  /** Null: the service itself made the event, of which no fate is counted and nothing is charged. */
  tokenId: string | null;
  isOriginBound: boolean;
  /** The check of whose failure it tells; null for events of clients. */
  failingCheck: FailingCheck | null;
  /** Hashes of the ids by which events find each other (`identifierHash`). */
  hashes: { trace: bigint | null; request: bigint | null; session: bigint | null };
  /** Hash of the client's own event id; null when the server made the id. */
  idHash: bigint | null;
  /** Without the parsed stack, which would keep a lot of memory alive until the transaction ends. */
  fingerprint: Pick<Fingerprint | AvailabilityFingerprint, 'value' | 'kind' | 'matchedFields'> | null;
  severity: Severity;
  /** What it says to the detectors of improvements; mostly nothing. */
  observations: readonly Observation[];
}

/** Told about progress, so that a thread stuck in one event can be found (reliability rule A3). */
export interface ReadProgress {
  /** Parsing begins; no I/O until `rest`. */
  work(): void;
  /** One event is done. */
  step(): void;
  rest(): void;
}

/**
 * Reads the raw objects of batches of one project, all events or the single one a job names.
 * @throws ObjectMissingError, ObjectStoreUnavailableError, DamagedObjectError
 */
export async function readBatches(
  objects: ObjectStore,
  batches: readonly BatchJobPayload[],
  fingerprint: (event: NormalizedEvent) => Fingerprint | null,
  progress: ReadProgress,
): Promise<ReadEvent[]> {
  const decoded = await Promise.all(
    batches.map(async (batch) => ({
      batch,
      ...(await decodeBatchObject(await objects.get(batch.objectKey))),
    })),
  );
  const events: ReadEvent[] = [];
  progress.work();
  try {
    for (const { batch, header, records } of decoded) {
      for (const record of records) {
        if (batch.position !== null && record.position !== batch.position) continue;
        const request = header.requests[record.requestIndex];
        if (request === undefined)
          throw new DamagedObjectError('a record names a request that is not in the header');
        events.push(readRecord(batch.batchId, record, request, header.receivedAtMs, fingerprint));
        progress.step();
      }
    }
  } finally {
    progress.rest();
  }
  return events;
}

function readRecord(
  batchId: string,
  record: DecodedRecord,
  request: BatchRequest,
  receivedAtMs: number,
  fingerprintOf: (event: NormalizedEvent) => Fingerprint | null,
): ReadEvent {
  const raw: unknown = JSON.parse(record.eventBytes.toString('utf8'));
  if (!isJsonObject(raw)) throw new DamagedObjectError('a record is not a JSON object');
  const clientId = Object.hasOwn(raw, 'event_id') && typeof raw.event_id === 'string' ? raw.event_id : null;
  const event = normalizeEvent(raw, {
    eventId: clientId ?? derivedEventId(batchId, record.position),
    receivedAtMs,
  });
  const sender =
    'failingCheck' in request
      ? { tokenId: null, isOriginBound: false, failingCheck: request.failingCheck }
      : { ...request, failingCheck: null };
  const isFingerprinted = record.eventClass === 'incident_signal' || record.isDemoted;
  const fingerprint = !isFingerprinted
    ? null
    : sender.failingCheck === null
      ? fingerprintOf(event)
      : availabilityFingerprint(sender.failingCheck.checkId);
  const hashes = {
    trace: hashOrNull(event.correlation.traceId),
    request: hashOrNull(event.correlation.requestId),
    session: hashOrNull(event.correlation.sessionId),
  };
  return {
    event,
    batchId,
    record,
    ...sender,
    hashes,
    idHash: hashOrNull(clientId),
    fingerprint: fingerprint && {
      value: fingerprint.value,
      kind: fingerprint.kind,
      matchedFields: fingerprint.matchedFields,
    },
    severity: eventSeverity(event, {
      isServerToken: !sender.isOriginBound,
      isImmediateFailure: record.eventClass === 'incident_signal',
      hasFrames: fingerprint?.chain.some((member) => member.frames.length > 0) ?? false,
    }),
    // What the service itself asks says nothing of how an application is used.
    observations:
      sender.failingCheck === null ? observeEvent(event, record, hashes.trace ?? hashes.session) : [],
  };
}

function hashOrNull(id: string | null): bigint | null {
  return id === null ? null : identifierHash(id);
}
