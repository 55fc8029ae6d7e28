import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWakeUpPace, type WakeUpPace } from '../../src/pipeline/ingest/wake-up-pace.ts';

describe('the wake-ups of windows', () => {
  let wakeUps = 0;
  let pace: WakeUpPace;
  beforeEach(() => {
    vi.useFakeTimers();
    wakeUps = 0;
    pace = createWakeUpPace(async () => {
      wakeUps += 1;
    });
  });
  afterEach(() => vi.useRealTimers());

  /** Commits a window at once; tells whether it woke the worker itself. */
  function commit(isCommitted = true): boolean {
    const wakeUp = pace.begin();
    wakeUp.end(isCommitted);
    return wakeUp.wakes;
  }

  it('come with each window where windows are rare', async () => {
    for (let window = 0; window < 3; window += 1) {
      expect(commit()).toBe(true);
      await vi.advanceTimersByTimeAsync(15);
    }
    await vi.advanceTimersByTimeAsync(1000);
    expect(wakeUps).toBe(0);
  });

  it('come with every fifth window of a stream with one each 3 ms, and with no statement of their own', async () => {
    const woke: boolean[] = [];
    for (let window = 0; window < 15; window += 1) {
      woke.push(commit());
      await vi.advanceTimersByTimeAsync(3);
    }
    expect(woke.flatMap((wakes, window) => (wakes ? window : []))).toEqual([0, 5, 10]);
    expect(wakeUps).toBe(0);
  });

  it('follow the last windows of a stream within 25 ms, once', async () => {
    commit();
    await vi.advanceTimersByTimeAsync(5);
    expect([commit(), commit()]).toEqual([false, false]);
    await vi.advanceTimersByTimeAsync(19);
    expect(wakeUps).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(wakeUps).toBe(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(wakeUps).toBe(1);
  });

  it('follow a window whose commit ended in nobody knows what', async () => {
    commit();
    expect(commit(false)).toBe(false);
    await vi.advanceTimersByTimeAsync(25);
    expect(wakeUps).toBe(1);
  });

  it('still follow where the window that should have told of others failed', async () => {
    commit();
    commit();
    await vi.advanceTimersByTimeAsync(15);
    expect(commit(false)).toBe(true);
    await vi.advanceTimersByTimeAsync(25);
    expect(wakeUps).toBe(1);
  });

  it('still follow what was committed while a window that wakes was on its way', async () => {
    commit();
    await vi.advanceTimersByTimeAsync(15);
    const waking = pace.begin();
    expect(commit()).toBe(false);
    waking.end(true);
    await vi.advanceTimersByTimeAsync(25);
    expect([waking.wakes, wakeUps]).toEqual([true, 1]);
  });

  it('are not owed any more once they were flushed', async () => {
    commit();
    commit();
    await pace.flush();
    await pace.flush();
    await vi.advanceTimersByTimeAsync(1000);
    expect(wakeUps).toBe(1);
  });
});
