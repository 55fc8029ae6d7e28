import { Worker } from 'node:worker_threads';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Logger } from 'pino';
import { ENTRY_EXTENSION } from '../platform/entry-extension.ts';
import type {
  FingerprintReport,
  FingerprintTask,
  Proposal,
  RegroupedSignal,
} from './fingerprint-messages.ts';

/** Computes fingerprints outside the event loop. */
export interface ExactFingerprints {
  /**
   * The fingerprints (as `fingerprintText` writes them) of events of a request body, for
   * projects with a rule that compares them; null for events that have none, null for all when they cannot be had in
   * time.
   * @param sender whose request it is; senders take turns
   * @param ranges byte ranges of shape-valid events in `body`, as start and end pairs
   * @param stackRules those of the project
   */
  compute(
    sender: string,
    body: Uint8Array,
    ranges: readonly number[],
    stackRules?: readonly StackRule[],
  ): Promise<readonly (string | null)[] | null>;
  /**
   * The keys of stored events by the rules in force and by a proposal. Shorter than the events when `untilMs` (of
   * `performance.now`) was reached; null when the thread failed or was not free in time.
   * @param sender whose events these are; senders take turns
   */
  regroup(
    sender: string,
    events: { body: Uint8Array; ranges: readonly number[] },
    rules: { inForce: readonly StackRule[]; proposal: Proposal },
    untilMs: number,
  ): Promise<readonly (RegroupedSignal | null)[] | null>;
  /** Ends the thread; what still waits gets null. */
  close(): Promise<void>;
}

/** From hand-over to answer; a body of a megabyte in the worst shapes takes about one second. */
const TASK_TIMEOUT_MS = 3000;
/** Waiting and computing together. */
const WAIT_TIMEOUT_MS = 5000;
/** An event that takes this much longer than the time of its task is abandoned. */
const OVERTIME_MS = 1000;
/** An idle thread is ended: the next task starts another. */
const IDLE_MS = 60_000;
const START_TIMEOUT_MS = 10_000;
const QUEUED_REQUESTS_MAX = 256;
const QUEUED_BYTES_MAX = 16 * 1024 * 1024;
const THREAD_HEAP_MB = 192;

interface Task {
  sender: string;
  content: FingerprintTask;
  /** Returns the time within which the thread must report, from the moment it has the task. */
  timeoutMs: () => number;
  answer: (report: FingerprintReport | null) => void;
}

/** The thread starts with the first event that needs it, and again after it failed. */
export function createExactFingerprints(log: Logger, taskTimeoutMs = TASK_TIMEOUT_MS): ExactFingerprints {
  /** Senders in the order of their turns, each with what it waits for. */
  const waiting = new Map<string, Task[]>();
  let queuedRequests = 0;
  let queuedBytes = 0;
  let thread: Worker | null = null;
  let isReady = false;
  let running: Task | null = null;
  let watch: NodeJS.Timeout | null = null;
  let idle: NodeJS.Timeout | null = null;
  let isClosed = false;

  /** The next sender's oldest task; the sender goes to the end of the line. */
  function takeTurn(): Task | null {
    for (const [sender, tasks] of waiting) {
      waiting.delete(sender);
      const task = tasks.shift();
      if (tasks.length > 0) waiting.set(sender, tasks);
      if (task !== undefined) return task;
    }
    return null;
  }

  function work(): void {
    if (running !== null || waiting.size === 0 || isClosed) return;
    if (idle !== null) clearTimeout(idle);
    if (thread === null) start();
    if (thread === null || !isReady) return;
    running = takeTurn();
    if (running === null) return;
    const timeoutMs = running.timeoutMs();
    expectWithin(timeoutMs, 'fingerprints took too long');
    const content = { ...running.content, workMs: Math.max(0, timeoutMs - OVERTIME_MS) };
    thread.postMessage(content, [content.body.buffer, content.ranges.buffer]);
  }

  function start(): void {
    const started = new Worker(new URL(`./fingerprint-thread.${ENTRY_EXTENSION}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
    // Requests that wait keep the process going; an idle thread must not.
    started.unref();
    thread = started;
    isReady = false;
    expectWithin(START_TIMEOUT_MS, 'the fingerprint thread did not start');
    started.on('message', (report: FingerprintReport) => {
      if (thread !== started) return;
      stopWatch();
      if (report.kind === 'ready') isReady = true;
      else settleRunning(report);
      work();
      if (running === null) endWhenIdle(started);
    });
    started.on('error', (error) => giveUp(started, error.message));
    started.on('exit', () => giveUp(started, 'the fingerprint thread ended'));
  }

  function endWhenIdle(rested: Worker): void {
    idle = setTimeout(() => {
      if (thread !== rested || running !== null) return;
      thread = null;
      void rested.terminate();
    }, IDLE_MS);
    idle.unref();
  }

  function expectWithin(timeoutMs: number, reason: string): void {
    const watched = thread;
    watch = setTimeout(() => {
      if (watched !== null) giveUp(watched, reason);
    }, timeoutMs);
  }

  function stopWatch(): void {
    if (watch !== null) clearTimeout(watch);
    watch = null;
  }

  /** Fails the task of the thread and continues with a new thread. */
  function giveUp(failed: Worker, reason: string): void {
    if (thread !== failed) return;
    log.warn({ reason }, 'exact fingerprints could not be computed');
    thread = null;
    stopWatch();
    void failed.terminate();
    settleRunning(null);
    // A thread that cannot even start would be started for ever.
    if (!isReady) for (const task of [...waiting.values()].flat()) task.answer(null);
    work();
  }

  function settleRunning(report: FingerprintReport | null): void {
    const task = running;
    running = null;
    task?.answer(report);
  }

  /** Returns null when the queue is full, the time of waiting and computing has ended, or the thread failed. */
  function ask(
    sender: string,
    events: { body: Uint8Array; ranges: readonly number[] },
    rules: Pick<FingerprintTask, 'stackRules' | 'proposal'>,
    times: { waitMs: number; timeoutMs: () => number },
  ): Promise<FingerprintReport | null> {
    const sizeBytes = events.body.byteLength;
    if (isClosed || queuedRequests >= QUEUED_REQUESTS_MAX || queuedBytes + sizeBytes > QUEUED_BYTES_MAX) {
      return Promise.resolve(null);
    }
    queuedRequests += 1;
    queuedBytes += sizeBytes;
    return new Promise((resolve) => {
      const task: Task = {
        sender,
        content: {
          // A separate copy: the caller still needs its bytes, and they may be a part of a shared block.
          body: new Uint8Array(events.body),
          ranges: Uint32Array.from(events.ranges),
          ...rules,
          workMs: 0,
        },
        timeoutMs: times.timeoutMs,
        answer(report) {
          if (!isOpen) return;
          isOpen = false;
          clearTimeout(timer);
          queuedRequests -= 1;
          queuedBytes -= sizeBytes;
          withdraw(task);
          resolve(report);
        },
      };
      let isOpen = true;
      const timer = setTimeout(() => task.answer(null), times.waitMs);
      const own = waiting.get(sender);
      if (own === undefined) waiting.set(sender, [task]);
      else own.push(task);
      work();
    });
  }

  return {
    async compute(sender, body, ranges, stackRules = []) {
      if (ranges.length === 0) return [];
      const report = await ask(
        sender,
        { body, ranges },
        { stackRules, proposal: null },
        { waitMs: WAIT_TIMEOUT_MS, timeoutMs: () => taskTimeoutMs },
      );
      return report?.kind === 'done' ? report.fingerprints : null;
    },
    async regroup(sender, events, { inForce, proposal }, untilMs) {
      const leftMs = () => Math.max(0, untilMs - performance.now());
      const report = await ask(
        sender,
        events,
        { stackRules: inForce, proposal },
        {
          waitMs: leftMs() + 2 * OVERTIME_MS,
          timeoutMs: () => Math.min(leftMs(), taskTimeoutMs) + OVERTIME_MS,
        },
      );
      return report?.kind === 'regrouped' ? report.signals : null;
    },
    async close() {
      isClosed = true;
      stopWatch();
      if (idle !== null) clearTimeout(idle);
      const last = thread;
      thread = null;
      settleRunning(null);
      for (const task of [...waiting.values()].flat()) task.answer(null);
      await last?.terminate();
    },
  };

  function withdraw(task: Task): void {
    const own = waiting.get(task.sender)?.filter((each) => each !== task) ?? [];
    if (own.length === 0) waiting.delete(task.sender);
    else waiting.set(task.sender, own);
  }
}
