import type { SeededRandom } from '../../packages/server/test/support/seeded-random.ts';

/** A clock that jumps from one happening to the next. */
export interface VirtualTime {
  nowMs(): number;
  after(waitMs: number, happen: () => void): void;
  /** Lets everything happen up to a moment. */
  runUntil(endMs: number): void;
}

interface Happening {
  atMs: number;
  order: number;
  happen: () => void;
}

export function createVirtualTime(): VirtualTime {
  const heap: Happening[] = [];
  let nowMs = 0;
  let order = 0;

  function isBefore(a: Happening, b: Happening): boolean {
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  function push(item: Happening): void {
    heap.push(item);
    let index = heap.length - 1;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(item, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = item;
  }

  function pop(): Happening | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const [one, two] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const [child, at] = two !== undefined && isBefore(two, one) ? [two, left + 1] : [one, left];
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = at;
    }
    heap[index] = last;
    return first;
  }

  return {
    nowMs: () => nowMs,
    after(waitMs, happen) {
      order += 1;
      push({ atMs: nowMs + waitMs, order, happen });
    },
    runUntil(endMs) {
      for (let next = heap[0]; next !== undefined && next.atMs <= endMs; next = heap[0]) {
        pop();
        nowMs = next.atMs;
        next.happen();
      }
      nowMs = endMs;
    },
  };
}

/** Processors that work off what they are given, first come first served. */
export interface Processors {
  /** Takes this much time of one processor, then continues. */
  work(takesMs: number, then: () => void): void;
  busyMs(): number;
  readonly count: number;
}

export function createProcessors(time: VirtualTime, count: number): Processors {
  const waiting: { takesMs: number; then: () => void }[] = [];
  let next = 0;
  let atWork = 0;
  let busyMs = 0;

  function start(takesMs: number, then: () => void): void {
    atWork += 1;
    busyMs += takesMs;
    time.after(takesMs, () => {
      atWork -= 1;
      const follower = waiting[next];
      if (follower !== undefined) {
        next += 1;
        if (next > 10_000) waiting.splice(0, next).length = next = 0;
        start(follower.takesMs, follower.then);
      }
      then();
    });
  }

  return {
    count,
    busyMs: () => busyMs,
    work(takesMs, then) {
      if (atWork < count) start(takesMs, then);
      else waiting.push({ takesMs, then });
    },
  };
}

/** Returns the length of one wait: mostly typical, seldom slow. */
export function sampleWaitMs(random: SeededRandom, wait: { typical: number; slow: number }): number {
  const share = random.integer(0, 9999) / 10_000;
  return share > 0.99 ? wait.slow : wait.typical * (0.7 + 0.6 * share);
}
