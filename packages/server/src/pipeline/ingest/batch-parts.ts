import { createHash } from 'node:crypto';
import { newUuid } from '../../platform/ids.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { batchJobPayload } from '../incidents/processing/incidents.jobs.ts';
import { encodeBatchObject } from '../stored-events/batch-object.ts';
import type { BatchObjectHeader } from '../stored-events/object-head.ts';
import { appendedRawPrefix, rawDayFolder } from '../stored-events/raw-keys.ts';
import type { RawRecord } from '../stored-events/raw-record.ts';
import type { Decisions } from './decide-events.ts';
import type { Admission, NewBatch } from './ingest.queries.ts';

/** An admitted request with what was decided about its events. */
export interface DecidedRequest {
  admission: Admission;
  /** A page sent its events, or may have: reported as `source_trust`. */
  isOriginBound: boolean;
  decisions: Decisions;
}

/** One object to be stored: events of one project. Each request is in one part only. */
export interface Part<Member extends DecidedRequest> {
  projectId: string;
  receivedAtMs: number;
  members: Member[];
  records: RawRecord[];
  requests: { tokenId: string; isOriginBound: boolean }[];
  sizeBytes: number;
}

/**
 * The stored bytes up to which a batch is appended to an object with others, if the store can append: it costs a fifth
 * of a separate object.
 */
const APPENDED_BYTES_MAX = 65_536;
/** Uncompressed bytes of events in one object; more go into a further one. */
const OBJECT_BYTES_MAX = 4 * 1024 * 1024;

/** Puts the accepted events of each project into as few objects as their size allows. */
export function divideIntoParts<Member extends DecidedRequest>(members: readonly Member[]): Part<Member>[] {
  const parts: Part<Member>[] = [];
  const current = new Map<string, Part<Member>>();
  for (const member of members) {
    const { admission, isOriginBound, decisions } = member;
    if (decisions.records.length === 0) continue;
    const sizeBytes = decisions.records.reduce((sum, record) => sum + record.eventBytes.length, 0);
    let part = current.get(admission.projectId);
    if (part === undefined || part.sizeBytes + sizeBytes > OBJECT_BYTES_MAX) {
      part = {
        projectId: admission.projectId,
        receivedAtMs: admission.receivedAtMs,
        members: [],
        records: [],
        requests: [],
        sizeBytes: 0,
      };
      current.set(admission.projectId, part);
      parts.push(part);
    }
    const requestIndex = part.requests.length;
    part.requests.push({ tokenId: admission.tokenId, isOriginBound });
    part.members.push(member);
    part.sizeBytes += sizeBytes;
    for (const record of decisions.records) {
      record.requestIndex = requestIndex;
      part.records.push(record);
    }
  }
  return parts;
}

/**
 * Makes a part durable under a separate key; the row it returns makes it count.
 * @throws ObjectStoreUnavailableError
 */
export async function storePart(objects: ObjectStore, part: Part<DecidedRequest>): Promise<NewBatch> {
  part.records.forEach((record, position) => {
    record.position = position;
  });
  return await storeBatch(objects, part, {
    tokenIds: part.requests.map((request) => request.tokenId),
    tokenEvents: part.members.map((member) => member.decisions.records.length),
  });
}

/**
 * Makes events of one project durable in an object of their own.
 * @param senders the tokens whose events they are, in the order of the events, and how many of each
 * @returns the row that makes them count
 * @throws ObjectStoreUnavailableError
 */
export async function storeBatch(
  objects: ObjectStore,
  batch: BatchObjectHeader & { records: RawRecord[] },
  senders: { tokenIds: string[]; tokenEvents: number[] },
): Promise<NewBatch> {
  const { projectId, receivedAtMs, requests, records } = batch;
  const batchId = newUuid();
  const { bytes } = await encodeBatchObject({ projectId, receivedAtMs, requests }, records);
  const receivedAt = new Date(receivedAtMs).toISOString();
  const place = await storeBytes(objects, projectId, batchId, receivedAt, bytes);
  return {
    batch_id: batchId,
    project_id: projectId,
    object_key: place.key,
    object_offset: place.offset,
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    event_count: records.length,
    token_ids: senders.tokenIds,
    token_events: senders.tokenEvents,
    received_at: receivedAt,
    payload: batchJobPayload(batchId, place, bytes.length),
  };
}

/** Stores the bytes in an object of the project's half day, or in a separate one. */
async function storeBytes(
  objects: ObjectStore,
  projectId: string,
  batchId: string,
  receivedAt: string,
  bytes: Buffer,
): Promise<{ key: string; offset: number | null }> {
  const { append } = objects;
  if (append !== null && bytes.length <= APPENDED_BYTES_MAX) {
    return await append(appendedRawPrefix(projectId, receivedAt), bytes);
  }
  const key = rawDayFolder(projectId, receivedAt) + batchId;
  await objects.put(key, bytes);
  return { key, offset: null };
}
