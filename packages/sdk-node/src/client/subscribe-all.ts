import { breadcrumbEntry } from '../../../sdk-core/src/trail.ts';
import { watchConsole } from '../capture/console-lines.ts';
import { captureExpressError } from '../capture/express-errors.ts';
import { instrumentFastify } from '../capture/fastify-hooks.ts';
import { watchHttp2 } from '../capture/http2-requests.ts';
import { type OutgoingCall, watchOutgoingCalls } from '../capture/outgoing-calls.ts';
import { watchPino } from '../capture/pino-lines.ts';
import { watchProcess } from '../capture/process-failures.ts';
import type { Recorder } from '../capture/recorder.ts';
import { watchRequests } from '../capture/requests.ts';
import { read, type Subscriptions } from '../capture/subscriptions.ts';
import { announceReport, watchWorkers } from '../capture/worker-failures.ts';
import { isRelayTarget } from '../relay/relay-paths.ts';
import { traceHeadersFor } from '../scope/propagation.ts';
import type { Scope } from '../scope/scopes.ts';
import type { CrashSender } from './crash-sender.ts';
import type { ClientParts } from './start-client.ts';

/** Listens to everything that the switches of `capture` ask for. */
export function subscribeAll(
  subscriptions: Subscriptions,
  { runtime, delivery, spooling }: ClientParts,
  recorder: Recorder,
  crash: CrashSender,
): void {
  const { options, host, scopes, client } = runtime;
  const { capture } = options;
  raiseStackLimit(subscriptions, options.given.stackFrames);
  subscriptions.channel('net.server.socket', () => {
    scopes.hasClients = true;
  });
  if (capture.requests) {
    // Until a framework on it is seen.
    const onFirst = () => client.setFramework('node:http');
    watchRequests(subscriptions, scopes, recorder, host.now, isRelayTarget, onFirst, host.schedule);
    watchHttp2(subscriptions, scopes, recorder, host.now, isRelayTarget);
    watchFrameworks(subscriptions);
  }
  if (capture.outgoing) {
    watchOutgoingCalls<Scope>(subscriptions, {
      currentScope: () => scopes.current,
      isOwn: (request) => scopes.isOwn || (request !== null && delivery.isOwn(request)),
      traceHeaders: (scope, url) => traceHeadersFor(runtime, scope.unit, url),
      finished: (scope, call) => noteCall(runtime, scope, call),
      now: () => performance.now(),
    });
  }
  if (capture.loggers) watchPino(subscriptions, (line) => recorder.captureLine(line, scopes.current));
  if (capture.console !== 'off') {
    watchConsole(subscriptions, capture.console, (line) => recorder.captureLine(line, scopes.current));
  }
  const workers = watchWorkers<Scope>(subscriptions, {
    currentScope: () => scopes.current,
    isOwn: () => scopes.isOwn,
    leaveToThread: (error) => recorder.leaveToThread(error),
    captureFailure: (error, startedIn, threadId) => {
      // A pool outlives the request that has started its threads.
      const scope = startedIn.unit.isFinished ? scopes.process : startedIn;
      const context = { worker: { thread_id: threadId } };
      if (capture.uncaught) recorder.captureError(error, scope, { isHandled: false }, { context });
    },
  });
  watchProcess(
    subscriptions,
    {
      captureFailure: (error, { isFatal }) => {
        if (workers.isReported(error)) return;
        const id = recorder.captureError(error, scopes.current, { isHandled: false, isFatal });
        if (isFatal && id !== null) announceReport();
      },
      captureWarning: (warning) => recorder.captureWarning(warning, scopes.process),
      crash: (timeoutMs) => crash.run(timeoutMs),
      hasWaiting: () => client.diagnostics().waiting > 0,
      hasWaitingSignal: () => client.hasSignal,
      flush: (timeoutMs) => client.flush(timeoutMs),
      onAlone: delivery.opening.onAlone,
      abandon: delivery.opening.abandon,
      end: () => spooling?.release(),
    },
    { ...capture, crashTimeoutMs: options.crashTimeoutMs },
  );
}

/** Subscribes to errors of Express since 5.3, and to instances of Fastify when they are created. */
function watchFrameworks(subscriptions: Subscriptions): void {
  subscriptions.channel('tracing:express.router.request:error', (message) => {
    const request = read(message, 'req') ?? read(message, 'request');
    captureExpressError(
      read(message, 'error'),
      Object(request),
      read(message, 'route') ?? read(request, 'route'),
    );
  });
  subscriptions.channel('fastify.initialization', (message) => {
    const instance = read(message, 'fastify');
    if (typeof instance === 'object' && instance !== null) instrumentFastify(instance);
  });
}

function noteCall(runtime: ClientParts['runtime'], scope: Scope, call: OutgoingCall): void {
  const { host, startCleaner, dependencies } = runtime;
  dependencies.record(call, host.now());
  scope.unit.addHost(call.host);
  const data = {
    method: call.method,
    url: call.url,
    status_code: call.status ?? 0,
    duration_ms: Math.round(call.durationMs),
    ...(call.status === null
      ? { failure_kind: 'network_error', failure_reason: call.failureReason }
      : call.status >= 400
        ? { failure_kind: 'http_error' }
        : {}),
  };
  const crumb = breadcrumbEntry(startCleaner(), { type: 'network_request', data }, host.now());
  scope.unit.trail.add('crumb', crumb);
}

function raiseStackLimit(subscriptions: Subscriptions, frames: unknown): void {
  const wanted = frames === undefined ? 30 : frames;
  const before = Error.stackTraceLimit;
  if (typeof wanted !== 'number' || !(before < wanted)) return;
  const raised = Math.min(wanted, 200);
  Error.stackTraceLimit = raised;
  subscriptions.add(() => {
    if (Error.stackTraceLimit === raised) Error.stackTraceLimit = before;
  });
}
