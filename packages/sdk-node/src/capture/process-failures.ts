import { ENVIRONMENT } from '../facts/environment.ts';
import type { Subscriptions } from './subscriptions.ts';

/** The functions of the client that handle failures of the process and its end. */
interface ProcessSink {
  captureFailure(error: unknown, facts: { isFatal: boolean }): void;
  captureWarning(warning: Error): void;
  /** Sends the waiting events while the thread is blocked, for at most this time. */
  crash(timeoutMs: number): void;
  hasWaitingSignal(): boolean;
  hasWaiting(): boolean;
  flush(timeoutMs: number): Promise<boolean>;
  /** Called when only a connection that the library is opening keeps the process alive. */
  onAlone(run: () => void): void;
  /** Gives such connections up. */
  abandon(): void;
  /** The last call before the process is gone. */
  end(): void;
}

/** The switches of `capture` that decide here, and the longest delay of a crash. */
interface ProcessOptions {
  uncaught: boolean;
  rejections: boolean;
  warnings: boolean;
  crashTimeoutMs: number;
}

const EXIT_SEND_MS = 1_000;
const LAST_FLUSH_MS = 2_000;
const MAX_WARNINGS = 200;
/** The name of Node's warning about a rejection that ends no process. */
const REJECTION_WARNING = 'UnhandledPromiseRejectionWarning';

/**
 * Watches how the process fails and ends, and never changes either (docs/contract/clients.md 4.2): the monitor cannot
 * keep a process alive, and the listener of rejections exists only while one of the host does, or where Node takes no
 * notice of one.
 */
export function watchProcess(subscriptions: Subscriptions, sink: ProcessSink, options: ProcessOptions): void {
  watchUncaught(subscriptions, sink, options);
  const isIndifferent = ignoresListeners();
  if (options.rejections) watchHandledRejections(subscriptions, sink, isIndifferent);
  if (options.warnings) {
    // Each of these is a rejection that is reported as one.
    const isKnown = ({ name }: Error) => isIndifferent && options.rejections && name === REJECTION_WARNING;
    watchWarnings(subscriptions, sink, isKnown);
  }
  watchEnd(subscriptions, sink, options);
}

function watchUncaught(subscriptions: Subscriptions, sink: ProcessSink, options: ProcessOptions): void {
  const monitor = (error: unknown, origin: string) => {
    const isWanted = origin === 'unhandledRejection' ? options.rejections : options.uncaught;
    const isFatal =
      process.listenerCount('uncaughtException') === 0 && !process.hasUncaughtExceptionCaptureCallback();
    if (isWanted) sink.captureFailure(error, { isFatal });
    if (isFatal) sink.crash(options.crashTimeoutMs);
  };
  process.on('uncaughtExceptionMonitor', monitor);
  subscriptions.add(() => process.off('uncaughtExceptionMonitor', monitor));
}

/**
 * Returns true if a rejection has the same end with a listener and without: Node is configured to warn of it, or to do
 * nothing.
 */
function ignoresListeners(): boolean {
  const given = [...(ENVIRONMENT.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv];
  let mode: string | undefined;
  for (const [i, option] of given.entries()) {
    const [name, value] = option.split('=');
    if (name === '--unhandled-rejections') mode = value ?? given[i + 1];
  }
  return mode === 'warn' || mode === 'none';
}

function watchHandledRejections(
  subscriptions: Subscriptions,
  sink: ProcessSink,
  isIndifferent: boolean,
): void {
  // Its monitor hears of no rejection.
  const isBun = process.versions.bun !== undefined;
  const always = isIndifferent || isBun;
  const EVENT = 'unhandledRejection';
  let isListening = false;
  const onRejection = (reason: unknown) => {
    // Without a listener of the host it would end the process, and now does as what nothing has caught.
    if (isBun && !isIndifferent && process.listenerCount(EVENT) === 1) throw reason;
    sink.captureFailure(reason, { isFatal: false });
  };
  const start = () => {
    if (isListening) return;
    isListening = true;
    // Before the host's, which may end the process.
    process.prependListener(EVENT, onRejection);
  };
  const stop = () => {
    if (!isListening) return;
    isListening = false;
    process.off(EVENT, onRejection);
  };
  const onAdded = (event: string | symbol, listener: unknown) => {
    if (event === EVENT && listener !== onRejection) start();
  };
  const onRemoved = (event: string | symbol) => {
    if (event !== EVENT || !isListening) return;
    const left = process.listeners(EVENT);
    isListening = left.includes(onRejection);
    if (isListening && left.length === 1 && !always) stop();
  };
  if (always || process.listenerCount(EVENT) > 0) start();
  process.on('newListener', onAdded);
  process.on('removeListener', onRemoved);
  subscriptions.add(() => {
    process.off('newListener', onAdded);
    process.off('removeListener', onRemoved);
    stop();
  });
}

function watchWarnings(
  subscriptions: Subscriptions,
  sink: ProcessSink,
  isKnown: (warning: Error) => boolean,
): void {
  const seen = new Set<string>();
  const onWarning = (warning: Error) => {
    const text = `${warning.name}: ${warning.message}`;
    if (seen.has(text) || seen.size >= MAX_WARNINGS || isKnown(warning)) return;
    seen.add(text);
    sink.captureWarning(warning);
  };
  process.on('warning', onWarning);
  subscriptions.add(() => process.off('warning', onWarning));
}

function watchEnd(subscriptions: Subscriptions, sink: ProcessSink, { crashTimeoutMs }: ProcessOptions): void {
  let hasFlushed = false;
  const onBeforeExit = () => {
    if (hasFlushed || !sink.hasWaiting()) return sink.abandon();
    hasFlushed = true;
    // Neither sockets nor timers of the library keep the process alive; here it stays for one flush.
    const alive = setTimeout(() => {}, LAST_FLUSH_MS);
    sink.flush(LAST_FLUSH_MS).finally(() => {
      clearTimeout(alive);
      sink.abandon();
    });
  };
  const onExit = () => {
    if (sink.hasWaitingSignal()) sink.crash(hasFlushed ? 0 : Math.min(EXIT_SEND_MS, crashTimeoutMs));
    sink.end();
  };
  // Listeners of the host may capture something too, so this one stays the last.
  let isLast = true;
  const stayLast = () => {
    if (isLast || !process.listeners('exit').includes(onExit)) return;
    isLast = true;
    process.off('exit', onExit);
    process.on('exit', onExit);
  };
  const onAdded = (event: string | symbol, listener: unknown) => {
    if (event !== 'exit' || listener === onExit || !isLast) return;
    isLast = false;
    process.nextTick(stayLast);
  };
  process.on('beforeExit', onBeforeExit);
  sink.onAlone(onBeforeExit);
  process.on('exit', onExit);
  process.on('newListener', onAdded);
  subscriptions.add(() => {
    process.off('newListener', onAdded);
    process.off('beforeExit', onBeforeExit);
    sink.onAlone(() => sink.abandon());
    process.off('exit', onExit);
  });
}
