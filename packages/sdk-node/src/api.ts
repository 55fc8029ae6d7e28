import type { Breadcrumb, Hint } from '../../sdk-core/src/options.ts';
import type {
  DeployInfo,
  Diagnostics,
  Implementation,
  RequestInfo,
  ResponseInfo,
  Scope,
  SetupVerdict,
} from './client/implementation.ts';
import { INACTIVE_DIAGNOSTICS, INACTIVE_SCOPE } from './client/inactive.ts';
import { implementation } from './client/node-implementation.ts';
import type { NodeOptions } from './client/node-options.ts';
import { active } from './client/registry.ts';

/** Calls the active implementation; what goes wrong inside never reaches the host. */
function attempt<T>(call: (implementation: Implementation) => T, otherwise: T): T {
  try {
    const found = active();
    return found === undefined ? otherwise : call(found);
  } catch {
    return otherwise;
  }
}

async function attemptLater<T>(call: (found: Implementation) => Promise<T>, otherwise: T): Promise<T> {
  try {
    const found = active();
    return found === undefined ? otherwise : await call(found);
  } catch {
    return otherwise;
  }
}

const NO_RESULT = {};

/** Returns the function that a host passes to be called; a value that is no function is work without a result. */
function hostWork<T>(run: () => T): () => T {
  return typeof run === 'function' ? run : () => Reflect.get(NO_RESULT, 'result');
}

/** Setters that never throw, whatever the host passes. */
function safeScope(scope: Scope): Scope {
  const guarded =
    <Parameters extends unknown[]>(set: (...parameters: Parameters) => void) =>
    (...parameters: Parameters): void => {
      try {
        set(...parameters);
      } catch {
        // A value that cannot be read sets nothing.
      }
    };
  return {
    setUser: guarded(scope.setUser),
    setTag: guarded(scope.setTag),
    setContext: guarded(scope.setContext),
    addBreadcrumb: guarded(scope.addBreadcrumb),
    setRoute: guarded(scope.setRoute),
    setRequestBody: guarded(scope.setRequestBody),
    setResponse: guarded(scope.setResponse),
  };
}

/** Starts capture. Options that are absent come from the environment. Returns whether capture is active. */
export function init(options: NodeOptions = {}): boolean {
  try {
    return (active() ?? implementation).init(options);
  } catch {
    return false;
  }
}

/** Reports any value as an exception. The same Error object is reported once. Returns the event id. */
export function captureException(error: unknown, hint?: Hint): string | null {
  return attempt((found) => found.captureException(error, hint), null);
}

/** Reports a message, `info` unless said otherwise; the project decides from which level it opens an incident. */
export function captureMessage(
  message: string,
  level?: string,
  attributes?: Readonly<Record<string, unknown>>,
): string | null {
  return attempt((found) => found.captureMessage(message, level, attributes, true), null);
}

/** Reports a log line with its level. */
export function captureLog(
  message: string,
  level?: string,
  attributes?: Readonly<Record<string, unknown>>,
): string | null {
  return attempt((found) => found.captureMessage(message, level, attributes), null);
}

/** Reports a request by hand, for servers that the library does not see. */
export function captureRequest(request: RequestInfo, response: ResponseInfo, hint?: Hint): string | null {
  return attempt((found) => found.captureRequest(request, response, hint), null);
}

/** Adds an entry to the trail of the current scope. */
export function addBreadcrumb(crumb: Breadcrumb): void {
  attempt((found) => found.addBreadcrumb(crumb), undefined);
}

/** Sets or removes the user of the current scope. Only `id` is sent. */
export function setUser(user: { id?: unknown; [key: string]: unknown } | null): void {
  attempt((found) => found.setUser(user), undefined);
}

/** Sets a tag of the current scope. */
export function setTag(key: string, value: unknown): void {
  attempt((found) => found.setTag(key, value), undefined);
}

/** Sets tags of the current scope. */
export function setTags(tags: Readonly<Record<string, unknown>>): void {
  attempt((found) => found.setTags(tags), undefined);
}

/** Sets a named context of the current scope; null removes it. */
export function setContext(name: string, value: Readonly<Record<string, unknown>> | null): void {
  attempt((found) => found.setContext(name, value), undefined);
}

/** Runs `run` and all its asynchronous work in a separate scope. */
export function withScope<T>(run: () => T): T {
  const found = active();
  return found === undefined ? hostWork(run)() : found.withScope(hostWork(run));
}

/** The innermost scope. */
export function currentScope(): Scope {
  return attempt((found) => safeScope(found.currentScope()), INACTIVE_SCOPE);
}

/** Runs `run` as the work of one request. A failure of it is captured and passed on. */
export function withRequest<T>(info: RequestInfo, run: () => T): T {
  const found = active();
  return found === undefined ? hostWork(run)() : found.withRequest(info, hostWork(run));
}

/** Runs `run` as a background job. A failure of it is captured and passed on. */
export async function withJob<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const found = active();
  return found === undefined ? hostWork(run)() : found.withJob(name, hostWork(run));
}

/** Notes a value for diagnosis; a function is called only when its value is needed. */
export function probe(label: string, value: unknown, options?: { heavy?: boolean | undefined }): void {
  try {
    active()?.probe(label, value, options);
  } catch {
    // The host continues.
  }
}

/** Announces that this version is deployed now. */
export function announceDeploy(deploy: DeployInfo = {}): Promise<boolean> {
  return attemptLater((found) => found.announceDeploy(deploy), false);
}

/** Sends one test event and returns what became of it. */
export function verifySetup(): Promise<SetupVerdict> {
  return attemptLater((found) => found.verifySetup(), { ok: false, status: null, reason: 'not_initialized' });
}

/** The trace id of the current scope. */
export function getTraceId(): string | null {
  return attempt((found) => found.getTraceId(), null);
}

/** Headers that continue the trace at this address, for HTTP clients that the library does not see. */
export function traceHeaders(url: string): Record<string, string> {
  return attempt((found) => found.traceHeaders(url), {});
}

/** Sends the waiting events. True: no event waits. */
export function flush(timeoutMs?: number): Promise<boolean> {
  return attemptLater((found) => found.flush(timeoutMs), true);
}

/** Sends what waits, then undoes every listener and subscription. */
export function close(timeoutMs?: number): Promise<boolean> {
  return attemptLater((found) => found.close(timeoutMs), true);
}

/** Returns the counts of captured, sent and dropped events. */
export function getDiagnostics(): Diagnostics {
  return attempt((found) => found.getDiagnostics(), INACTIVE_DIAGNOSTICS);
}

/** The id of the last event that was captured. */
export function lastEventId(): string | null {
  return attempt((found) => found.lastEventId(), null);
}

/** Returns true if capture is active. */
export function isEnabled(): boolean {
  return attempt((found) => found.isEnabled(), false);
}
