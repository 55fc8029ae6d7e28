import { randomBytes } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { retryDeadLetters, showDeadLetters } from '../../src/admin/dead-letters-command.ts';
import { EVENTS_LANE } from '../../src/pipeline/incidents/processing/incidents.jobs.ts';
import { newUuid, parseId } from '../../src/platform/ids.ts';
import { createEventLedger, KEPT, ledgerEvent, readCountedEvents } from '../reliability/event-ledger.ts';
import { findLeftOverWork } from '../reliability/left-over-work.ts';
import { startCulprit, type TestCulprit, type TestProject } from '../support/culprit.ts';
import { laneIsEmpty } from '../support/lane-jobs.ts';
import { runAdmin } from '../support/program.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  // Waits of 1 s to 10 min become 1 to 600 ms.
  culprit = await startCulprit({ retryScale: 0.001, hasWorker: false });
});
afterAll(() => culprit.stop());

function list(project: TestProject | null = null) {
  return showDeadLetters(culprit.database, { deadLetterIds: null, projectId: idOf(project) });
}
function retry(deadLetterId: number | null, project: TestProject | null = null) {
  return retryDeadLetters(culprit.database, {
    deadLetterIds: deadLetterId === null ? null : [deadLetterId],
    projectId: idOf(project),
  });
}
function idOf(project: TestProject | null): string | null {
  return project === null ? null : parseId(['proj'], project.projectId);
}

/** Three accepted events whose raw object is away; returns how to bring it back. */
async function sendWithoutObject(
  project: TestProject,
  keys: readonly string[],
): Promise<() => Promise<void>> {
  const answer = await sendEvents(
    culprit.url,
    project.projectToken,
    keys.map((key) => ledgerEvent(key, 'alpha', true).body),
  );
  expect(acknowledgement(answer).accepted).toBe(keys.length);
  const [batch] = await culprit.database.query<{ object_key: string }>(
    { name: 'test-batch-object', text: 'select object_key from batches where project_id = $1' },
    [parseId(['proj'], project.projectId)],
  );
  const path = join(culprit.objectDirectory, batch?.object_key ?? '');
  await rename(path, `${path}.away`);
  return () => rename(`${path}.away`, path);
}

describe('dead letters', () => {
  it('are listed with their reasons, put back once, and count like any other event then', {
    timeout: 60_000,
  }, async () => {
    const [project, other] = [await culprit.createProject(), await culprit.createProject()];
    const keys = [newUuid(), newUuid(), newUuid()];
    const bringBack = await sendWithoutObject(project, keys);
    await sendWithoutObject(other, [newUuid()]);
    await culprit.startWorker();
    await laneIsEmpty(culprit, EVENTS_LANE);

    const listed = await list(project);
    const letter = {
      project_id: project.projectId,
      attempts: 1,
      reason: expect.stringMatching(/missing/),
    };
    expect(listed).toMatchObject({
      total: 3,
      dead_letters: [0, 1, 2].map((position) => ({ ...letter, position })),
    });
    expect(await list()).toMatchObject({ total: 4 });

    // What was wrong is still wrong: it is parked again.
    const first = listed.dead_letters[0]?.id ?? 0;
    expect(await retry(first)).toEqual({ retried: 1 });
    await laneIsEmpty(culprit, EVENTS_LANE);
    expect(await retry(first)).toEqual({ retried: 0 });
    const again = await list(project);
    expect(again).toMatchObject({ total: 3 });
    expect(await fatesOf(project)).toEqual({ submitted: 3, dead_letter: 3 });

    await bringBack();
    const answers = await Promise.all([retry(null, project), retry(null, project)]);
    expect(answers.reduce((sum, { retried }) => sum + Number(retried), 0)).toBe(3);
    await culprit.drain();
    expect(await list()).toMatchObject({ total: 1, dead_letters: [{ project_id: other.projectId }] });
    expect(await fatesOf(project)).toEqual({ submitted: 3, dead_letter: 0, processed: 3 });
    const ledger = createEventLedger();
    ledger.note(
      keys.map((key) => ledgerEvent(key, 'alpha', true)),
      'accepted',
    );
    const ids = [parseId(['proj'], project.projectId) ?? ''];
    expect(ledger.judge(await readCountedEvents(culprit.database, ids))).toEqual(KEPT);
    expect(await findLeftOverWork(culprit.database, ids)).toEqual({});
    expect(await retry(null, project)).toEqual({ retried: 0 });
  });

  it('are shown without what a parser quotes of an event', async () => {
    await culprit.database.query(
      {
        name: 'test-quoting-letter',
        text: `insert into dead_letters (project_id, batch_id, position, reason, attempts)
          select project_id, gen_random_uuid(), 0, $1, 8 from projects limit 1`,
      },
      ['Unexpected token \'s\', ..."secret-word"\n"more" is not valid JSON'],
    );
    const text = JSON.stringify(await list());
    expect(text).toContain('Unexpected token … is not valid JSON');
    expect(text).not.toContain('secret-word');
  });

  it('are put back by the command, which wants to know which', async () => {
    const settings = {
      CULPRIT_DATABASE_URL: culprit.databaseUrl,
      CULPRIT_DATA_KEY: randomBytes(32).toString('base64'),
    };
    const vague = await runAdmin(settings, ['dead-letters', 'retry']);
    expect(vague).toMatchObject({ ending: 1, stderr: expect.stringContaining('either --id or --all') });
    const unknown = await runAdmin(settings, ['dead-letters', 'retry', '--id', '999999999', '--json']);
    expect(unknown).toMatchObject({
      ending: 1,
      stdout: '',
      stderr: expect.stringContaining('No dead letter has the id 999999999'),
    });
    const all = await runAdmin(settings, ['dead-letters', 'retry', '--all', '--json']);
    expect(all).toMatchObject({ ending: 0 });
    expect(JSON.parse(all.stdout)).toEqual({ retried: expect.any(Number) });
  });
});

async function fatesOf(project: TestProject): Promise<Record<string, number>> {
  const rows = await culprit.database.query<{ fate: string; events: number }>(
    {
      name: 'test-fates-of',
      text: 'select fate, sum(events)::bigint as events from event_fates where project_id = $1 group by fate',
    },
    [parseId(['proj'], project.projectId)],
  );
  return Object.fromEntries(rows.map(({ fate, events }) => [fate, events]));
}
