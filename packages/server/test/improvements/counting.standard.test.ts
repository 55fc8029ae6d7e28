import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMPROVEMENT_TABLES } from '../../src/pipeline/improvements/improvements.tables.ts';
import { dropCandidates } from '../../src/pipeline/improvements/locked-improvements.queries.ts';
import { parseId } from '../../src/platform/ids.ts';
import { deleteRowsPastWindow } from '../../src/upkeep/retention/old-rows.queries.ts';
import {
  ago,
  changed,
  DAY,
  EX,
  HOUR,
  LOG,
  MINUTE,
  REQ,
  type SentEvent,
} from '../conformance/incidents-fixtures.ts';
import { countRows } from '../support/count-rows.ts';
import { startCulprit, type TestCulprit } from '../support/culprit.ts';
import { deleteExpiredRows } from '../support/expired-rows.ts';
import { connectImprovements, type ImprovementClient } from '../support/improvement-client.ts';
import { moveClock } from '../support/move-clock.ts';
import { storeBatch } from '../support/store-batch.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit();
});
afterAll(() => culprit.stop());

function slow(count: number, change: Partial<SentEvent> = {}): SentEvent[] {
  const payload = { method: 'GET', path: '/api/search', response_status: 200, duration_ms: 2500 };
  return Array.from({ length: count }, () => changed(changed(REQ(), { payload }), change));
}

function idOf(client: ImprovementClient): string {
  return parseId(['proj'], client.project.projectId) ?? '';
}

async function rowsOf(client: ImprovementClient, table: string): Promise<number> {
  return await countRows(culprit, `${table} where project_id = $1`, [idOf(client)]);
}

describe('counting observations', () => {
  it('an event that comes again, or whose batch is delivered again, is one observation', async () => {
    const client = await connectImprovements(culprit);
    const events = slow(19).map((each, n) => ({ ...each, event_id: `${client.project.projectId}-${n}` }));
    await client.send(...events, ...events);
    await client.send(...events);
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    await culprit.database.query(
      {
        name: 'test-deliver-again',
        text: `insert into jobs (lane, kind, fairness_key, payload)
          select 'events', 'incidents.process-batch', project_id,
            jsonb_build_object('batchId', batch_id, 'objectKey', object_key, 'offset', object_offset,
              'sizeBytes', size_bytes)
          from batches where project_id = $1`,
      },
      [idOf(client)],
    );
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    await client.send(...slow(1));
    expect(await client.onlyImprovement()).toMatchObject({ occurrence_count: 20 });
  });

  it('the window ends with the newest receipt: what happened a day before it does not count', async () => {
    const client = await connectImprovements(culprit);
    await client.send(...slow(10, { timestamp: ago(DAY + MINUTE) }), ...slow(19));
    await client.judged();
    expect(await client.improvements()).toEqual([]);
    await client.send(...slow(1, { timestamp: ago(DAY - MINUTE) }));
    const found = await client.onlyImprovement();
    expect(found).toMatchObject({ occurrence_count: 20, evidence: { observed: 20 } });
    expect(Date.parse(found.first_detected_at)).toBeLessThan(Date.now() - DAY + 2 * MINUTE);
    await client.send(...slow(1, { timestamp: ago(3 * DAY) }));
    const late = await client.onlyImprovement();
    expect(late).toMatchObject({ occurrence_count: 21, last_detected_at: found.last_detected_at });
    expect(Date.parse(late.first_detected_at)).toBeLessThan(Date.now() - 3 * DAY + MINUTE);
  });

  it('what was received before a resolution and counted after it opens nothing', async () => {
    const client = await connectImprovements(culprit);
    await client.send(...slow(20));
    const { improvement_id: id } = await client.onlyImprovement();
    await client.change(id, 'resolve');
    const late = slow(20).map((event) => ({
      event,
      eventClass: 'context_signal' as const,
      matchedPolicy: null,
    }));
    await storeBatch(culprit, client.project, late, Date.now() - MINUTE);
    expect(await client.onlyImprovement()).toMatchObject({ status: 'resolved', occurrence_count: 40 });
  });

  it('an error that a rule demoted counts as a warning', async () => {
    const client = await connectImprovements(culprit);
    await client.settings({ improvement_bundle_sensitivity: 'verbose' });
    const demoted = Array.from({ length: 10 }, () => ({
      event: LOG('error', 'pool 3 is full'),
      matchedPolicy: 'log_level_error' as const,
      isDemoted: true,
    }));
    await storeBatch(culprit, client.project, demoted);
    expect(await client.onlyImprovement()).toMatchObject({ evidence: { detector: 'warning_hotspot' } });
  });

  it('exceptions leave no trace', async () => {
    const client = await connectImprovements(culprit);
    await client.send(...Array.from({ length: 30 }, () => EX()));
    await client.judged();
    expect(await rowsOf(client, 'improvements')).toBe(0);
  });

  it('a flood of keys is bounded, and what was seen most often stays', async () => {
    const client = await connectImprovements(culprit);
    const words = (n: number) => String.fromCharCode(97 + (n % 26), 97 + (Math.floor(n / 26) % 26));
    const flood = Array.from({ length: 400 }, (_, n) =>
      LOG('warning', `warning ${words(n)} of ${words(n * 7)}`),
    );
    await client.send(
      ...flood.slice(0, 200),
      ...Array.from({ length: 5 }, () => LOG('warning', 'the frequent one')),
    );
    await client.send(...flood.slice(200));
    await client.judged();
    expect(await rowsOf(client, 'improvements')).toBeGreaterThan(100);
    await culprit.database.transaction((transaction) => dropCandidates(transaction, idOf(client), 3));
    expect(await rowsOf(client, 'improvements')).toBe(3);
    const frequent = `improvements where project_id = $1 and detector_key = 'the frequent one'`;
    expect(await countRows(culprit, frequent, [idOf(client)])).toBe(1);
    expect(await rowsOf(client, 'improvement_counters')).toBe(3);
  });

  it('a document whose observations are gone cannot be made, and one that is gone cannot be read', async () => {
    const client = await connectImprovements(culprit);
    const answer = async (id: string) =>
      (await client.get(`/v1/projects/${client.project.projectId}/improvements/${id}/bundle`)).body;
    await client.settings({ automated_improvement_bundles_enabled: false });
    await client.send(...slow(20));
    const { improvement_id: id } = await client.onlyImprovement();
    await culprit.database.query(
      { name: 'test-lose-samples', text: 'delete from improvement_samples where improvement_id = $1' },
      [id],
    );
    await client.settings({ automated_improvement_bundles_enabled: true });
    expect(await answer(id)).toEqual({ status: 'pending' });
    expect(await client.onlyImprovement()).toMatchObject({ bundle_failure_reason: 'generation_error' });
    expect(await answer(id)).toEqual({ status: 'failed', reason: 'generation_error' });
    await client.change(id, 'resolve');
    await client.send(...slow(20));
    expect(await client.onlyImprovement()).toMatchObject({
      bundle_generation_number: 1,
      bundle_failure_reason: null,
    });
    await rm(join(culprit.objectDirectory, 'bundles', idOf(client)), { recursive: true });
    expect(await answer(id)).toEqual({ status: 'failed', reason: 'artifact_unreadable' });
  });

  it('what no window reaches is forgotten, and old improvements go with their bundles', async () => {
    const client = await connectImprovements(culprit);
    await client.send(
      ...slow(20),
      ...slow(3).map((each) => changed(each, { payload: { path: '/api/rare' } })),
    );
    await client.onlyImprovement();
    const nowMs = Date.now();
    try {
      await moveClock(culprit.database, DAY + 3 * HOUR);
      await deleteExpiredRows(culprit.database, IMPROVEMENT_TABLES);
      expect(await rowsOf(client, 'improvement_counters')).toBe(0);
      expect(await rowsOf(client, 'improvements')).toBe(1);
      expect(await deleteOld(culprit, idOf(client), nowMs - HOUR)).toBe(0);
      expect(await deleteOld(culprit, idOf(client), nowMs + HOUR)).toBe(1);
    } finally {
      await moveClock(culprit.database, 0);
    }
    expect(await client.improvements()).toEqual([]);
    expect(await rowsOf(client, 'lifecycle_events')).toBe(0);
    expect(await rowsOf(client, 'improvement_samples')).toBe(0);
    expect(
      await countRows(culprit, `object_tombstones where object_key like 'bundles/' || $1 || '/%'`, [
        idOf(client),
      ]),
    ).toBe(1);
  });
});

/** Deletes a project's improvements past a window, as its cleaning does; returns how many. */
async function deleteOld(culprit: TestCulprit, projectId: string, beforeMs: number): Promise<number> {
  const retention = IMPROVEMENT_TABLES.find(({ name }) => name === 'improvements')?.retention;
  if (typeof retention !== 'object' || !('window' in retention) || retention.window === undefined) {
    throw new Error('improvements have no window');
  }
  return await deleteRowsPastWindow(culprit.database, retention.window, projectId, beforeMs, 100);
}
