import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseUnavailableError } from '../db/database.ts';
import { errorFields } from '../error-fields.ts';
import { POLL_INTERVAL_MS } from '../jobs/job-loop.ts';
import { HEARTBEAT_INTERVAL_MS } from '../jobs/job-queue.ts';
import { ObjectStoreUnavailableError } from '../objects/object-store.ts';
import { CLAIM_SECONDS, type ClaimCapacity, type LatencyClass } from './claim-statement.ts';

/**
 * The sends that one loop has under way at most, and how many of them to one receiver (docs/contract/notifications.md
 * 3.11).
 */
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
  /** Stops claiming, waits a while for the attempts under way and releases those that are left. */
  stop(patienceMs: number): Promise<void>;
}

/** An attempt that was claimed and must be made now. */
export interface ClaimedAttempt {
  receiverId: string;
  /** The duration class of the previous attempt to the same receiver. */
  latencyClass: LatencyClass;
  /** The time for which no other process claims it; the lease of every claim if absent. */
  leaseMs?: number;
}

/** The rows that are sent, and the way to claim and record them. */
export interface Sending<Attempt extends ClaimedAttempt, Outcome> {
  /** Due attempts after a receiver, and where the next claim should begin; null at the end of the round. */
  claim(
    afterReceiverId: string,
    capacity: ClaimCapacity,
  ): Promise<{ attempts: Attempt[]; continueAfter: string | null }>;
  /** Makes the attempt. Throws nothing; null when it was aborted, with the outcome unknown. */
  send(attempt: Attempt, abort: AbortSignal): Promise<Outcome | null>;
  /** Returns milliseconds until the next attempt is due; null when there is none. */
  record(attempt: Attempt, outcome: Outcome): Promise<number | null>;
  /** Extends the leases of attempts under way, where one may take longer than its lease. */
  extend?(attempts: readonly Attempt[]): Promise<void>;
  /** Makes attempts due again whose outcome this process will not see; nothing to those that are recorded. */
  release(attempts: readonly Attempt[]): Promise<void>;
  /** Names an attempt in the log. */
  describe(attempt: Attempt): Record<string, string>;
}

/**
 * Sends what is due until stopped. Each attempt is claimed under a lease, so that any number of processes can do this;
 * one that ends over an attempt leaves it to the others, who repeat it under the same id.
 * @param options.pollIntervalMs how often it polls without a wake-up
 * @param options.sendsMax sends under way at most
 * @param options.heartbeatMs how often it extends leases
 */
export function startSendLoop<Attempt extends ClaimedAttempt, Outcome>(
  sending: Sending<Attempt, Outcome>,
  options: { pollIntervalMs?: number; sendsMax?: number; heartbeatMs?: number; log: Logger },
): SendLoop {
  const { pollIntervalMs = POLL_INTERVAL_MS, sendsMax = SENDS_MAX, log } = options;
  const { heartbeatMs = HEARTBEAT_INTERVAL_MS } = options;
  const shares = sharesOf(sendsMax);
  const underWay = new Map<Attempt, Promise<void>>();
  /** On the monotonic clock. */
  const leaseEnds = new Map<Attempt, number>();
  const timers = new Map<number, NodeJS.Timeout>();
  let isStopping = false;
  let waitingForStore = 0;
  const abort = new AbortController();
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

  async function claimAfter(receiverId: string): Promise<{ attempts: Attempt[]; isEnd: boolean }> {
    const held = [...underWay.keys()];
    const counts: Record<string, number> = {};
    for (const attempt of held) counts[attempt.receiverId] = (counts[attempt.receiverId] ?? 0) + 1;
    const untested = held.filter(({ latencyClass }) => latencyClass !== 'quick').length;
    const slow = held.filter(({ latencyClass }) => latencyClass === 'slow').length;
    const { attempts, continueAfter } = await sending.claim(receiverId, {
      all: sendsMax - held.length,
      untested: shares.untested - untested,
      slow: shares.slow - slow,
      perReceiver: SENDS_PER_RECEIVER,
      concurrent: shares.concurrent - held.length,
      underWay: counts,
    });
    after = continueAfter ?? FIRST_RECEIVER;
    return { attempts, isEnd: continueAfter === null };
  }

  /** Claims what is due, from the end of the last claim; returns nothing only after every receiver was considered. */
  async function claim(): Promise<Attempt[]> {
    if (underWay.size >= sendsMax) return [];
    for (let isWholeRound = after === FIRST_RECEIVER; ; ) {
      const { attempts, isEnd } = await claimAfter(after);
      if (attempts.length > 0 || (isEnd && isWholeRound)) return attempts;
      isWholeRound ||= isEnd;
    }
  }

  async function make(attempt: Attempt): Promise<void> {
    leaseEnds.set(attempt, performance.now() + (attempt.leaseMs ?? CLAIM_SECONDS * 1000));
    const outcome = await sending.send(attempt, abort.signal);
    if (outcome === null) return;
    let waitsForStore = false;
    try {
      for (;;) {
        const problem = await record(attempt, outcome);
        // An outage right now must not send it a second time; what is wrong otherwise stays so.
        if (problem === null || problem === 'other') return;
        if (problem === 'store' && !waitsForStore) {
          if (waitingForStore >= shares.waitingForStore) return;
          waitsForStore = true;
          waitingForStore += 1;
        }
        await delay(RECORD_RETRY_WAIT_MS, undefined, { signal: abort.signal }).catch(() => {});
        if (abort.signal.aborted || performance.now() > (leaseEnds.get(attempt) ?? 0)) return;
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
      log.warn(
        { ...sending.describe(attempt), ...errorFields(error) },
        'the outcome of an attempt could not be recorded',
      );
      if (error instanceof DatabaseUnavailableError) return 'database';
      return error instanceof ObjectStoreUnavailableError ? 'store' : 'other';
    }
  }

  function start(attempt: Attempt): void {
    const made = make(attempt).finally(() => {
      underWay.delete(attempt);
      leaseEnds.delete(attempt);
      // There is capacity for another now.
      wake();
    });
    underWay.set(attempt, made);
  }

  let isExtending = false;

  async function extendLeases(): Promise<void> {
    const held = [...underWay.keys()];
    if (held.length === 0 || isExtending) return;
    isExtending = true;
    const beganMs = performance.now();
    try {
      await sending.extend?.(held);
      for (const attempt of held) {
        if (leaseEnds.has(attempt)) leaseEnds.set(attempt, beganMs + CLAIM_SECONDS * 1000);
      }
    } catch (error) {
      log.warn(errorFields(error), 'leases of attempts not extended');
    } finally {
      isExtending = false;
    }
  }

  const heartbeat =
    sending.extend === undefined ? null : setInterval(() => void extendLeases(), heartbeatMs).unref();

  async function loop(): Promise<void> {
    while (!isStopping) {
      const seen = wakeUps;
      let waitMs = pollIntervalMs;
      try {
        const attempts = await claim();
        for (const attempt of attempts) start(attempt);
        if (attempts.length > 0) waitMs = 0;
      } catch (error) {
        log.warn(errorFields(error), 'due attempts could not be claimed');
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
      if (heartbeat !== null) clearInterval(heartbeat);
      const left = [...underWay.keys()];
      if (left.length === 0) return;
      abort.abort();
      await Promise.all(underWay.values());
      await sending
        .release(left)
        .catch((error: Error) =>
          log.warn(
            errorFields(error),
            'attempts in progress could not be released and wait until their leases expire',
          ),
        );
    },
  };
}

/**
 * Returns how the sends of a loop are shared. Up to `concurrent` of them can be several for one receiver; the rest is
 * for receivers that have none. Receivers that are known to be slow share `slow`, and together with those that have had
 * no attempt `untested`.
 */
function sharesOf(sendsMax: number): {
  concurrent: number;
  slow: number;
  untested: number;
  /** Outcomes that may wait for the object store: most need nothing of it. */
  waitingForStore: number;
} {
  return {
    concurrent: sendsMax / 2,
    slow: sendsMax / 2,
    untested: (sendsMax * 7) / 8,
    waitingForStore: sendsMax / 2,
  };
}
