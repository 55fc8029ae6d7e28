import { createHash } from 'node:crypto';
import type { EventClass, MatchedPolicy } from '@culprit/evidence/events/normalize/event';
import { commitWindow } from '../../src/pipeline/ingest/ingest.queries.ts';
import { encodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import type { TestCulprit, TestProject } from './culprit.ts';

/** An event as intake would store it, with the decisions intake would have made about it. */
interface StoredEvent {
  event: object;
  /** Default: a signal, as every exception is. */
  eventClass?: EventClass;
  matchedPolicy?: MatchedPolicy | null;
  isDemoted?: boolean;
}

/**
 * Stores events as one accepted batch without the intake: its raw object, its row and its job. For what a request
 * cannot bring about: demoted events, and receive times of the test's choosing (milliseconds since the epoch).
 */
export async function storeBatch(
  culprit: TestCulprit,
  project: TestProject,
  events: readonly StoredEvent[],
  receivedAtMs: number = Date.now(),
): Promise<void> {
  const projectId = parseId(['proj'], project.projectId) ?? '';
  const tokenId = await findToken(culprit, projectId);
  const batchId = newUuid();
  const receivedAt = new Date(receivedAtMs).toISOString();
  const objectKey = `raw/${projectId}/${receivedAt.slice(0, 10)}/${batchId}`;
  const { bytes } = await encodeBatchObject(
    { projectId, receivedAtMs, requests: [{ tokenId, isOriginBound: false }] },
    events.map((each, position) => ({
      eventClass: each.eventClass ?? 'incident_signal',
      matchedPolicy: each.matchedPolicy === undefined ? 'always_incident' : each.matchedPolicy,
      isDemoted: each.isDemoted ?? false,
      requestIndex: 0,
      ruleId: null,
      position,
      eventBytes: Buffer.from(JSON.stringify(each.event)),
    })),
  );
  const objects = await createFileObjectStore({ directory: culprit.objectDirectory, writeTimeoutMs: 10_000 });
  await objects.put(objectKey, bytes);
  await commitWindow(
    culprit.database,
    [
      {
        batch_id: batchId,
        project_id: projectId,
        object_key: objectKey,
        object_offset: null,
        size_bytes: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        event_count: events.length,
        token_ids: [tokenId],
        token_events: [events.length],
        received_at: receivedAt,
        payload: { batchId, objectKey },
      },
    ],
    [
      {
        token_id: tokenId,
        project_id: projectId,
        hour: `${receivedAt.slice(0, 13)}:00:00.000Z`,
        fate: 'submitted',
        rule_id: '00000000-0000-0000-0000-000000000000',
        events: events.length,
      },
    ],
  );
}

async function findToken(culprit: TestCulprit, projectId: string): Promise<string> {
  const [row] = await culprit.database.query<{ token_id: string }>(
    {
      name: 'test-project-token',
      text: 'select token_id from project_tokens where project_id = $1 order by created_at limit 1',
    },
    [projectId],
  );
  if (row === undefined) throw new Error('the project has no token');
  return row.token_id;
}
