// Proves 9, 11.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_LANE, PARK_AFTER_FAILURES } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { commitWindow, type FateCount } from '../../src/pipeline/ingest/ingest.queries.ts';
import { encodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createFileObjectStore } from '../../src/platform/objects/file-object-store.ts';
import { tokenHash } from '../../src/workspace/tokens/token.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { clientOf } from '../support/incident-client.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { readOccurrences } from '../support/stored-events.ts';
import {
  createEventLedger,
  KEPT,
  keyHashOf,
  ledgerEvent,
  readCountedEvents,
  type SentEvent,
} from './event-ledger.ts';
import { startHookedWorker } from './hooked-worker.ts';
import { findLeftOverWork } from './left-over-work.ts';
import { POISONS } from './poison-fingerprint.ts';

/**
 * docs/contract/reliability.md test 9: events that the worker cannot process. They are tried as often as the contract
 * says, or once where their object is lost, parked with a reason and counted as dead letters; all others count.
 */

/** Waits of 1 s to 10 min become 1 to 600 ms. */
const RETRY_SCALE = 0.001;
/** Poison is due again as soon as a thread is there. */
const POISON_RETRY_SCALE = 0.0001;

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ retryScale: RETRY_SCALE });
});
afterAll(() => culprit.stop());

describe('a raw object that is not what was stored', () => {
  it('with one record that is no JSON loses that event alone, counted under its own token', async () => {
    const project = await culprit.createProject();
    const tokens = [project.projectToken, await culprit.createProjectToken(project.projectId)];
    const events = Array.from({ length: 5 }, () => ledgerEvent(newUuid(), 'alpha', true));
    const texts = events.map((event, position) =>
      position === 2 ? '{"event_type":' : JSON.stringify(event.body),
    );
    // Positions 0 and 1 are the first token's, 2 to 4 the second's.
    await storeRawBatch(project, [
      { token: tokens[0] ?? '', texts: texts.slice(0, 2) },
      { token: tokens[1] ?? '', texts: texts.slice(2) },
    ]);
    await laneIsEmpty(culprit, EVENTS_LANE);

    expect(await readDeadLetters(project)).toEqual([
      { position: 2, attempts: PARK_AFTER_FAILURES, reason: expect.stringMatching(/JSON/) },
    ]);
    expect(await readFates(project, tokens)).toEqual([
      { submitted: 2, processed: 2 },
      { submitted: 3, processed: 2, dead_letter: 1 },
    ]);
    expect(await readOccurrences(culprit, project.projectId)).toMatchObject([{ occurrences: 4 }]);
    // What was counted after the first bundle waits for its refresh.
    await clientOf(culprit, project).refreshed();
    expect(await leftOver(project)).toEqual({});
  });

  it.each([
    ['damaged by one byte', /frame|checksum|decompress/, flipByte],
    ['cut', /missing/, cut],
  ] as const)(
    'because it is %s loses its events, and the batches beside it count',
    async (_what, reason, spoil) => {
      const project = await culprit.createProject();
      await culprit.stopWorker();
      const sent: SentEvent[][] = [];
      for (const group of ['alpha', 'bravo', 'charlie']) {
        const events = Array.from({ length: 3 }, () => ledgerEvent(newUuid(), group, true));
        await accept(project, events);
        sent.push(events);
      }
      await spoil(await placeOf(project, 1));
      await culprit.startWorker();
      await laneIsEmpty(culprit, EVENTS_LANE);

      expect(await readDeadLetters(project)).toEqual(
        [0, 1, 2].map((position) => ({
          position,
          attempts: 1,
          reason: expect.stringMatching(reason),
        })),
      );
      expect(await readFates(project, [project.projectToken])).toEqual([
        { submitted: 9, processed: 6, dead_letter: 3 },
      ]);
      const ledger = createEventLedger();
      ledger.note([...(sent[0] ?? []), ...(sent[2] ?? [])], 'accepted');
      expect(ledger.judge(await countedOf(project))).toEqual(KEPT);
      await culprit.drain();
      expect(await leftOver(project)).toEqual({});
    },
  );
});

describe('an event that throws, loops or eats memory', () => {
  it('is parked with a reason, its neighbours count, and others are counted before it is parked', {
    timeout: 180_000,
  }, async () => {
    await culprit.stopWorker();
    const worker = await startHookedWorker(culprit, {
      duties: ['events', 'bundles'],
      retryScale: POISON_RETRY_SCALE,
    });
    try {
      const [poisoned, healthy] = [await culprit.createProject(), await culprit.createProject()];
      const ledger = createEventLedger();
      for (const poison of POISONS) {
        const neighbours = Array.from({ length: 4 }, () => ledgerEvent(newUuid(), 'alpha', true));
        await accept(poisoned, [...neighbours.slice(0, 2), poisonOf(poison), ...neighbours.slice(2)]);
        const batchBeside = Array.from({ length: 2 }, () => ledgerEvent(newUuid(), 'bravo', false));
        await accept(poisoned, batchBeside);
        ledger.note([...neighbours, ...batchBeside], 'accepted');
      }
      let countedBeside = 0;
      while ((await readDeadLetters(poisoned)).length < POISONS.length) {
        await countFresh(healthy);
        countedBeside += 1;
      }
      await laneIsEmpty(culprit, EVENTS_LANE);

      const letters = await readDeadLetters(poisoned);
      expect(letters.map(({ position, attempts }) => ({ position, attempts }))).toEqual(
        POISONS.map(() => ({ position: 2, attempts: PARK_AFTER_FAILURES })),
      );
      expect(letters.map(({ reason }) => reason).sort()).toEqual([
        'an event took longer than 5 s',
        expect.stringMatching(/^the worker thread failed: .*memory/),
        'this event is poison',
      ]);
      expect(ledger.judge(await countedOf(poisoned))).toEqual(KEPT);
      expect(await readFates(poisoned, [poisoned.projectToken])).toEqual([
        { submitted: 21, processed: 18, dead_letter: 3 },
      ]);
      await eventually(async () => expect(await leftOver(poisoned)).toEqual({}));
      // A poison takes 5 s three times: who had to wait for it would be counted once.
      expect(countedBeside).toBeGreaterThan(POISONS.length);
    } finally {
      await worker.kill();
      await culprit.startWorker();
    }
  });
});

describe('a project of which an event ended a thread', () => {
  it('is last in line: everything that others have is counted before its next attempt', {
    timeout: 120_000,
  }, async () => {
    await culprit.stopWorker();
    const [poisoned, healthy] = [await culprit.createProject(), await culprit.createProject()];
    for (let batch = 0; batch < 2; batch += 1) await accept(poisoned, [poisonOf('LoopingPoison')]);
    // Several claims: the first ones take four batches at most.
    const batches = 40;
    for (let batch = 0; batch < batches; batch += 1) {
      await accept(healthy, [ledgerEvent(newUuid(), 'alpha', true)]);
    }
    const worker = await startHookedWorker(culprit, { duties: ['events'], retryScale: POISON_RETRY_SCALE });
    try {
      const isLeft = 'jobs where fairness_key = $1 and lane = $2';
      await eventually(async () => {
        const again = `${isLeft} and (failures > 1 or (failures = 1 and leased_until is not null))`;
        expect(await countRows(culprit, again, [idOf(poisoned), EVENTS_LANE])).toBeGreaterThan(0);
      }, 60_000);
      expect(await countRows(culprit, isLeft, [idOf(healthy), EVENTS_LANE])).toBe(0);
      expect(await countedOf(healthy)).toHaveLength(batches);
    } finally {
      await worker.kill();
      const ended = 'delete from jobs where fairness_key = $1';
      await culprit.database.query({ name: 'test-end-poison', text: ended }, [idOf(poisoned)]);
      await culprit.startWorker();
    }
  });
});

/** Sends an event of another project and waits until it is counted. */
async function countFresh(project: TestProject): Promise<void> {
  const event = ledgerEvent(newUuid(), 'charlie', true);
  await accept(project, [event]);
  await eventually(async () => {
    const isCounted = (await countedOf(project)).some(({ keyHash }) => keyHash === keyHashOf(event.key));
    if (!isCounted) throw new Error('a fresh event is not counted');
  });
}

function poisonOf(name: string): SentEvent {
  const event = ledgerEvent(newUuid(), 'alpha', true);
  return { ...event, body: { ...event.body, payload: { name, message: 'poison', stack: null } } };
}

async function accept(project: TestProject, events: readonly SentEvent[]): Promise<void> {
  const answer = await sendEvents(
    culprit.url,
    project.projectToken,
    events.map(({ body }) => body),
  );
  expect(acknowledgement(answer).accepted).toBe(events.length);
}

function idOf(project: TestProject): string {
  return parseId(['proj'], project.projectId) ?? '';
}

async function countedOf(project: TestProject) {
  return await readCountedEvents(culprit.database, [idOf(project)]);
}

async function leftOver(project: TestProject): Promise<Record<string, number>> {
  return await findLeftOverWork(culprit.database, [idOf(project)]);
}

async function readDeadLetters(
  project: TestProject,
): Promise<{ position: number; attempts: number; reason: string }[]> {
  return await culprit.database.query(
    {
      name: 'test-read-dead-letters',
      text: `select position, attempts, reason from dead_letters where project_id = $1 order by batch_id, position`,
    },
    [idOf(project)],
  );
}

/** Fates of each token. */
async function readFates(project: TestProject, tokens: readonly string[]): Promise<Record<string, number>[]> {
  const rows = await culprit.database.query<{ token_hash: Buffer; fate: string; events: number }>(
    {
      name: 'test-read-fates',
      text: `select token_hash, fate, sum(events)::bigint as events
        from event_fates f join project_tokens using (token_id) where f.project_id = $1 group by token_hash, fate`,
    },
    [idOf(project)],
  );
  return tokens.map((token) =>
    Object.fromEntries(
      rows.filter((row) => row.token_hash.equals(tokenHash(token))).map(({ fate, events }) => [fate, events]),
    ),
  );
}

/** Where a batch lies in its file. */
interface Place {
  batchId: string;
  path: string;
  end: number;
}

/** Of the nth batch of a project: their ids rise with time. */
async function placeOf(project: TestProject, index: number): Promise<Place> {
  const rows = await culprit.database.query<{ batch_id: string; object_key: string; end_offset: number }>(
    {
      name: 'test-places',
      text: `select batch_id, object_key, coalesce(object_offset, 0) + size_bytes as end_offset
        from batches where project_id = $1 order by batch_id`,
    },
    [idOf(project)],
  );
  const row = rows[index];
  if (row === undefined) throw new Error(`there is no batch ${index}`);
  return {
    batchId: row.batch_id,
    path: join(culprit.objectDirectory, row.object_key),
    end: row.end_offset,
  };
}

/** The last byte of a batch belongs to a frame. */
async function flipByte({ path, end }: Place): Promise<void> {
  const bytes = await readFile(path);
  bytes.writeUInt8(bytes.readUInt8(end - 20) ^ 0x10, end - 20);
  await writeFile(path, bytes);
}

/** The batch alone is in an object that ends too early. */
async function cut({ batchId, path, end }: Place): Promise<void> {
  const key = path.slice(culprit.objectDirectory.length + 1);
  await writeFile(`${path}-cut`, (await readFile(path)).subarray(0, end - 20));
  await culprit.database.query(
    {
      name: 'test-cut',
      text: `with moved as (update batches set object_key = $2 where batch_id = $1)
        update jobs set payload = payload || jsonb_build_object('objectKey', $2::text)
        where payload ->> 'batchId' = $1::text`,
    },
    [batchId, `${key}-cut`],
  );
}

/** Stores texts as intake would store events of several requests, without looking at them. */
async function storeRawBatch(
  project: TestProject,
  requests: readonly { token: string; texts: readonly string[] }[],
): Promise<void> {
  const projectId = idOf(project);
  const batchId = newUuid();
  const receivedAt = new Date();
  const objectKey = `raw/${projectId}/${receivedAt.toISOString().slice(0, 10)}/${batchId}`;
  const tokenIds = await Promise.all(requests.map(({ token }) => tokenIdOf(token)));
  const { bytes } = await encodeBatchObject(
    {
      projectId,
      receivedAtMs: receivedAt.getTime(),
      requests: tokenIds.map((tokenId) => ({ tokenId, isOriginBound: false })),
    },
    requests
      .flatMap(({ texts }, requestIndex) =>
        texts.map((text) => ({ requestIndex, eventBytes: Buffer.from(text) })),
      )
      .map((record, position) => ({
        ...record,
        position,
        eventClass: 'incident_signal',
        matchedPolicy: 'always_incident',
        isDemoted: false,
        ruleId: null,
      })),
  );
  const objects = await createFileObjectStore({ directory: culprit.objectDirectory, writeTimeoutMs: 10_000 });
  await objects.put(objectKey, bytes);
  const counts = requests.map(({ texts }) => texts.length);
  const submitted = tokenIds.map(
    (tokenId, index): FateCount => ({
      token_id: tokenId,
      project_id: projectId,
      hour: `${receivedAt.toISOString().slice(0, 13)}:00:00.000Z`,
      fate: 'submitted',
      rule_id: '00000000-0000-0000-0000-000000000000',
      events: counts[index] ?? 0,
    }),
  );
  const batch = {
    batch_id: batchId,
    project_id: projectId,
    object_key: objectKey,
    object_offset: null,
    size_bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    event_count: counts.reduce((sum, count) => sum + count, 0),
    token_ids: tokenIds,
    token_events: counts,
    received_at: receivedAt.toISOString(),
    payload: { batchId, objectKey },
  };
  await commitWindow(culprit.database, [batch], submitted);
}

async function tokenIdOf(token: string): Promise<string> {
  const [row] = await culprit.database.query<{ token_id: string }>(
    { name: 'test-token-id-of', text: 'select token_id from project_tokens where token_hash = $1' },
    [tokenHash(token)],
  );
  if (row === undefined) throw new Error('no such token');
  return row.token_id;
}
