import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type BodyScheduler,
  createBodyScheduler,
  LARGE_BODY_BYTES,
  type ScheduledBody,
  SILENCE_MS,
} from '../../src/pipeline/ingest/body-scheduler.ts';
import { type Budget, createBudget, tenantShare } from '../../src/platform/http/limits/budget.ts';
import { createLoopScheduler } from '../../src/platform/http/limits/loop-scheduler.ts';

const MEBIBYTE = 1024 * 1024;
const SMALL = 1000;
const LARGE = MEBIBYTE;
/** Of a megabyte of empty objects. */
const NEEDED = 14 * MEBIBYTE;

let budget: Budget;
let scheduler: BodyScheduler;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  budget = createBudget({ requestsMax: 256, bytesMax: 32 * MEBIBYTE }, tenantShare);
  scheduler = createBodyScheduler(createLoopScheduler({ requestsInFlight: () => 0 }));
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work of so many slices, each of which is noted when it is done. */
function* noting(name: string, slices: number, done: string[]): Sliced<string> {
  for (let slice = 1; slice <= slices; slice += 1) {
    yield 100_000;
    done.push(`${name}${slice}`);
  }
  return name;
}

interface Body {
  sender?: string;
  name?: string;
  sizeBytes?: number;
  slices?: number;
  reservedBytes?: number;
  isGone?: () => boolean;
}

/** One body from its first byte to its answer; null when there was no capacity for it. */
async function send(done: string[], body: Body): Promise<string | null> {
  const { sender = 'a', name = 'x', sizeBytes = LARGE, slices = 4, reservedBytes = 0 } = body;
  const claim = budget.open(sender);
  const scheduled = scheduler.open({ sender, line: sender, claim, isGone: body.isGone ?? (() => false) });
  try {
    if (!(await scheduled.begin(sizeBytes))) return null;
    if (!(await receive(scheduled, sizeBytes))) return null;
    return await scheduled.judge(
      (function* () {
        scheduled.reserveBytes(reservedBytes);
        return yield* noting(name, slices, done);
      })(),
    );
  } finally {
    scheduled.close();
    claim.close();
  }
}

async function receive(scheduled: ScheduledBody, sizeBytes: number): Promise<boolean> {
  for (let left = sizeBytes; left > 0; left -= LARGE_BODY_BYTES) {
    if (!(await scheduled.takeBytes(Math.min(left, LARGE_BODY_BYTES)))) return false;
  }
  return true;
}

async function turnsPass(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
}

/** A large body that was let in and of which nothing has come yet. */
async function begun(sender = 'a'): Promise<ScheduledBody> {
  const scheduled = scheduler.open({ sender, line: sender, claim: budget.open(sender), isGone: () => false });
  expect(await scheduled.begin(LARGE)).toBe(true);
  return scheduled;
}

describe('large bodies of one sender', () => {
  it('are under way one at a time, the earliest first, with small ones beside them', async () => {
    const done: string[] = [];
    const ended: (string | null)[] = [];
    const run = (body: Body) => send(done, body).then((name) => ended.push(name));
    await Promise.all([
      run({ name: 'x' }),
      run({ name: 'y' }),
      run({ name: 's', sizeBytes: SMALL, slices: 1 }),
      run({ name: 'z' }),
    ]);
    expect(ended).toEqual(['s', 'x', 'y', 'z']);
    expect(done.filter((each) => !each.startsWith('s')).join()).toBe('x1,x2,x3,x4,y1,y2,y3,y4,z1,z2,z3,z4');
  });

  it('stay unread while they wait', async () => {
    await begun();
    const second = send([], {});
    const large = vi.fn();
    void second.then(large);
    await turnsPass();
    expect(large).not.toHaveBeenCalled();
    expect(budget.bytesInFlight).toBe(0);
  });

  it('do not wait for those of another sender', async () => {
    await begun('a');
    expect(await send([], { sender: 'b', name: 'y' })).toBe('y');
  });

  it('of undeclared size wait from the size on that makes them large', async () => {
    await begun();
    const scheduled = scheduler.open({
      sender: 'a',
      line: 'a',
      claim: budget.open('a'),
      isGone: () => false,
    });
    expect(await scheduled.begin(null)).toBe(true);
    expect(scheduled.takeBytes(LARGE_BODY_BYTES)).toBe(true);
    const granted = vi.fn();
    void Promise.resolve(scheduled.takeBytes(1)).then(granted);
    await turnsPass();
    expect(granted).not.toHaveBeenCalled();
  });

  it('are all judged, sixty-four that need most of the memory included, while another sender is there', async () => {
    const neighbor = budget.open('neighbor');
    expect(neighbor.enter()).toBe(true);
    let mostBytes = 0;
    const done: string[] = [];
    const all = Array.from({ length: 64 }, (_, index) =>
      send(done, { name: `${index} `, reservedBytes: NEEDED }).then((name) => {
        mostBytes = Math.max(mostBytes, budget.bytesInFlight);
        return name;
      }),
    );
    expect(await Promise.all(all)).toEqual(Array.from({ length: 64 }, (_, index) => `${index} `));
    // There is always some left for requests that do not wait.
    expect(mostBytes).toBeLessThanOrEqual(24 * MEBIBYTE);
    expect(budget.bytesInFlight).toBe(0);
  });

  it('are refused when too many wait, or for too long', async () => {
    await begun();
    const refused: number[] = [];
    const bodies = Array.from({ length: 300 }, (_, index) =>
      send([], {}).then((name) => {
        if (name === null) refused.push(index);
      }),
    );
    await turnsPass();
    // Seven eighths of those that may wait, as it is alone.
    expect(refused).toEqual(Array.from({ length: 76 }, (_, index) => 224 + index));
    expect(await send([], { sender: 'b', name: 'y' })).toBe('y');
    // The first one keeps sending, so that it does not fall silent.
    scheduler.refuseWaiting();
    await Promise.all(bodies);
    expect(refused).toHaveLength(300);
  });

  it('are not judged when their client has gone while they waited', async () => {
    const done: string[] = [];
    const first = send(done, { name: 'x', isGone: () => true });
    const second = send(done, { name: 'y', isGone: () => true });
    expect(await Promise.all([first, second])).toEqual(['x', null]);
    expect(done).toEqual(['x1', 'x2', 'x3', 'x4']);
  });
});

describe('a large body that falls silent', () => {
  it('lets the next one go on, and then goes before later ones', async () => {
    const silent = await begun();
    const done: string[] = [];
    const second = send(done, { name: 'y' });
    const third = send(done, { name: 'z' });
    vi.advanceTimersByTime(SILENCE_MS);
    await nextTurn();
    const resumed = Promise.resolve(silent.takeBytes(LARGE_BODY_BYTES + 1)).then(() => done.push('resumed'));
    await second;
    await resumed;
    silent.close();
    await third;
    expect(done.join()).toBe('y1,y2,y3,y4,resumed,z1,z2,z3,z4');
  });

  it('goes on outside the line with few bytes', async () => {
    const silent = await begun();
    vi.advanceTimersByTime(SILENCE_MS);
    const other = await begun();
    for (let byte = 0; byte < 1000; byte += 1) expect(silent.takeBytes(1)).toBe(true);
    other.close();
  });

  it('lets sixty-four others be judged, although four do', async () => {
    for (let count = 0; count < 4; count += 1) {
      const begins = begun();
      await turnsPass(2);
      vi.advanceTimersByTime(SILENCE_MS);
      await begins;
    }
    vi.advanceTimersByTime(SILENCE_MS);
    const all = Array.from({ length: 64 }, (_, index) => send([], { name: `${index} ` }));
    expect((await Promise.all(all)).every((name) => name !== null)).toBe(true);
  });
});
