import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLoggerTo } from '../../src/platform/log.ts';
import { startSchedules } from '../../src/roles/run-schedules.ts';
import { SCHEDULES, type ScheduleRow } from '../../src/roles/schedules.ts';
import { leaseTask } from '../../src/upkeep/retention/maintenance.queries.ts';
import { SELF_HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { eventually } from '../support/eventually.ts';
import { workerRuntime } from '../support/worker-runtime.ts';

let culprit: TestCulprit;
beforeAll(async () => {
  culprit = await startCulprit({ hasWorker: false });
});
afterAll(() => culprit.stop());

describe('the periodic tasks of a worker', () => {
  it('have names of their own', () => {
    expect(new Set(SCHEDULES.map(({ name }) => name)).size).toBe(SCHEDULES.length);
  });

  it('go on until nothing is left, whatever fails beside them, and failures are logged with their stack', async () => {
    let steps = 0;
    const lines: Record<string, unknown>[] = [];
    const log = createLoggerTo(
      { write: (line) => void lines.push(JSON.parse(line)) },
      { level: 'warn', role: 'test' },
    );
    const schedules: ScheduleRow[] = [
      task('failing', async function* () {
        yield;
        throw new TypeError('planted');
      }),
      task('working', async function* () {
        for (; steps < 100; steps += 1) yield;
      }),
    ];
    const running = startSchedules(await workerRuntime(culprit, SELF_HOSTED, log), {
      retryScale: 1,
      schedules,
    });
    try {
      await eventually(async () => expect(steps).toBe(100));
      await eventually(async () => expect(lines).toHaveLength(1));
    } finally {
      await running.stop();
    }
    expect(lines[0]).toMatchObject({
      task: 'failing',
      errorName: 'TypeError',
      errorMessage: 'planted',
      stack: expect.stringContaining('run-schedules.test.ts'),
      msg: 'periodic task failed',
    });
  });

  it('are leased to one process, and whoever comes early only reads: a lock would be a commit to write', async () => {
    const { database } = culprit;
    const lockedBy = {
      name: 'test-lock',
      text: `select xmax::text as locked from chores where chore = 'leased'`,
    };
    expect(await leaseTask(database, 'leased', 60)).toBe(true);
    const before = await database.query(lockedBy);
    expect(await leaseTask(database, 'leased', 60)).toBe(false);
    expect(await database.query(lockedBy)).toEqual(before);
    await database.script(`update chores set due_at = culprit_now() where chore = 'leased'`);
    expect(await leaseTask(database, 'leased', 60)).toBe(true);
  });

  it('stop between two steps', async () => {
    let steps = 0;
    const endless = task('endless', async function* () {
      for (;;) {
        steps += 1;
        yield;
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    const running = startSchedules(await workerRuntime(culprit, SELF_HOSTED), {
      retryScale: 1,
      schedules: [endless],
    });
    await eventually(async () => expect(steps).toBeGreaterThan(10));
    await running.stop();
    const stoppedAt = steps;
    await new Promise((resolve) => setImmediate(resolve));
    expect(steps).toBe(stoppedAt);
  });
});

function task(name: string, steps: () => AsyncGenerator<void>): ScheduleRow {
  return { name, intervalMs: 3_600_000, runBy: 'each process', steps };
}
