import { mkdir, readFile, rename, rm, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { showDeadLetters } from '../../src/admin/dead-letters-command.ts';
import { readUnreadable } from '../../src/installation/findings/findings.queries.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { giveCredentials } from '../support/object-stores.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { ledgerEvent } from './event-ledger.ts';
import { findLeftOverWork } from './left-over-work.ts';

/**
 * Objects of accepted events that are gone, damaged, cut or unreadable. What is gone for good is parked at the first
 * look, although the delays between attempts are the real ones here; what may come back waits, and holds up no other.
 */

let culprit: TestCulprit;

interface Batch {
  batch_id: string;
  object_key: string;
  object_offset: number | null;
  size_bytes: number;
}

async function send(project: TestProject, count: number, payloadBytes = 0): Promise<Batch> {
  const random = seededRandom(1);
  const events = Array.from({ length: count }, () => {
    const { body } = ledgerEvent(newUuid(), 'alpha', true);
    if (payloadBytes === 0) return body;
    const noise = Array.from({ length: payloadBytes / 8 }, () => random.integer(0, 2 ** 31).toString(36));
    return { ...body, context: { note: noise.join(' ') } };
  });
  const answer = await sendEvents(culprit.url, project.projectToken, events);
  expect(acknowledgement(answer).accepted).toBe(count);
  const [batch] = await culprit.database.query<Batch>(
    {
      name: 'test-last-batch',
      text: `select batch_id, object_key, object_offset, size_bytes from batches where project_id = $1
        order by received_at desc, batch_id desc limit 1`,
    },
    [idOf(project)],
  );
  if (batch === undefined) throw new Error('no batch was stored');
  return batch;
}

function idOf(project: TestProject): string {
  return parseId(['proj'], project.projectId) ?? '';
}

function pathOf({ object_key: key }: Batch): string {
  return join(culprit.objectDirectory, key);
}

async function fatesOf(project: TestProject): Promise<Record<string, number>> {
  const rows = await culprit.database.query<{ fate: string; events: number }>(
    {
      name: 'test-fates-of',
      text: 'select fate, sum(events)::bigint as events from event_fates where project_id = $1 group by fate',
    },
    [idOf(project)],
  );
  return Object.fromEntries(rows.map(({ fate, events }) => [fate, events]));
}

async function lettersOf(project: TestProject) {
  const { dead_letters: letters } = await showDeadLetters(culprit.database, {
    deadLetterIds: null,
    projectId: idOf(project),
  });
  return letters;
}

/** Facts of many signals wait some seconds for company. */
async function nothingIsLeft(project: TestProject): Promise<void> {
  await eventually(async () => expect(await findLeftOverWork(culprit.database, [idOf(project)])).toEqual({}));
}

describe('where objects are files', () => {
  beforeAll(async () => {
    culprit = await startCulprit({ hasWorker: false });
  });
  // Each test starts it when its objects are as they should be.
  afterEach(() => culprit.stopWorker());
  afterAll(() => culprit.stop());

  it('events of one that is gone are dead letters at the first look, which name it, and the others count', async () => {
    const [project, other] = [await culprit.createProject(), await culprit.createProject()];
    const gone = await send(project, 30);
    await unlink(pathOf(gone));
    await send(project, 2);
    await send(other, 3);
    await culprit.startWorker();
    await laneIsEmpty(culprit, EVENTS_LANE);

    expect(await fatesOf(project)).toEqual({ submitted: 32, dead_letter: 30, processed: 2 });
    expect(await fatesOf(other)).toEqual({ submitted: 3, processed: 3 });
    const letters = await lettersOf(project);
    expect(letters.map(({ position }) => position)).toEqual(Array.from({ length: 30 }, (_, index) => index));
    expect(letters[0]).toMatchObject({
      project_id: project.projectId,
      batch_id: gone.batch_id,
      batch_events: 30,
      object: gone.object_key,
      attempts: 1,
      reason: `object ${gone.object_key} is missing`,
    });
    await nothingIsLeft(project);
  });

  it('one that lost its end, or a byte, loses the batches that lay there alone', async () => {
    const project = await culprit.createProject();
    const batches = [
      await send(project, 2),
      await send(project, 3),
      await send(project, 4),
      await send(project, 5),
    ];
    const [first, damaged, , last] = batches;
    if (first === undefined || damaged === undefined || last === undefined) throw new Error('not sent');
    // Appended to one file.
    expect(new Set(batches.map((each) => each.object_key)).size).toBe(1);
    const bytes = await readFile(pathOf(first));
    const at = (damaged.object_offset ?? 0) + damaged.size_bytes - 6;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
    await writeFile(pathOf(first), bytes);
    await truncate(pathOf(first), (last.object_offset ?? 0) + last.size_bytes - 1);
    await culprit.startWorker();
    await laneIsEmpty(culprit, EVENTS_LANE);

    expect(await fatesOf(project)).toEqual({ submitted: 14, dead_letter: 8, processed: 6 });
    const reasons = new Map((await lettersOf(project)).map(({ batch_id: id, reason }) => [id, reason]));
    expect([...reasons.keys()].toSorted()).toEqual([damaged.batch_id, last.batch_id].toSorted());
    expect(reasons.get(damaged.batch_id)).toMatch(/is damaged/);
    expect(reasons.get(last.batch_id)).toMatch(/is missing/);
    await nothingIsLeft(project);
  });

  it.each([
    [
      'with a damaged frame',
      async (path: string, bytes: Buffer) => {
        const at = Math.floor(bytes.length / 2);
        bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
        await writeFile(path, bytes);
      },
    ],
    ['that was cut', (path: string, bytes: Buffer) => truncate(path, Math.floor(bytes.length / 2))],
  ])('a large one %s loses the events of what is damaged and keeps the others', async (_what, damage) => {
    const project = await culprit.createProject();
    const batch = await send(project, 60, 12_000);
    expect(batch.object_offset).toBeNull();
    await damage(pathOf(batch), await readFile(pathOf(batch)));
    await culprit.startWorker();
    await laneIsEmpty(culprit, EVENTS_LANE);

    const { dead_letter: lost = 0, processed = 0, submitted } = await fatesOf(project);
    expect(submitted).toBe(60);
    expect(lost).toBeGreaterThan(0);
    expect(processed).toBeGreaterThan(0);
    expect(lost + processed).toBe(60);
    expect(await lettersOf(project)).toHaveLength(lost);
    await nothingIsLeft(project);
  });

  it('one that is there and cannot be read waits, holds up no other, and counts when it can be read', async () => {
    const project = await culprit.createProject();
    // In a file of its own, to which intake does not append.
    const batch = await send(project, 20, 12_000);
    // Permissions do not keep an administrator out; a link to itself does.
    await rename(pathOf(batch), `${pathOf(batch)}.away`);
    await symlink(pathOf(batch), pathOf(batch));
    await send(project, 3);
    await culprit.startWorker();
    await eventually(async () => expect(await fatesOf(project)).toEqual({ submitted: 23, processed: 3 }));
    await eventually(async () => {
      const jobs = await culprit.database.query<{ failures: number; last_error: string | null }>(
        { name: 'test-waiting-job', text: 'select failures, last_error from jobs where lane = $1' },
        [EVENTS_LANE],
      );
      expect(jobs).toEqual([{ failures: 0, last_error: expect.stringContaining(batch.object_key) }]);
    });
    expect(await lettersOf(project)).toEqual([]);
    await eventually(async () =>
      expect(await readUnreadable(culprit.database, 4)).toEqual({
        batches: 1,
        error: expect.stringContaining(batch.object_key),
      }),
    );

    await rm(pathOf(batch));
    await rename(`${pathOf(batch)}.away`, pathOf(batch));
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(await fatesOf(project)).toEqual({ submitted: 23, processed: 23 });
  });

  it('nothing is lost while their volume is away', async () => {
    const project = await culprit.createProject();
    await culprit.startWorker();
    await send(project, 1);
    await laneIsEmpty(culprit, EVENTS_LANE);
    const away = `${culprit.objectDirectory}.away`;
    await rename(culprit.objectDirectory, away);
    await mkdir(culprit.objectDirectory);
    await culprit.database.query(
      {
        name: 'test-again',
        text: `insert into jobs (lane, kind, fairness_key, payload)
          select $1, 'incidents.process-batch', project_id, jsonb_build_object('batchId', batch_id, 'objectKey', object_key)
          from batches where project_id = $2 limit 1`,
      },
      [EVENTS_LANE, idOf(project)],
    );
    await culprit.database.query({ name: 'test-wake', text: `select pg_notify('culprit_jobs', $1)` }, [
      EVENTS_LANE,
    ]);
    await eventually(async () => {
      const [job] = await culprit.database.query<{ last_error: string | null }>(
        { name: 'test-volume-job', text: 'select last_error from jobs where lane = $1' },
        [EVENTS_LANE],
      );
      expect(job?.last_error).toMatch(/volume/);
    });
    expect(await lettersOf(project)).toEqual([]);
    await rm(culprit.objectDirectory, { recursive: true });
    await rename(away, culprit.objectDirectory);
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(await fatesOf(project)).toEqual({ submitted: 1, processed: 1 });
  });
});

describe('where a store may answer late', () => {
  let s3: S3Server;
  let forgetCredentials: () => void;
  beforeAll(async () => {
    s3 = await startS3Server();
    forgetCredentials = giveCredentials(s3.credentials);
    culprit = await startCulprit({ hasWorker: false, objectStore: s3.place() });
  });
  afterAll(async () => {
    await culprit.stop();
    forgetCredentials();
    await s3.close();
  });

  it('an object that is missing is asked for again for two minutes, and then its events are dead letters', async () => {
    const project = await culprit.createProject();
    const batch = await send(project, 2);
    expect(
      s3.objects.keys().filter((key) => key.endsWith(batch.object_key) && s3.objects.delete(key)),
    ).toHaveLength(1);
    await culprit.startWorker();
    const lastError = async () => {
      const [job] = await culprit.database.query<{ last_error: string | null }>(
        { name: 'test-late-job', text: 'select last_error from jobs where lane = $1' },
        [EVENTS_LANE],
      );
      return job?.last_error;
    };
    await eventually(async () => expect(await lastError()).toMatch(/is missing/));
    expect(await lettersOf(project)).toEqual([]);
    await culprit.database.script(`update batches set received_at = received_at - interval '121 s'`);
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(await fatesOf(project)).toMatchObject({ submitted: 2, dead_letter: 2 });
    expect(await lettersOf(project)).toHaveLength(2);
  });
});
