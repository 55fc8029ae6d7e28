import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseUnavailableError } from '../../src/platform/db/database.ts';
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
    const { log, lines } = warnings();
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

  it('run one step at a time: the shortest interval first, and what has much to do lets the others go on', async () => {
    const order: string[] = [];
    let atOnce = 0;
    let atOnceMax = 0;
    const stepping = (name: string, count: number, intervalMs: number): ScheduleRow => ({
      ...task(name, async function* () {
        for (let step = 0; step < count; step += 1) {
          atOnce += 1;
          atOnceMax = Math.max(atOnceMax, atOnce);
          order.push(name);
          await new Promise((resolve) => setImmediate(resolve));
          atOnce -= 1;
          yield;
        }
      }),
      intervalMs,
    });
    const running = startSchedules(await workerRuntime(culprit, SELF_HOSTED), {
      retryScale: 1,
      schedules: [
        stepping('daily', 1, 86_400_000),
        stepping('hourly', 3, 3_600_000),
        stepping('soon', 1, 15_000),
      ],
    });
    try {
      await eventually(async () => expect(order).toHaveLength(5));
    } finally {
      await running.stop();
    }
    expect(atOnceMax).toBe(1);
    expect(order.slice(0, 2)).toEqual(['soon', 'hourly']);
    expect(order.slice(2).toSorted()).toEqual(['daily', 'hourly', 'hourly']);
  });

  it('go before all that is due when they are woken', async () => {
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const woken: ScheduleRow = {
      ...task('woken', async function* () {
        order.push('woken');
        yield;
      }),
      due: 'select',
    };
    const others = Array.from({ length: 3 }, (_, index) => ({
      ...task(`other-${index}`, async function* () {
        order.push('other');
        await gate.promise;
        yield;
      }),
      intervalMs: 7_200_000,
    }));
    const running = startSchedules(await workerRuntime(culprit, SELF_HOSTED), {
      retryScale: 1,
      schedules: [...others, woken],
    });
    try {
      await eventually(async () => expect(order).toEqual(['woken', 'other']));
      running.targets[0]?.wake();
      gate.resolve();
      await eventually(async () => expect(order).toHaveLength(5));
    } finally {
      gate.resolve();
      await running.stop();
    }
    expect(order).toEqual(['woken', 'other', 'woken', 'other', 'other']);
  });

  it('that an outage ends are one warning without a stack, and the others are tried', async () => {
    const { log, lines } = warnings();
    const tried = new Set<string>();
    const running = startSchedules(await workerRuntime(culprit, SELF_HOSTED, log), {
      retryScale: 0.01,
      schedules: ['first', 'second', 'third'].map((name) =>
        task(name, async function* () {
          tried.add(name);
          yield;
          throw new DatabaseUnavailableError('timeout exceeded when trying to connect');
        }),
      ),
    });
    try {
      await eventually(async () => expect(tried.size).toBe(3));
    } finally {
      await running.stop();
    }
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ task: 'first', errorName: 'DatabaseUnavailableError' });
    expect(lines[0]).not.toHaveProperty('stack');
  });

  it('are leased to one process, and whoever comes early only reads: a lock would be a commit to write', async () => {
    const { database } = culprit;
    const lockedBy = {
      name: 'test-lock',
      text: `select xmax::text as locked from maintenance_tasks where task = 'leased'`,
    };
    expect(await leaseTask(database, 'leased', 60)).toBe(true);
    const before = await database.query(lockedBy);
    expect(await leaseTask(database, 'leased', 60)).toBe(false);
    expect(await database.query(lockedBy)).toEqual(before);
    await database.script(`update maintenance_tasks set due_at = culprit_now() where task = 'leased'`);
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

/** A log, and what it was warned of. */
function warnings() {
  const lines: Record<string, unknown>[] = [];
  const log = createLoggerTo(
    { write: (line) => void lines.push(JSON.parse(line)) },
    { level: 'warn', role: 'test' },
  );
  return { log, lines };
}

function task(name: string, steps: () => AsyncGenerator<void>): ScheduleRow {
  return { name, intervalMs: 3_600_000, runBy: 'each process', steps };
}
