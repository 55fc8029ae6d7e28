import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseUnavailableError } from '../db/database.ts';
import { ObjectStoreUnavailableError } from '../objects/object-store.ts';
import { CLAIM_SECONDS, type ClaimRoom, type Pace } from './claim-statement.ts';

/** How many sends one loop has under way at most, and how many of them to one receiver (notifications.md 3.11). */
const SENDS_MAX = 64;
const SENDS_PER_RECEIVER = 4;

const FIRST_RECEIVER = '00000000-0000-0000-0000-000000000000';
const UNREACHABLE_WAIT_MS = 1000;
const RECORD_RETRY_WAIT_MS = 500;
const TIMED_WAIT_MAX_MS = 60_000;
const TIMER_SLOT_MS = 20;

export interface SendLoop {
  /** Something was queued, or asked for again. */
  wake(): void;
  /** Stops claiming, waits a while for the attempts under way and gives back those that are left. */
  stop(patienceMs: number): Promise<void>;
}

/** An attempt that was claimed and must be made now. */
export interface ClaimedAttempt {
  receiverId: string;
  /** How long the attempt before it took, to whatever of the receiver. */
  pace: Pace;
  /** How long nobody else claims it; the lease of every claim unless it is told. */
  leaseMs?: number;
}

/** What is sent, and how it is claimed and recorded. */
export interface Sending<Attempt extends ClaimedAttempt, Outcome> {
  /** Due attempts behind a receiver, and where the next claim should look; null at the end of the round. */
  claim(
    afterReceiverId: string,
    room: ClaimRoom,
  ): Promise<{ attempts: Attempt[]; continueAfter: string | null }>;
  /** Makes the attempt. Throws nothing; null when it was broken off, with the outcome unknown. */
  send(attempt: Attempt, breakOff: AbortSignal): Promise<Outcome | null>;
  /** Returns milliseconds until the next attempt is due; null when there is none. */
  record(attempt: Attempt, outcome: Outcome): Promise<number | null>;
  /** Makes attempts due again whose outcome this process will not see; nothing to those that are recorded. */
  handBack(attempts: readonly Attempt[]): Promise<void>;
  /** Names an attempt in the log. */
  describe(attempt: Attempt): Record<string, string>;
}

/**
 * Sends what is due until stopped. Each attempt is claimed under a lease, so that any number of processes can do this;
 * one that ends over an attempt leaves it to the others, who repeat it under the same id.
 * @param options.pollIntervalMs for what becomes due without a wake-up here: waits and leases of other processes
 * @param options.sendsMax sends under way at most
 */
export function startSendLoop<Attempt extends ClaimedAttempt, Outcome>(
  sending: Sending<Attempt, Outcome>,
  options: { pollIntervalMs: number; sendsMax?: number; log: Logger },
): SendLoop {
  const { pollIntervalMs, sendsMax = SENDS_MAX, log } = options;
  const places = placesOf(sendsMax);
  const underWay = new Map<Attempt, Promise<void>>();
  const timers = new Map<number, NodeJS.Timeout>();
  let isStopping = false;
  let waitingForStore = 0;
  const breakOff = new AbortController();
  let wakeUps = 0;
  let endPause: () => void = () => {};
  let after = FIRST_RECEIVER;

  function wake(): void {
    wakeUps += 1;
    endPause();
  }

  function pause(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      function end(): void {
        clearTimeout(timer);
        endPause = () => {};
        resolve();
      }
      const timer = setTimeout(end, waitMs);
      endPause = end;
    });
  }

  /** One timer for each slot, however many wait; what waits long is found by the poll, soon enough. */
  function wakeIn(waitMs: number): void {
    if (isStopping || waitMs > TIMED_WAIT_MAX_MS) return;
    const nowMs = performance.now();
    const slot = Math.ceil((nowMs + waitMs) / TIMER_SLOT_MS);
    if (timers.has(slot)) return;
    const timer = setTimeout(
      () => {
        timers.delete(slot);
        wake();
      },
      slot * TIMER_SLOT_MS - nowMs,
    );
    timer.unref();
    timers.set(slot, timer);
  }

  async function claimBehind(receiverId: string): Promise<{ attempts: Attempt[]; isEnd: boolean }> {
    const held = [...underWay.keys()];
    const counts: Record<string, number> = {};
    for (const attempt of held) counts[attempt.receiverId] = (counts[attempt.receiverId] ?? 0) + 1;
    const unproven = held.filter(({ pace }) => pace !== 'quick').length;
    const slow = held.filter(({ pace }) => pace === 'slow').length;
    const { attempts, continueAfter } = await sending.claim(receiverId, {
      all: sendsMax - held.length,
      unproven: places.unproven - unproven,
      slow: places.slow - slow,
      perReceiver: SENDS_PER_RECEIVER,
      beside: places.beside - held.length,
      underWay: counts,
    });
    after = continueAfter ?? FIRST_RECEIVER;
    return { attempts, isEnd: continueAfter === null };
  }

  /** What is due, from where the last claim ended; nothing only after a look at everybody. */
  async function claim(): Promise<Attempt[]> {
    if (underWay.size >= sendsMax) return [];
    for (let isWholeRound = after === FIRST_RECEIVER; ; ) {
      const { attempts, isEnd } = await claimBehind(after);
      if (attempts.length > 0 || (isEnd && isWholeRound)) return attempts;
      isWholeRound ||= isEnd;
    }
  }

  async function make(attempt: Attempt): Promise<void> {
    const leaseEndMs = performance.now() + (attempt.leaseMs ?? CLAIM_SECONDS * 1000);
    const outcome = await sending.send(attempt, breakOff.signal);
    if (outcome === null) return;
    let waitsForStore = false;
    try {
      for (;;) {
        const problem = await record(attempt, outcome);
        // An outage right now must not send it a second time; what is wrong otherwise stays so.
        if (problem === null || problem === 'other') return;
        if (problem === 'store' && !waitsForStore) {
          if (waitingForStore >= places.waitingForStore) return;
          waitsForStore = true;
          waitingForStore += 1;
        }
        await delay(RECORD_RETRY_WAIT_MS, undefined, { signal: breakOff.signal }).catch(() => {});
        if (breakOff.signal.aborted || performance.now() > leaseEndMs) return;
      }
    } finally {
      if (waitsForStore) waitingForStore -= 1;
    }
  }

  /** Null when it is recorded, else what kept it from being so. */
  async function record(attempt: Attempt, outcome: Outcome): Promise<'database' | 'store' | 'other' | null> {
    try {
      const waitMs = await sending.record(attempt, outcome);
      if (waitMs !== null) wakeIn(waitMs);
      return null;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      log.warn({ ...sending.describe(attempt), error: message }, 'outcome of an attempt not recorded');
      if (error instanceof DatabaseUnavailableError) return 'database';
      return error instanceof ObjectStoreUnavailableError ? 'store' : 'other';
    }
  }

  function start(attempt: Attempt): void {
    const made = make(attempt).finally(() => {
      underWay.delete(attempt);
      // There is room for another now.
      wake();
    });
    underWay.set(attempt, made);
  }

  async function loop(): Promise<void> {
    while (!isStopping) {
      const seen = wakeUps;
      let waitMs = pollIntervalMs;
      try {
        const attempts = await claim();
        for (const attempt of attempts) start(attempt);
        if (attempts.length > 0) waitMs = 0;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        log.warn({ error: message }, 'due attempts not claimed');
        waitMs = UNREACHABLE_WAIT_MS;
      }
      if (waitMs > 0 && !isStopping && (wakeUps === seen || waitMs === UNREACHABLE_WAIT_MS)) {
        await pause(waitMs);
      }
    }
  }

  const ended = loop();
  return {
    wake,
    async stop(patienceMs) {
      isStopping = true;
      for (const timer of timers.values()) clearTimeout(timer);
      wake();
      await ended;
      const patience = new AbortController();
      await Promise.race([
        Promise.all(underWay.values()),
        delay(patienceMs, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
      const left = [...underWay.keys()];
      if (left.length === 0) return;
      breakOff.abort();
      await Promise.all(underWay.values());
      await sending
        .handBack(left)
        .catch((error: Error) =>
          log.warn({ error: error.message }, 'attempts under way wait for their lease to end'),
        );
    },
  };
}

/**
 * How the sends of a loop are shared. Up to `beside` of them a receiver may have several; beyond, what is left is for
 * those that have none. Receivers that are known to be slow share `slow`, and with those nobody has asked yet `unproven`.
 */
function placesOf(sendsMax: number): {
  beside: number;
  slow: number;
  unproven: number;
  /** Outcomes that may wait for the object store: most need nothing of it. */
  waitingForStore: number;
} {
  return {
    beside: sendsMax / 2,
    slow: sendsMax / 2,
    unproven: (sendsMax * 7) / 8,
    waitingForStore: sendsMax / 2,
  };
}
