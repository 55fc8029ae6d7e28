import { Worker } from 'node:worker_threads';
import type { MadeForm } from '@culprit/source-maps/make-form';
import { ENTRY_EXTENSION } from '../../platform/entry-extension.ts';
import type { FormReport, FormTask } from './form-messages.ts';

/** Creates look-up forms outside of the event loop, in a thread with separate limits. */
export interface FormMaker {
  /** Null when the thread took too much time or memory, or died. */
  make(task: FormTask): Promise<MadeForm | null>;
  close(): Promise<void>;
}

const HEAP_MB = 256;
const TIMEOUT_MS = 120_000;
/** The idle time after which a thread is ended and its memory released. */
const IDLE_MS = 10_000;

interface Running {
  worker: Worker;
  settle: (made: MadeForm | null) => void;
}

/** The thread starts with the first task, and again after one at which it failed. Tasks come one after the other. */
export function createFormMaker(onFailure: (reason: string) => void, timeoutMs = TIMEOUT_MS): FormMaker {
  let thread: Worker | null = null;
  let running: Running | null = null;
  let idle: NodeJS.Timeout | null = null;

  function start(): Worker {
    const started = new Worker(new URL(`./form-thread.${ENTRY_EXTENSION}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    started.unref();
    started.on('message', (report: FormReport) => {
      if (report.kind === 'ready' || running?.worker !== started) return;
      if (report.kind === 'failed') onFailure(report.reason);
      running.settle(report.kind === 'judged' ? report.made : null);
    });
    started.on('error', (error) => end(started, error.message));
    started.on('exit', () => end(started, 'the thread ended'));
    return started;
  }

  function end(ended: Worker, reason: string): void {
    if (thread === ended) thread = null;
    if (running?.worker !== ended) return;
    onFailure(reason);
    void ended.terminate();
    running.settle(null);
  }

  function endWhenIdle(rested: Worker): void {
    idle = setTimeout(() => {
      if (thread !== rested || running !== null) return;
      thread = null;
      void rested.terminate();
    }, IDLE_MS);
    idle.unref();
  }

  return {
    async make(task) {
      if (running !== null) throw new Error('one form is made at a time');
      if (idle !== null) clearTimeout(idle);
      thread ??= start();
      const worker = thread;
      const made = await new Promise<MadeForm | null>((resolve) => {
        const timer = setTimeout(() => end(worker, 'it took too long'), timeoutMs);
        running = {
          worker,
          settle(result) {
            clearTimeout(timer);
            running = null;
            resolve(result);
          },
        };
        worker.postMessage(task, [...new Set([task.generated.buffer, task.map.buffer])]);
      });
      if (thread !== null) endWhenIdle(thread);
      return made;
    },
    async close() {
      if (idle !== null) clearTimeout(idle);
      const last = thread;
      thread = null;
      running?.settle(null);
      await last?.terminate();
    },
  };
}
