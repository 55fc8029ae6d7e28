import { createHash } from 'node:crypto';
import { NO_RULE } from '../../capture/no-rule.ts';
import { batchJobPayload } from '../../pipeline/incidents/processing/incidents.jobs.ts';
import type { FateCount, NewBatch } from '../../pipeline/ingest/ingest.queries.ts';
import { decodeBatchObject } from '../../pipeline/stored-events/batch-object.ts';
import type { BatchObjectHeader } from '../../pipeline/stored-events/object-head.ts';
import type { RawObjectKey } from '../../pipeline/stored-events/raw-keys.ts';
import { DamagedObjectError } from '../../pipeline/stored-events/raw-record.ts';

/** A batch that is known only from its object, with the counters of its events. */
export interface FoundBatch {
  batch: NewBatch;
  fates: FateCount[];
}

/**
 * Returns the batch with which the events of a raw object count; null for one that was received before a moment,
 * belongs to another project than its key names, or was created by this service itself: availability checks are simply
 * run again.
 * @throws DamagedObjectError
 */
export async function foundBatch(
  { key, projectId, id }: RawObjectKey,
  bytes: Buffer,
  receivedFromMs: number,
): Promise<FoundBatch | null> {
  const { header, records } = await decodeBatchObject(bytes);
  if (header.projectId !== projectId || header.receivedAtMs < receivedFromMs) return null;
  const events = new Array<number>(header.requests.length).fill(0);
  for (const { requestIndex } of records) events[requestIndex] = (events[requestIndex] ?? 0) + 1;
  const tokenIds = tokensOf(header);
  if (tokenIds === null) return null;
  const receivedAt = new Date(header.receivedAtMs).toISOString();
  return {
    batch: {
      batch_id: id,
      project_id: projectId,
      object_key: key,
      object_offset: null,
      size_bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      event_count: records.length,
      token_ids: tokenIds,
      token_events: events,
      received_at: receivedAt,
      payload: batchJobPayload(id, { key, offset: null }, bytes.length),
    },
    fates: submittedFates(projectId, `${receivedAt.slice(0, 13)}:00:00.000Z`, tokenIds, events),
  };
}

function tokensOf({ requests }: BatchObjectHeader): string[] | null {
  const tokenIds = requests.flatMap((request) => ('tokenId' in request ? [request.tokenId] : []));
  return tokenIds.length === requests.length ? tokenIds : null;
}

/** One row for each token: a statement may not change one counter twice. */
function submittedFates(
  projectId: string,
  hour: string,
  tokenIds: readonly string[],
  events: readonly number[],
): FateCount[] {
  const counts = new Map<string, number>();
  for (const [index, tokenId] of tokenIds.entries()) {
    counts.set(tokenId, (counts.get(tokenId) ?? 0) + (events[index] ?? 0));
  }
  return [...counts].map(([tokenId, count]) => ({
    token_id: tokenId,
    project_id: projectId,
    hour,
    fate: 'submitted' as const,
    rule_id: NO_RULE,
    events: count,
  }));
}

/**
 * Returns an id for a batch that retention has merged with others, whose own id is lost: the same whenever it is found
 * again, shaped as a version 8 UUID.
 */
export function idOfContent(projectId: string, bytes: Buffer): string {
  const hex = createHash('sha256').update(projectId).update(bytes).digest('hex');
  const variant = '89ab'[Number.parseInt(hex.slice(16, 17), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Returns true if an object does not have its expected form, so that nothing of it can be found. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedObjectError;
}
