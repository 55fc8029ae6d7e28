import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createLoopScheduler,
  type LoopScheduler,
  type SlicedWork,
} from '../../../src/platform/http/limits/loop-scheduler.ts';

function schedulerOf(turnWorkMax: number, requestsInFlight = () => 0): LoopScheduler {
  return createLoopScheduler({ turnWorkMax, requestsInFlight });
}

/** Work of so many slices, each of which is noted when it is done. */
function* noting(name: string, slices: number, done: string[], work = 1): SlicedWork<string> {
  for (let slice = 1; slice <= slices; slice += 1) {
    yield work;
    done.push(`${name}${slice}`);
  }
  return name;
}

/** Slices that take so long each, by a clock that only they and a test move. */
function* lasting(slices: number, ms: number, done: number[]): SlicedWork<null> {
  for (let slice = 1; slice <= slices; slice += 1) {
    yield 1;
    vi.advanceTimersByTime(ms);
    done.push(slice);
  }
  return null;
}

function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
}
afterEach(() => {
  vi.useRealTimers();
});

async function turns(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await nextTurn();
}

describe('the turns of the event loop', () => {
  it('are not waited for while there is time in the one that runs', async () => {
    const done: string[] = [];
    const result = schedulerOf(10).run('a', 'small', noting('x', 3, done));
    expect(done).toEqual(['x1', 'x2', 'x3']);
    expect(await result).toBe('x');
  });

  it('have no more work than the limit each', async () => {
    const done: string[] = [];
    const result = schedulerOf(10).run('a', 'large', noting('x', 20, done, 3));
    const perTurn: number[] = [];
    while (done.length < 20) {
      perTurn.push(done.length);
      await nextTurn();
    }
    await result;
    // Ten units are reached with the fourth slice of three.
    expect(perTurn[0]).toBe(4);
    for (let turn = 1; turn < perTurn.length; turn += 1) {
      expect((perTurn[turn] ?? 0) - (perTurn[turn - 1] ?? 0)).toBeLessThanOrEqual(4);
    }
    expect(perTurn.length).toBeGreaterThanOrEqual(4);
  });

  it.each(['small', 'large'] as const)('go round by sender among %s work', async (size) => {
    const scheduler = schedulerOf(2);
    const done: string[] = [];
    const floods = Array.from({ length: 64 }, (_, index) =>
      scheduler.run('flood', size, noting(`f${index}.`, 50, done)),
    );
    await scheduler.run('other', size, noting('o', 3, done));
    expect(done.filter((each) => each.startsWith('f')).length).toBeLessThan(64);
    await Promise.all(floods);
    expect(done).toHaveLength(64 * 50 + 3);
  });

  it('are for small work first, however many senders of large work there are', async () => {
    const scheduler = schedulerOf(1);
    const done: string[] = [];
    const floods = Array.from({ length: 64 }, (_, index) =>
      scheduler.run(`flood ${index}`, 'large', noting('f', 20, done)),
    );
    await scheduler.run('other', 'small', noting('o', 20, done));
    // One large slice in each turn beside it.
    expect(done.filter((each) => each.startsWith('f')).length).toBeLessThan(25);
    await Promise.all(floods);
  });

  it('have a slice of large work each, however much small work there is', async () => {
    const scheduler = schedulerOf(1);
    const done: string[] = [];
    const floods = Array.from({ length: 64 }, (_, index) =>
      scheduler.run(`flood ${index}`, 'small', noting('f', 20, done)),
    );
    await scheduler.run('other', 'large', noting('o', 20, done));
    expect(done.filter((each) => each.startsWith('f')).length).toBeLessThan(64 * 20);
    await Promise.all(floods);
  });

  it('leave large work half of the time while small requests are under way', async () => {
    const scheduler = schedulerOf(1, () => 1);
    stopClock();
    const done: number[] = [];
    const result = scheduler.run('a', 'large', lasting(4, 20, done));
    for (let slices = 1; slices <= 4; slices += 1) {
      await turns();
      expect(done).toHaveLength(slices);
      vi.advanceTimersByTime(18);
      await turns();
      expect(done).toHaveLength(slices);
      vi.advanceTimersByTime(3);
    }
    await result;
  });

  it('leave large work all of the time while only requests with large work are under way', async () => {
    const scheduler = schedulerOf(1, () => 1);
    const removeRequest = scheduler.addLargeRequest();
    stopClock();
    const done: number[] = [];
    const result = scheduler.run('a', 'large', lasting(4, 20, done));
    for (let turn = 0; turn < 8; turn += 1) await nextTurn();
    expect(done).toHaveLength(4);
    removeRequest();
    await result;
  });

  it('end work that may not go on, and go on after work that throws', async () => {
    const scheduler = schedulerOf(2);
    // biome-ignore lint/correctness/useYield: what fails before its first slice
    const failing = function* (): SlicedWork<never> {
      throw new Error('broken');
    };
    const done: string[] = [];
    const stopped = scheduler.run('a', 'large', noting('x', 9, done), () => done.length < 3);
    const broken = scheduler.run('a', 'large', failing());
    const last = scheduler.run('a', 'large', noting('z', 9, []));
    await expect(broken).rejects.toThrow('broken');
    expect([await stopped, await last]).toEqual([null, 'z']);
    expect(done).toEqual(['x1', 'x2', 'x3']);
  });

  it('come to work that rests although nothing else happens', async () => {
    const scheduler = schedulerOf(1, () => 1);
    const done: number[] = [];
    stopClock();
    await scheduler.run('a', 'large', lasting(1, 10, done));
    vi.useRealTimers();
    const next = scheduler.next('a', 1, 'large');
    expect(next).not.toBeNull();
    await Promise.race([next, delay(5000).then(() => Promise.reject(new Error('it still rests')))]);
  });
});
