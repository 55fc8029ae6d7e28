// Proves 54.
import { readFile } from 'node:fs/promises';
import { isJsonObject } from '@culprit/evidence/events/envelope/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeBatchObject } from '../../src/pipeline/stored-events/batch-object.ts';
import { newUuid } from '../../src/platform/ids.ts';
import { HOSTED, startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { intakeWaitsForLock, whileInsertsRun, whileLocked } from '../support/database-faults.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { listRawObjects, readStoredBatches } from '../support/stored-events.ts';

/** docs/contract/reliability.md A1 and test 54: at the answer, object, row and job exist. No worker runs. */

let culprit: TestCulprit;

beforeAll(async () => {
  culprit = await startCulprit({ plans: HOSTED, hasWorker: false });
});
afterAll(() => culprit.stop());

function log(level = 'error', eventId = newUuid()) {
  return {
    event_type: 'log_event',
    timestamp: '2026-03-24T10:30:00Z',
    event_id: eventId,
    service: { name: 'api-server', environment: 'production' },
    payload: { level, message: 'payment failed', attributes: { password: 'hunter2', order: 'o-17' } },
  };
}

/** Events with what becomes of each at acceptance under the preset `balanced`. */
const MIXED = [
  [() => log(), null],
  [() => log('info'), 'capture_policy_rejected'],
  [() => ({ ...log(), event_type: 'nope' }), 'Invalid event_type: nope'],
  [() => log('warning'), null],
  [() => ({ ...log(), colour: 'red' }), 'invalid_event: unknown field "colour"'],
] as const;

/** Ids of the events that lie in objects which have a row and a job. */
async function storedIds(project: TestProject): Promise<Set<string>> {
  const batches = await readStoredBatches(culprit, project.projectId);
  const ids = new Set<string>();
  for (const batch of batches) {
    expect(batch.hasJob).toBe(true);
    expect(batch.records.map((record) => record.position)).toEqual(batch.records.map((_, index) => index));
    for (const { eventBytes } of batch.records) {
      const event: unknown = JSON.parse(eventBytes.toString());
      if (isJsonObject(event)) ids.add(String(event.event_id));
    }
  }
  return ids;
}

/** Sends a mixed batch and looks at once for what its answer promises. */
async function sendAndLook(project: TestProject, sizeMax: number): Promise<void> {
  const chosen = Array.from({ length: sizeMax }, (_, index) => MIXED[(index * 7 + sizeMax) % MIXED.length]);
  const sent = chosen.flatMap((each) => (each === undefined ? [] : [{ event: each[0](), reason: each[1] }]));
  const answer = await sendEvents(
    culprit.url,
    project.projectToken,
    sent.map(({ event }) => event),
  );
  const stored = await storedIds(project);
  const { accepted, errors } = acknowledgement(answer);
  expect(errors).toEqual(sent.flatMap(({ reason }, index) => (reason === null ? [] : [{ index, reason }])));
  expect(accepted).toBe(sent.length - errors.length);
  for (const { event, reason } of sent) {
    expect([event.event_id, stored.has(event.event_id)]).toEqual([event.event_id, reason === null]);
  }
}

describe('at the moment of a 202', () => {
  it('every accepted event lies in an object with a row and a job, and no refused one does', async () => {
    const project = await culprit.createProject({ plan: 'solo' });
    for (let size = 1; size <= 16; size += 1) await sendAndLook(project, size);
  });

  it('the same holds for requests that share a window, of one project and of several', async () => {
    const projects = await Promise.all(
      Array.from({ length: 3 }, () => culprit.createProject({ plan: 'team' })),
    );
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(
        projects.flatMap((project) => Array.from({ length: 8 }, (_, size) => sendAndLook(project, size + 1))),
      );
    }
    const requests = 3 * 3 * 8;
    const objects = (
      await Promise.all(projects.map(({ projectId }) => listRawObjects(culprit, projectId)))
    ).flat().length;
    expect(objects).toBeGreaterThan(0);
    expect(objects).toBeLessThan(requests);
  });

  it('the object came before the row, and the answer waits for both', async () => {
    const project = await culprit.createProject({ plan: 'team' });
    const event = log();
    const answering = await whileLocked(culprit, 'lock table batches in exclusive mode', async () => {
      const sending = sendEvents(culprit.url, project.projectToken, [event]);
      await intakeWaitsForLock(culprit);
      const [path = ''] = await listRawObjects(culprit, project.projectId);
      const { records } = await decodeBatchObject(await readFile(path));
      expect(records.map((record) => JSON.parse(record.eventBytes.toString()).event_id)).toEqual([
        event.event_id,
      ]);
      // An answer sent before the commit would have arrived by the time this one has.
      expect((await fetch(`${culprit.url}/v1/unknown`)).status).toBe(404);
      expect(await Promise.race([sending.then(() => 'answered'), Promise.resolve('waits')])).toBe('waits');
      return { sending };
    });
    expect(await answering.sending).toMatchObject({ status: 202 });
    expect(await storedIds(project)).toEqual(new Set([event.event_id]));
  });

  it('the commit was synchronous, although the rate budget before it need not be', async () => {
    const project = await culprit.createProject({ plan: 'free' });
    await whileInsertsRun(
      culprit,
      'batches',
      `if current_setting('synchronous_commit') <> 'on' then raise exception 'not synchronous'; end if;`,
      async () => {
        expect((await sendEvents(culprit.url, project.projectToken, [log()])).status).toBe(202);
      },
    );
    expect(await storedIds(project)).toHaveProperty('size', 1);
  });

  it('secrets by key were removed before anything was stored', async () => {
    const project = await culprit.createProject({ plan: 'team' });
    expect((await sendEvents(culprit.url, project.projectToken, [log()])).status).toBe(202);
    const [batch] = await readStoredBatches(culprit, project.projectId);
    const text = batch?.records[0]?.eventBytes.toString() ?? '';
    expect(text).toContain('o-17');
    expect(text).not.toContain('hunter2');
  });
});
