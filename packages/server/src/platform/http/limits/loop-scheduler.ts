/**
 * Divides the event loop among pieces of work (docs/contract/reliability.md A6): between two turns of the loop only so
 * much is done, in slices that go round by sender. Slices of small work come first. Large work gets at least one slice in
 * each turn, and half of the time while small requests are under way: their answers take several turns.
 */
export interface LoopScheduler {
  /** Requests one slice. Null when it can start immediately. */
  next(sender: string, work: number, size: WorkSize): Promise<void> | null;
  /**
   * Does work in slices. Null when it was abandoned.
   * @param mayGoOn is called after each slice
   */
  run<Result>(
    sender: string,
    size: WorkSize,
    work: SlicedWork<Result>,
    mayGoOn?: () => boolean | Promise<boolean>,
  ): Promise<Result | null>;
  /** A large request that has a slot, until the returned function is called; the others are small. */
  addLargeRequest(): () => void;
}

export type WorkSize = 'small' | 'large';

/** Yields before each slice how much work it is; one unit is about what it takes to read a byte of JSON. */
export type SlicedWork<Result> = Generator<number, Result, undefined>;

/** The work of receiving a byte from the kernel. */
export const WORK_PER_BYTE_RECEIVED = 1 / 4;
/** The work that takes about a millisecond. */
const WORK_PER_MS = 128 * 1024;
/** Between two turns of the event loop, and at most one slice of each size more. */
const TURN_WORK_MAX = WORK_PER_MS;
/** Large work that is done before it rests for as long as it took. */
const BURST_MS = 4;

interface WaitingSlice {
  work: number;
  start: () => void;
}

/** Senders in the order in which they are granted a slice next. */
type Rotation = Map<string, WaitingSlice[]>;

interface LoopSchedulerOptions {
  /** All that have a slot. */
  requestsInFlight: () => number;
  turnWorkMax?: number;
}

export function createLoopScheduler({
  requestsInFlight,
  turnWorkMax = TURN_WORK_MAX,
}: LoopSchedulerOptions): LoopScheduler {
  const small: Rotation = new Map();
  const large: Rotation = new Map();
  let workDone = 0;
  let isTurnAwaited = false;
  let largeRequests = 0;
  /** The time that large work has taken since its last pause. */
  let burstMs = 0;
  let rest: NodeJS.Timeout | null = null;

  function count(work: number): void {
    workDone += work;
    if (isTurnAwaited) return;
    isTurnAwaited = true;
    setImmediate(onTurn);
  }

  function onTurn(): void {
    isTurnAwaited = false;
    workDone = 0;
    grant(small);
    if (large.size === 0 || isResting()) return;
    grantNext(large);
    grant(large);
  }

  function grant(rotation: Rotation): void {
    while (workDone < turnWorkMax && rotation.size > 0) grantNext(rotation);
  }

  function grantNext(rotation: Rotation): void {
    const [first] = rotation;
    if (first === undefined) return;
    const [sender, queue] = first;
    const slice = queue.shift();
    // Behind the other senders.
    rotation.delete(sender);
    if (queue.length > 0) rotation.set(sender, queue);
    if (slice === undefined) return;
    count(slice.work);
    slice.start();
  }

  function isResting(): boolean {
    if (rest !== null) return true;
    if (requestsInFlight() <= largeRequests) burstMs = 0;
    if (burstMs < BURST_MS) return false;
    rest = setTimeout(() => {
      rest = null;
      count(0);
    }, burstMs);
    burstMs = 0;
    return true;
  }

  function next(sender: string, work: number, size: WorkSize): Promise<void> | null {
    const mayBegin = small.size === 0 && (size === 'small' || (large.size === 0 && !isResting()));
    if (mayBegin && workDone < turnWorkMax) {
      count(work);
      return null;
    }
    const rotation = size === 'small' ? small : large;
    return new Promise((start) => {
      const queue = rotation.get(sender);
      if (queue === undefined) rotation.set(sender, [{ work, start }]);
      else queue.push({ work, start });
    });
  }

  return {
    next(sender, work, size) {
      if (size === 'large') burstMs += work / WORK_PER_MS;
      return next(sender, work, size);
    },
    async run(sender, size, work, mayGoOn) {
      for (;;) {
        const startedMs = performance.now();
        const step = work.next();
        if (size === 'large') burstMs += performance.now() - startedMs;
        const goesOn = mayGoOn?.() ?? true;
        if (goesOn !== true && !(await goesOn)) return null;
        if (step.done === true) return step.value;
        const turn = next(sender, step.value, size);
        if (turn !== null) await turn;
      }
    },
    addLargeRequest() {
      largeRequests += 1;
      return () => {
        largeRequests -= 1;
      };
    },
  };
}
