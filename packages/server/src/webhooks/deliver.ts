import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseUnavailableError } from '../platform/db/database.ts';
import { type DeliveryOptions, recordAttempt, sendAttempt } from './attempt-delivery.ts';
import { type Attempt, CLAIM_SECONDS, claimAttempts, handBackAttempts } from './attempts.queries.ts';

/** Parallel sends (notifications.md 3.11) of one process, and of one webhook. */
const SENDS_MAX = 64;
const SENDS_PER_WEBHOOK = 4;
/** Up to so many sends a webhook may have several; beyond, what is left is for those that have none. */
const SENDS_BESIDE_MAX = 32;
/** What receivers may hold that are known to be slow, and together with them those nobody has asked yet. */
const SLOW_SENDS_MAX = 32;
const UNPROVEN_SENDS_MAX = 56;

const FIRST_WEBHOOK = '00000000-0000-0000-0000-000000000000';
const UNREACHABLE_WAIT_MS = 1000;
const RECORD_RETRY_WAIT_MS = 500;
const TIMED_WAIT_MAX_MS = 60_000;
const TIMER_SLOT_MS = 20;

export interface DeliveryEngine {
  /** Deliveries were made, or asked for again. */
  wake(): void;
  /** Stops claiming, waits a while for the attempts under way and gives back those that are left. */
  stop(patienceMs: number): Promise<void>;
}

/**
 * Sends due deliveries until stopped. Each is claimed under a lease, so that any number of processes can do this; one
 * that ends over an attempt leaves it to the others, who repeat it under the same delivery id.
 * @param options.pollIntervalMs for what becomes due without a wake-up here: waits and leases of other processes
 */
export function startDeliveries(options: DeliveryOptions & { pollIntervalMs: number }): DeliveryEngine {
  const { database, log, pollIntervalMs } = options;
  const underWay = new Map<Attempt, Promise<void>>();
  const timers = new Map<number, NodeJS.Timeout>();
  let isStopping = false;
  const breakOff = new AbortController();
  let wakeUps = 0;
  let endPause: () => void = () => {};
  let after = FIRST_WEBHOOK;

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

  /** One timer for each slot, however many deliveries wait; what waits long is found by the poll, soon enough. */
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

  async function claimBehind(webhookId: string): Promise<{ attempts: Attempt[]; isEnd: boolean }> {
    const held = [...underWay.keys()];
    const counts: Record<string, number> = {};
    for (const attempt of held) counts[attempt.webhookId] = (counts[attempt.webhookId] ?? 0) + 1;
    const unproven = held.filter(({ pace }) => pace !== 'quick').length;
    const slow = held.filter(({ pace }) => pace === 'slow').length;
    const { attempts, continueAfter } = await claimAttempts(database, webhookId, {
      all: SENDS_MAX - held.length,
      unproven: UNPROVEN_SENDS_MAX - unproven,
      slow: SLOW_SENDS_MAX - slow,
      perWebhook: SENDS_PER_WEBHOOK,
      beside: SENDS_BESIDE_MAX - held.length,
      underWay: counts,
    });
    after = continueAfter ?? FIRST_WEBHOOK;
    return { attempts, isEnd: continueAfter === null };
  }

  /** What is due, from where the last claim ended; nothing only after a look at everybody. */
  async function claim(): Promise<Attempt[]> {
    if (underWay.size >= SENDS_MAX) return [];
    for (let isWholeRound = after === FIRST_WEBHOOK; ; ) {
      const { attempts, isEnd } = await claimBehind(after);
      if (attempts.length > 0 || (isEnd && isWholeRound)) return attempts;
      isWholeRound ||= isEnd;
    }
  }

  async function make(attempt: Attempt): Promise<void> {
    const leaseEndMs = performance.now() + CLAIM_SECONDS * 1000;
    const outcome = await sendAttempt(options, attempt, breakOff.signal);
    while (outcome !== null && !breakOff.signal.aborted) {
      try {
        const waitMs = await recordAttempt(options, attempt, outcome);
        if (waitMs !== null) wakeIn(waitMs);
        return;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        log.warn({ deliveryId: attempt.deliveryId, error: message }, 'outcome of a delivery not recorded');
        // An outage right now must not send it a second time; what is wrong otherwise stays so.
        if (!(error instanceof DatabaseUnavailableError) || performance.now() > leaseEndMs) return;
        await delay(RECORD_RETRY_WAIT_MS);
      }
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
        log.warn({ error: message }, 'deliveries not claimed');
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
      await handBackAttempts(database, left).catch((error: Error) =>
        log.warn({ error: error.message }, 'deliveries under way wait for their lease to end'),
      );
    },
  };
}
