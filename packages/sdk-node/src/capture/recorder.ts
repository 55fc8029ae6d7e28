import { types } from 'node:util';
import type { Hint } from '../../../sdk-core/src/options.ts';
import { isImmediateFailure, levelRank } from '../../../sdk-core/src/policy.ts';
import { bareText } from '../../../sdk-core/src/redaction/clean.ts';
import { classNameOf, isError, readThrown } from '../../../sdk-core/src/redaction/read-error.ts';
import type { RawFailure } from '../../../sdk-core/src/repeats/repeats.ts';
import { logEntry } from '../../../sdk-core/src/trail.ts';
import type { JsonObject } from '../../../sdk-core/src/wire.ts';
import type { LogLine } from '../client/implementation.ts';
import type { Runtime } from '../client/runtime.ts';
import { boundedHeaders, type Exchange, pathOf } from '../scope/exchange.ts';
import type { PendingException, Scope, Unit } from '../scope/scopes.ts';
import { ErrorOwners } from './error-owners.ts';
import { isClientError, isHangUp } from './error-verdict.ts';
import { type ExceptionOrigin, exceptionDraft, logDraft, requestDraft } from './events.ts';
import { unwrapped } from './wrapped-error.ts';

/** Events that wait for the end of their unit, and how long. */
const MAX_PENDING = 5;
const MAX_WAIT_MS = 5_000;
const WARNING_RANK = 2;
const ERROR_RANK = 3;

/** The end of a unit of work. */
interface UnitEnd {
  /** Null when no response was sent. */
  status: number | null;
  headers: object | null;
  durationMs: number;
  /** The error with which the host ended an answer that it could not finish, as `pipeline` of a stream does. */
  error?: unknown;
}

/**
 * Turns what happens in a unit of work into events: one failure gives one signal (docs/contract/clients.md 4.3), so
 * exceptions and log lines with an Error wait for the end of their request or job.
 */
export class Recorder {
  readonly #runtime: Runtime;
  readonly #owners = new ErrorOwners();
  lastEventId: string | null = null;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  captureError(
    given: unknown,
    scope: Scope,
    origin: ExceptionOrigin & { isExpected?: boolean },
    hint?: Hint,
  ): string | null {
    const { client } = this.#runtime;
    const { unit } = scope;
    const thrown = unwrapped(given);
    unit.remember(thrown);
    // Its queue may log it again, outside of the job.
    if (unit.kind === 'job') this.#runtime.scopes.process.unit.remember(thrown);
    const waits =
      unit.kind === 'request' &&
      !unit.isFinished &&
      unit.pending.length < MAX_PENDING &&
      hint?.response === undefined;
    if (origin.isExpected === true && !waits && isClientError(thrown)) return null;
    const isExpected = origin.isExpected === true && !this.#isFailureByItself(unit, thrown);
    const source = this.#owners.sourceOf(thrown, unit);
    if (source === null) {
      client.drop('duplicate');
      return null;
    }
    const failure = waits || origin.isFatal === true ? null : this.#failureOf(thrown, unit, hint);
    const repeated = failure === null ? null : client.repeat(failure, source ?? Object(thrown));
    if (repeated?.isHeld) {
      unit.captured++;
      this.lastEventId = repeated.id;
      return repeated.id;
    }
    const prepared = client.prepare({
      ...exceptionDraft(this.#runtime, thrown, scope, origin, hint),
      source,
      failure: failure ?? undefined,
      admittedAs: repeated?.id,
    });
    if (prepared === null) return null;
    if (typeof prepared === 'string') {
      // Reported by the host as well: then it is no longer the framework's own.
      const known = unit.pending.find((pending) => pending.prepared.id === prepared);
      if (known !== undefined && !isExpected) known.isExpected = false;
      return prepared;
    }
    this.lastEventId = prepared.id;
    unit.captured++;
    if (waits) {
      unit.pending.push({ prepared, error: thrown, isExpected });
      this.#await(unit);
    } else client.submit(prepared);
    return prepared.id;
  }

  /** The thread that this Error ended has reported it. */
  leaveToThread(error: unknown): void {
    this.#owners.leaveToThread(error);
  }

  /**
   * Returns the facts that distinguish a failure while only suppression can end it, without building it; null
   * otherwise.
   */
  #failureOf(thrown: unknown, { exchange }: Unit, hint: Hint | undefined): RawFailure | null {
    const { isUnfiltered } = this.#runtime;
    if (!this.#runtime.isPlain() || !types.isNativeError(thrown)) return null;
    if (hint !== undefined && Object.keys(hint).length > 0) return null;
    const { name, message, stack } = readThrown(thrown, classNameOf);
    if (stack === null) return null;
    return { target: exchange?.target, name, message: String(message), stack, isUnfiltered };
  }

  /**
   * Adds a line to the trail of its unit, and turns it into a separate event when its level requires one. Returns its
   * time, by which the service recognizes that both are one line.
   */
  captureLine(given: LogLine, scope: Scope): number {
    // Loggers take the message of an Error for their line.
    const line = isError(given.error)
      ? { ...given, message: bareText(given.message), error: unwrapped(given.error) }
      : given;
    const { host, startCleaner } = this.#runtime;
    const { unit } = scope;
    const nowMs = host.now();
    unit.trail.add('log', logEntry(startCleaner(), line, nowMs));
    if (unit.knows(line.error)) return nowMs;
    if (line.isUnhandled === true && line.error !== undefined) {
      this.captureError(line.error, scope, { isHandled: false, isLogged: true });
      return nowMs;
    }
    const isEvent = this.#isEvent(line);
    if (line.error !== undefined && line.error !== null && this.#isHeld(unit, line)) {
      const isLate = unit.exchange?.isAnswering() === true;
      unit.loggedErrors.push({ line, error: line.error, atMs: nowMs, scope, isLate });
      if (isEvent) this.#await(unit);
    } else if (isEvent) this.captureLog(line, scope, nowMs);
    return nowMs;
  }

  #isEvent({ isEvent, level }: LogLine): boolean {
    return isEvent && levelRank(level) >= this.#runtime.options.logRank;
  }

  /**
   * Returns true if an Error of a line can still become the failure of its unit. The oldest one that is no event makes
   * room.
   */
  #isHeld({ kind, isFinished, loggedErrors }: Unit, { level }: LogLine): boolean {
    if (kind === 'process' || isFinished || levelRank(level) < WARNING_RANK) return false;
    if (loggedErrors.length < MAX_PENDING) return true;
    const oldest = loggedErrors.findIndex(({ line }) => !this.#isEvent(line));
    if (oldest >= 0) loggedErrors.splice(oldest, 1);
    return oldest >= 0;
  }

  captureLog(line: LogLine, scope: Scope, atMs?: number): string | null {
    const id = this.#runtime.client.capture(logDraft(this.#runtime, line, scope, atMs));
    if (id !== null) this.lastEventId = id;
    return id;
  }

  /** The end of a request: the first matching row of the table in docs/contract/clients.md 4.3. */
  finishRequest(scope: Scope, end: UnitEnd): void {
    const { unit } = scope;
    if (unit.isFinished) return;
    const broken = types.isNativeError(end.error) && this.#isFailureOf(unit, end.error, end);
    const isIgnored = unit.exchange !== null && this.#isIgnored(pathOf(unit.exchange.target));
    const isFailed = end.status === null || end.status >= 500;
    if (unit.captured === 0 && !isIgnored && broken)
      this.captureError(end.error, scope, { isHandled: false });
    unit.isFinished = true;
    const isTold = unit.isTold && isFailed;
    if (unit.captured === 0 && !isIgnored && !isTold) this.#promoteLoggedError(unit, end, isFailed);
    const hadException = this.#publish(unit, end);
    if (!hadException && !isTold) this.#captureFailedRequest(scope, end, isIgnored);
    const copy = (value: unknown) => this.#runtime.startCleaner().value(value);
    unit.release(copy);
    scope.release(copy);
  }

  /** The end of a job, or of what waits before its end comes. */
  finish(unit: Unit): void {
    unit.isFinished = unit.kind === 'job' || unit.isFinished;
    this.#publish(unit, null);
  }

  /** Before a flush or a crash. */
  publishAll(): void {
    for (const unit of [...this.#runtime.waitingUnits]) this.#publish(unit, null);
  }

  /**
   * Row 2: the failure itself is the last Error with a stack that a line carried; React Router prints one without
   * later. Of a request that was answered well, what was printed while its answer was under way: a page that fails
   * while it streams.
   */
  #promoteLoggedError(unit: Unit, end: UnitEnd, isFailed: boolean): void {
    // An error that breaks an answer after its start is a warning to Fastify.
    const leastRank = end.status === null ? WARNING_RANK : ERROR_RANK;
    const failures = unit.loggedErrors.filter(({ line, error, isLate }) => {
      if (levelRank(line.level) < leastRank) return false;
      return isFailed
        ? this.#isFailureOf(unit, error, end)
        : isLate && !isClientError(error) && !isHangUp(error);
    });
    const hasStack = ({ error }: { error: unknown }) => readThrown(error, classNameOf).stack !== null;
    const logged = failures.findLast(hasStack) ?? failures.at(-1);
    if (logged === undefined) return;
    unit.loggedErrors.splice(unit.loggedErrors.indexOf(logged), 1);
    const { error, scope } = logged;
    unit.remember(error);
    const source = this.#owners.sourceOf(error, unit);
    if (source === null) return;
    const origin = { isHandled: true, isLogged: true };
    const draft = { ...exceptionDraft(this.#runtime, error, scope, origin), source };
    const prepared = this.#runtime.client.prepare(draft);
    if (prepared === null || typeof prepared === 'string') return;
    this.lastEventId = prepared.id;
    unit.pending.push({ prepared, error, isExpected: false });
  }

  /** Ends the waiting of a unit. Returns whether an exception of it was or is reported. */
  #publish(unit: Unit, end: UnitEnd | null): boolean {
    const { client, waitingUnits } = this.#runtime;
    unit.cancelTimer?.();
    unit.cancelTimer = null;
    waitingUnits.delete(unit);
    const pending = unit.pending.splice(0);
    const kept: PendingException[] = [];
    for (const each of pending) {
      if (!each.isExpected || this.#isFailureOf(unit, each.error, end)) kept.push(each);
      else {
        unit.captured--;
        client.discard(each.prepared, 'filtered');
      }
    }
    const last = kept.at(-1);
    if (last !== undefined && end !== null)
      last.prepared.event.payload.response = this.#responseOf(unit, end);
    for (const { prepared } of kept) client.submit(prepared);
    const logged = unit.loggedErrors.splice(0);
    for (const { line, error, scope, atMs } of logged) {
      if (this.#isEvent(line) && !unit.knows(error)) this.captureLog(line, scope, atMs);
    }
    // A line that is no event costs nothing to hold, however long its request takes.
    if (!unit.isFinished) unit.loggedErrors = logged.filter(({ line }) => !this.#isEvent(line));
    return unit.captured > 0 || kept.length > 0;
  }

  #responseOf(unit: Unit, end: UnitEnd): JsonObject {
    const cleaner = this.#runtime.startCleaner();
    const headers = unit.response?.headers ?? end.headers;
    return {
      status_code: end.status,
      headers: cleaner.membersOf(headers === null ? {} : boundedHeaders(headers)),
      body: unit.response?.body === undefined ? null : cleaner.value(unit.response.body),
      duration_ms: end.durationMs,
    };
  }

  /** Rows 3 to 5: the request itself is the signal, or context that the policy wants. */
  #captureFailedRequest(scope: Scope, end: UnitEnd, isIgnored: boolean): void {
    const { exchange } = scope.unit;
    const policy = this.#runtime.policy();
    if (exchange === null) return;
    const status = end.status ?? 0;
    const wantsAll = policy === null || policy.capture_request_events === 'all';
    if (status < 400 && !wantsAll) return;
    const isFailure = this.#isFailure(exchange, status);
    if ((isFailure && isIgnored) || (!isFailure && !wantsAll)) return;
    this.captureRequest(scope, end);
  }

  captureRequest(scope: Scope, end: UnitEnd): string | null {
    const { exchange } = scope.unit;
    const status = end.status ?? 0;
    const isFailure = exchange !== null && this.#isFailure(exchange, status);
    const id = this.#runtime.client.capture(
      requestDraft(this.#runtime, scope, { status, durationMs: end.durationMs }, isFailure),
    );
    if (id !== null) this.lastEventId = id;
    return id;
  }

  captureWarning(warning: Error, scope: Scope): void {
    const code: unknown = Reflect.get(warning, 'code');
    const line: LogLine = {
      level: 'warning',
      message: `${warning.name}: ${warning.message}`,
      logger: 'process',
      attributes: typeof code === 'string' ? { code } : {},
      error: undefined,
      isEvent: true,
    };
    this.captureLine(line, scope);
  }

  /**
   * Returns true if an error that a framework reports is a failure: by the answer, and without one by the error itself.
   */
  #isFailureOf({ exchange }: Unit, error: unknown, end: UnitEnd | null): boolean {
    if (end === null || exchange === null) return !isClientError(error);
    if (end.status === null) return !isClientError(error) && !isHangUp(error);
    const policy = this.#runtime.policy();
    return end.status >= 500 || (policy !== null && this.#isFailure(exchange, end.status));
  }

  /** Returns true if an error comes too late for the status to show it, or if the answer of its protocol shows none. */
  #isFailureByItself({ exchange, isAnsweredApart }: Unit, error: unknown): boolean {
    const isTold = exchange?.isAnswering() !== true && !isAnsweredApart;
    return !isTold && !isClientError(error) && !isHangUp(error);
  }

  #isFailure(exchange: Exchange, status: number): boolean {
    const policy = this.#runtime.policy();
    const facts = { response_status: status, method: exchange.method, path: pathOf(exchange.target) };
    return policy === null ? status >= 400 : isImmediateFailure(policy, facts);
  }

  #isIgnored(path: string): boolean {
    return this.#runtime.options.ignoreRequests.some((rule) =>
      typeof rule === 'string' ? path.startsWith(rule) : rule.test(path),
    );
  }

  #await(unit: Unit): void {
    const { host, waitingUnits } = this.#runtime;
    waitingUnits.add(unit);
    unit.cancelTimer ??= host.schedule(MAX_WAIT_MS, () => {
      unit.cancelTimer = null;
      this.#publish(unit, null);
    });
  }
}
