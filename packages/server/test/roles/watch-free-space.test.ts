// Proves 12.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import type { FreeSpace } from '../../src/platform/objects/object-store.ts';
import { watchFreeSpace } from '../../src/roles/watch-free-space.ts';

/** docs/contract/reliability.md A6: 512 MB or 5 % of the volume, 5 % of its file entries. */

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const log = createLogger({ level: 'silent', role: 'test' });

const ROOMY: FreeSpace = { freeBytes: 50 * GIB, totalBytes: 100 * GIB, freeFiles: null, totalFiles: null };

describe('a volume has enough room', () => {
  it.each<[string, Partial<FreeSpace>, number | null, boolean]>([
    ['with half of it free', {}, null, true],
    ['from 5 % on', { totalBytes: 40 * GIB, freeBytes: 2 * GIB }, null, true],
    ['not with less than 5 %', { totalBytes: 40 * GIB, freeBytes: 2 * GIB - 1 }, null, false],
    [
      'not with less than 512 MB, however small it is',
      { totalBytes: GIB, freeBytes: 512 * MIB - 1 },
      null,
      false,
    ],
    ['from 512 MB on when it is small', { totalBytes: GIB, freeBytes: 512 * MIB }, null, true],
    ['from 4 GB on, however large it is', { totalBytes: 4000 * GIB, freeBytes: 4 * GIB }, null, true],
    ['by the number of the operator, if there is one', { freeBytes: 10 * MIB }, 10 * MIB, true],
    ['not below that number', { freeBytes: 10 * MIB - 1 }, 10 * MIB, false],
    ['with 5 % of its file entries', { totalFiles: 1000, freeFiles: 50 }, null, true],
    ['not with fewer file entries', { totalFiles: 1000, freeFiles: 49 }, null, false],
    ['not with fewer file entries, whatever the operator set', { totalFiles: 1000, freeFiles: 49 }, 1, false],
  ])('%s', async (_name, space, minBytes, expected) => {
    const watch = await watchFreeSpace({ freeSpace: async () => ({ ...ROOMY, ...space }) }, minBytes, log);
    watch.stop();
    expect(watch.isEnough()).toBe(expected);
  });
});

describe('the watch', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('sees a volume fill up and get room again within a second', async () => {
    let freeBytes = 50 * GIB;
    const logged = vi.spyOn(log, 'error');
    const watch = await watchFreeSpace({ freeSpace: async () => ({ ...ROOMY, freeBytes }) }, null, log);
    freeBytes = 0;
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.isEnough()).toBe(false);
    expect(logged).toHaveBeenCalledWith(
      { freeBytes: 0, neededBytes: 4 * GIB, freeFiles: null },
      expect.stringContaining('events are answered 503'),
    );
    freeBytes = 50 * GIB;
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.isEnough()).toBe(true);
    watch.stop();
  });

  it('looks only every ten seconds while nobody asks, and at the next second when somebody does', async () => {
    let looks = 0;
    const watch = await watchFreeSpace(
      {
        async freeSpace() {
          looks += 1;
          return ROOMY;
        },
      },
      null,
      log,
    );
    await vi.advanceTimersByTimeAsync(1000);
    expect(looks).toBe(2);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(looks).toBe(4);
    watch.isEnough();
    await vi.advanceTimersByTimeAsync(1000);
    expect(looks).toBe(5);
    watch.stop();
  });

  it('keeps what it knew while the volume cannot be asked, and never asks twice at a time', async () => {
    let asked = 0;
    const answers: ((space: FreeSpace) => void)[] = [];
    const watch = await watchFreeSpace(
      {
        freeSpace() {
          asked += 1;
          if (asked === 1) return Promise.resolve({ ...ROOMY, freeBytes: 0 });
          if (asked === 2) return Promise.reject(new Error('input/output error'));
          return new Promise((resolve) => answers.push(resolve));
        },
      },
      null,
      log,
    );
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.isEnough()).toBe(false);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(asked).toBe(3);
    answers[0]?.(ROOMY);
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.isEnough()).toBe(true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked).toBe(4);
    watch.stop();
  });
});
