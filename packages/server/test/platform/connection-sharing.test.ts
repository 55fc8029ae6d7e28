import { describe, expect, it } from 'vitest';
import { createConnectionSharing } from '../../src/platform/db/connection-sharing.ts';

const MAX = 4;

/** Which of them go on by the next turn of the event loop. */
async function over(waits: readonly Promise<void>[]): Promise<number[]> {
  const found: number[] = [];
  for (const [index, wait] of waits.entries()) void wait.then(() => found.push(index));
  await new Promise((resolve) => setImmediate(resolve));
  return found;
}

describe('who finds a connection in use', () => {
  it('goes on when it is released, the longest waiting first, one for each release', async () => {
    const sharing = createConnectionSharing(MAX, 20, () => 0);
    const takes = [sharing.take(), sharing.take(), sharing.take()];
    expect(await over(takes)).toEqual([0]);
    sharing.released();
    expect(await over(takes)).toEqual([0, 1]);
    sharing.released();
    expect(await over(takes)).toEqual([0, 1, 2]);
  });

  it('takes another after a moment', async () => {
    const sharing = createConnectionSharing(MAX, 20, () => 0);
    await sharing.take();
    await expect(sharing.take()).resolves.toBeUndefined();
  });

  it('does not wait where all are in use, which the pool does', async () => {
    const sharing = createConnectionSharing(1, 20, () => 0);
    expect(await over([sharing.take(), sharing.take()])).toEqual([0, 1]);
  });

  it('waits no more in a second in which many did, and again in the next', async () => {
    let nowMs = 0;
    const sharing = createConnectionSharing(100, 20, () => nowMs);
    await sharing.take();
    const many = Array.from({ length: 20 }, () => sharing.take());
    expect(await over(many)).toEqual([]);
    expect(await over([sharing.take()])).toEqual([0]);
    nowMs = 1000;
    expect(await over([sharing.take()])).toEqual([]);
    await Promise.all(many);
  });
});
