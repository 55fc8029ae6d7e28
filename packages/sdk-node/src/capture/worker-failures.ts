import { errorMonitor } from 'node:events';
import { loadWorkerThreads } from '../load-builtin.ts';
import { read, type Subscriptions } from './subscriptions.ts';

/** On which the library in a thread says that it reports the failure that ends the thread. */
const CHANNEL = 'culprit.node.1';
/** Threads that have said so and whose end is not seen here: those of threads. */
const REPORTED_MAX = 100;

/** The functions that handle failures of threads. */
interface WorkerSink<Scope> {
  /** Returns the scope of the work that starts a thread. */
  currentScope(): Scope;
  /** Returns true if the library starts it. */
  isOwn(): boolean;
  captureFailure(error: unknown, scope: Scope, threadId: number): void;
  /** The thread has reported it: a pool passes the same error on to the work that waits for its result. */
  leaveToThread(error: unknown): void;
}

/** Failures of threads, as the thread that started them sees them. */
interface WorkerFailures {
  /** Returns true if the library in the thread has reported this error. */
  isReported(error: unknown): boolean;
}

/**
 * Watches the threads that the host starts (docs/contract/clients.md 4.2). What ends a thread is a failure also where a
 * listener of the host takes it: an exception, a rejection, too little memory. The monitor is no such listener, so a
 * failure that nothing takes ends the process as before.
 */
export function watchWorkers<Scope>(subscriptions: Subscriptions, sink: WorkerSink<Scope>): WorkerFailures {
  const known = new WeakSet<object>();
  let inbox: Inbox | null = null;
  subscriptions.channel('worker_threads', (message) => {
    const worker = read(message, 'worker');
    const { Worker } = loadWorkerThreads();
    if (!(worker instanceof Worker) || sink.isOwn()) return;
    inbox ??= openInbox();
    const { take } = inbox;
    const { threadId } = worker;
    const scope = sink.currentScope();
    const onError = (error: unknown) => {
      if (!take(threadId)) return sink.captureFailure(error, scope, threadId);
      if (typeof error === 'object' && error !== null) known.add(error);
      sink.leaveToThread(error);
    };
    worker.on(errorMonitor, subscriptions.guarded(onError));
  });
  subscriptions.add(() => inbox?.close());
  return { isReported: (error) => typeof error === 'object' && error !== null && known.has(error) };
}

/** Says to the thread that has started this one that its end is reported. */
export function announceReport(): void {
  try {
    const { isMainThread, threadId, BroadcastChannel } = loadWorkerThreads();
    if (isMainThread) return;
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage(threadId);
    channel.close();
  } catch {
    // Then it is reported twice.
  }
}

interface Inbox {
  /** Returns true if this thread has reported its end. */
  take(threadId: number): boolean;
  close(): void;
}

function openInbox(): Inbox {
  const { BroadcastChannel, receiveMessageOnPort } = loadWorkerThreads();
  const channel = new BroadcastChannel(CHANNEL);
  const reported = new Set<unknown>();
  const add = (threadId: unknown) => {
    reported.add(threadId);
    for (const oldest of reported) {
      if (reported.size <= REPORTED_MAX) break;
      reported.delete(oldest);
    }
  };
  channel.onmessage = (event: unknown) => add(read(event, 'data'));
  channel.unref();
  return {
    take(threadId) {
      // Messages that were sent before the failure are there already, but their event may come later.
      for (;;) {
        // The types know no other port than that of a pair.
        const next: unknown = Reflect.apply(receiveMessageOnPort, undefined, [channel]);
        if (next === undefined) break;
        add(read(next, 'message'));
      }
      return reported.delete(threadId);
    },
    close: () => channel.close(),
  };
}
