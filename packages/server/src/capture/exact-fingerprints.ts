import { Worker } from 'node:worker_threads';
import type { StackRule } from '@culprit/evidence/events/fingerprint/stack/stack-rules';
import type { Logger } from 'pino';
import { ENTRY_EXTENSION } from '../platform/entry-extension.ts';
import type { FingerprintReport, FingerprintTask } from './fingerprint-messages.ts';

/** Computes fingerprints outside the event loop, for projects with a rule that compares them. */
export interface ExactFingerprints {
  /**
   * The fingerprints (of both grouping versions, as `fingerprintKeys` writes them) of events of a request body, null for those that have none; null for all
   * when they cannot be had in time.
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
  /** Ends the thread; what still waits gets null. */
  close(): Promise<void>;
}

/** From hand-over to answer; a body of a megabyte in the worst shapes takes about one second. */
const TASK_TIMEOUT_MS = 3000;
/** Waiting and computing together. */
const WAIT_TIMEOUT_MS = 5000;
const START_TIMEOUT_MS = 10_000;
const QUEUED_REQUESTS_MAX = 256;
const QUEUED_BYTES_MAX = 16 * 1024 * 1024;
const THREAD_HEAP_MB = 192;

interface Task {
  sender: string;
  content: FingerprintTask;
  answer: (fingerprints: readonly (string | null)[] | null) => void;
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
    if (thread === null) start();
    if (thread === null || !isReady) return;
    running = takeTurn();
    if (running === null) return;
    expectWithin(taskTimeoutMs, 'fingerprints took too long');
    const { content } = running;
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
      else settleRunning(report.fingerprints);
      work();
    });
    started.on('error', (error) => giveUp(started, error.message));
    started.on('exit', () => giveUp(started, 'the fingerprint thread ended'));
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

  /** Fails what the thread was at and goes on with a new one. */
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

  function settleRunning(fingerprints: readonly (string | null)[] | null): void {
    const task = running;
    running = null;
    task?.answer(fingerprints);
  }

  return {
    compute(sender, body, ranges, stackRules = []) {
      const sizeBytes = body.byteLength;
      if (isClosed || queuedRequests >= QUEUED_REQUESTS_MAX || queuedBytes + sizeBytes > QUEUED_BYTES_MAX) {
        return Promise.resolve(null);
      }
      if (ranges.length === 0) return Promise.resolve([]);
      queuedRequests += 1;
      queuedBytes += sizeBytes;
      return new Promise((resolve) => {
        const task: Task = {
          sender,
          // A copy of its own: the request's bytes are needed here, and may be a part of a shared block.
          content: { body: new Uint8Array(body), ranges: Uint32Array.from(ranges), stackRules },
          answer(fingerprints) {
            if (!isOpen) return;
            isOpen = false;
            clearTimeout(timer);
            queuedRequests -= 1;
            queuedBytes -= sizeBytes;
            withdraw(task);
            resolve(fingerprints);
          },
        };
        let isOpen = true;
        const timer = setTimeout(() => task.answer(null), WAIT_TIMEOUT_MS);
        const own = waiting.get(sender);
        if (own === undefined) waiting.set(sender, [task]);
        else own.push(task);
        work();
      });
    },
    async close() {
      isClosed = true;
      stopWatch();
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
