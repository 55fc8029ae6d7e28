import { types } from 'node:util';
import type { DiagnosticCode, DiagnosticData } from '../../../sdk-core/src/diagnostics.ts';
import type { Breadcrumb, Hint } from '../../../sdk-core/src/options.ts';
import { levelName } from '../../../sdk-core/src/policy.ts';
import { readProperty } from '../../../sdk-core/src/redaction/clean.ts';
import { breadcrumbEntry } from '../../../sdk-core/src/trail.ts';
import { isThrownResponse } from '../capture/error-verdict.ts';
import { requestFacts } from '../capture/events.ts';
import { Recorder } from '../capture/recorder.ts';
import { createSubscriptions, type Subscriptions } from '../capture/subscriptions.ts';
import { lastDebugIds } from '../facts/build-facts.ts';
import { findMissingPermissions } from '../facts/missing-permissions.ts';
import { HandExchange } from '../scope/hand-exchange.ts';
import { readActiveSpan } from '../scope/open-telemetry.ts';
import { traceHeadersFor } from '../scope/propagation.ts';
import { type Scope, Unit } from '../scope/scopes.ts';
import type { Verdict } from '../transport/verdicts.ts';
import { CrashSender } from './crash-sender.ts';
import type {
  DeployInfo,
  Diagnostics,
  FrameworkError,
  LogLine,
  OpenJob,
  OpenRequest,
  Scope as PublicScope,
  RelayTarget,
  RequestInfo,
  ResponseInfo,
  SetupVerdict,
} from './implementation.ts';
import { createRelayTarget } from './relay-source.ts';
import type { Runtime } from './runtime.ts';
import type { ClientParts } from './start-client.ts';
import { subscribeAll } from './subscribe-all.ts';

const FLUSH_MS = 2_000;
const JOB_FLUSH_MS = 500;
const VERDICT_MS = 10_000;
/** For what `close` does after its flush. */
const CLOSE_MS = 1_000;
const MAX_TIMEOUT_MS = 60_000;

/** One started client: what the functions of the package do between `init` and `close`. */
export class RunningClient {
  readonly #parts: ClientParts;
  readonly #runtime: Runtime;
  readonly #recorder: Recorder;
  readonly #subscriptions: Subscriptions;
  readonly #crash: CrashSender;
  #isClosing = false;
  /** A framework has reported an error of a request. */
  #hasMetRequest = false;
  #relayTarget: RelayTarget | null = null;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#runtime = parts.runtime;
    this.#recorder = new Recorder(parts.runtime);
    this.#subscriptions = createSubscriptions((error) =>
      this.report('internal_error', { message: String(error) }),
    );
    this.#crash = new CrashSender(parts.runtime, parts.delivery, parts.spool);
    const { client, options, scopes } = parts.runtime;
    client.onFlush(() => this.#recorder.publishAll());
    scopes.process.assign(objectOr(options.given.initialScope, {}));
  }

  /** Begins to listen. */
  start(): void {
    subscribeAll(this.#subscriptions, this.#parts, this.#recorder, this.#crash);
    this.#parts.startConfig();
    this.#reportPermissions();
  }

  #reportPermissions(): void {
    const { delivery, spool, crashTimeoutMs, capture } = this.#runtime.options;
    if (delivery !== 'connected') return;
    const sendsCrashes = crashTimeoutMs > 0 && (capture.uncaught || capture.rejections);
    const missing = findMissingPermissions(spool?.directory ?? null, sendsCrashes);
    if (missing !== null) this.report('permission_missing', { ...missing });
  }

  get isEnabled(): boolean {
    return !this.#isClosing && this.#runtime.client.isActive;
  }

  get scope(): Scope {
    return this.#runtime.scopes.current;
  }

  get lastEventId(): string | null {
    return this.#recorder.lastEventId;
  }

  report(code: DiagnosticCode, data: DiagnosticData = {}): void {
    this.#parts.report(code, data);
  }

  captureException(error: unknown, hint?: Hint): string | null {
    return this.#recorder.captureError(error, this.scope, { isHandled: true }, readableHint(hint));
  }

  captureFrameworkError(error: unknown, facts: FrameworkError): string | null {
    if (isThrownResponse(error)) return null;
    const { current } = this.#runtime.scopes;
    const isOutside = current.unit.kind === 'process' && facts.request !== undefined;
    const scope = (isOutside && this.#runtime.scopes.earlyOf(facts.request ?? {})) || current;
    const origin = { isHandled: false, isExpected: facts.isExpected !== false };
    const { unit } = scope;
    if (unit.kind === 'request') {
      this.#hasMetRequest = true;
      this.#describe(unit, facts);
      return this.#recorder.captureError(error, scope, origin);
    }
    this.#runtime.client.setFramework(facts.framework);
    if (facts.request === undefined) return this.#recorder.captureError(error, scope, origin);
    const apart = this.#unitOfHost(facts.request);
    this.#describe(apart, facts);
    apart.isFinished = true;
    if (unit.kind === 'process') {
      if (facts.isMetLate === true && !this.#hasMetRequest) apart.shareTrail(unit);
      this.#hasMetRequest = true;
      return this.#recorder.captureError(error, this.#runtime.scopes.scopeOf(apart), origin);
    }
    // The trail and the tags of the job, and the request that it answers.
    const request = requestFacts(apart, this.#runtime) ?? undefined;
    return this.#recorder.captureError(error, scope, origin, { request });
  }

  #describe(unit: Unit, { framework, frameworkVersion, routeTemplate, body }: FrameworkError): void {
    unit.routeTemplate ??= routeTemplate ?? null;
    unit.framework ??= framework;
    unit.frameworkVersion ??= frameworkVersion ?? null;
    if (body !== undefined) this.#keepBody(unit, unit.requestBody ?? body);
    this.#runtime.client.setFramework(framework);
  }

  captureMessage(
    message: unknown,
    level?: string,
    attributes?: Readonly<Record<string, unknown>>,
    isCaptured = false,
  ): string | null {
    const line = { ...lineOf(message, level, attributes), isCaptured };
    const atMs = this.#recorder.captureLine({ ...line, isEvent: false }, this.scope);
    return this.#recorder.captureLog(line, this.scope, atMs);
  }

  captureLogLine(line: LogLine): void {
    if (this.#runtime.options.capture.loggers) this.#recorder.captureLine(line, this.scope);
  }

  captureRequest(request: RequestInfo, response: ResponseInfo, hint: Hint = {}): string | null {
    return this.#runtime.scopes.runUnit(this.#unitOf(request), () => {
      this.scope.assign(hint);
      return this.#recorder.captureRequest(this.scope, {
        status: numberOr(response.status, null),
        headers: response.headers ?? null,
        durationMs: numberOr(response.durationMs, null) ?? 0,
      });
    });
  }

  addBreadcrumb(crumb: Breadcrumb): void {
    this.#addBreadcrumb(this.scope, crumb);
  }

  setRoute(template: string | null, framework?: string): void {
    const { unit } = this.scope;
    if (framework !== undefined) this.#runtime.client.setFramework(framework);
    // The process keeps nothing of one request.
    if (unit.kind === 'process') return;
    if (typeof template === 'string') unit.routeTemplate ??= template;
    unit.framework ??= framework ?? null;
  }

  setUser(user: unknown): void {
    this.#runtime.scopes.enterClient().setUser(user);
  }

  withScope<T>(run: () => T): T {
    return this.#runtime.scopes.runNested(run);
  }

  currentScope(): PublicScope {
    const { scope } = this;
    return {
      setUser: (user) => scope.setUser(user),
      setTag: (key, value) => scope.setTag(key, value),
      setContext: (name, value) => scope.setContext(name, value),
      addBreadcrumb: (crumb) => this.#addBreadcrumb(scope, crumb),
      setRoute: (template) => {
        if (typeof template === 'string') scope.unit.routeTemplate = template;
      },
      setRequestBody: (value) => {
        this.#keepBody(scope.unit, value);
      },
      setResponse: (response) => {
        scope.unit.response = objectOr(response, {});
      },
    };
  }

  withRequest<T>(info: RequestInfo, run: () => T): T {
    const { scope, open } = this.#open(this.#unitOfHost(info));
    const finish = (hasFailed: boolean) => {
      const { status, headers } = scope.unit.response ?? {};
      open.finish({ status: status ?? (hasFailed ? 500 : 200), headers });
    };
    return open.run(() =>
      settled(run, finish, (error) => {
        if (isThrownResponse(error)) scope.unit.response = { status: error.status, headers: error.headers };
        else this.#recorder.captureError(error, scope, { isHandled: false });
      }),
    );
  }

  openRequest(info: RequestInfo): OpenRequest | null {
    return this.scope.unit.kind === 'request' ? null : this.#open(this.#unitOfHost(info)).open;
  }

  openJob(name: string): OpenJob | null {
    const { scopes } = this.#runtime;
    if (this.scope.unit.kind !== 'process') return null;
    const unit = new Unit('job', null, nameOf(name));
    const scope = scopes.scopeOf(unit);
    return { run: (work) => scopes.runIn(scope, work), finish: () => this.#recorder.finish(unit) };
  }

  #open(unit: Unit): { scope: Scope; open: OpenRequest } {
    const { scopes } = this.#runtime;
    const scope = scopes.scopeOf(unit);
    const startedAt = performance.now();
    const open: OpenRequest = {
      run: (work) => scopes.runIn(scope, work),
      finish: ({ status, headers }) =>
        this.#recorder.finishRequest(scope, {
          status: numberOr(status, null),
          headers: headers ?? null,
          durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
        }),
    };
    return { scope, open };
  }

  leaveRequest(): void {
    const { unit } = this.scope;
    if (unit.kind === 'request') unit.isFinished = true;
  }

  answerApart(): void {
    const { unit } = this.scope;
    if (unit.kind === 'request') unit.isAnsweredApart = true;
  }

  finishRequest(response: ResponseInfo): void {
    this.scope.unit.response = { ...this.scope.unit.response, ...response };
  }

  async withJob<T>(
    name: string,
    run: () => T | Promise<T>,
    flushMs: () => number = () => JOB_FLUSH_MS,
  ): Promise<T> {
    const { scopes } = this.#runtime;
    const unit = new Unit('job', null, nameOf(name));
    this.#joinFamily(unit);
    return scopes.runUnit(unit, async () => {
      const { scope } = this;
      try {
        return await run();
      } catch (error) {
        this.#recorder.captureError(error, scope, { isHandled: false });
        throw error;
      } finally {
        this.#recorder.finish(unit);
        if (this.#runtime.client.hasSignal) await this.flush(flushMs());
      }
    });
  }

  probe(label: string, value: unknown, options?: { heavy?: boolean | undefined }): void {
    const { probes, scopes, triggers, directives } = this.#runtime;
    const { unit } = scopes.current;
    const own = triggers.of(unit);
    // The cost of a dormant heavy probe.
    if (options?.heavy === true && own.length === 0 && directives.size === 0) return;
    probes.probe(label, value, options, unit.kind === 'process' ? null : unit, own);
  }

  async announceDeploy(deploy: DeployInfo): Promise<boolean> {
    const { client, options, release, git } = this.#runtime;
    const { version, commit, branch, environment, deployedAt } = objectOr<DeployInfo>(deploy, {});
    const at = deployedAt instanceof Date ? deployedAt : new Date(deployedAt ?? client.now());
    const payload = {
      commit_sha: commit ?? git?.commit ?? null,
      version: version ?? (commit === undefined ? release : null),
      branch: branch ?? git?.branch ?? null,
      environment: environment ?? options.environment,
      deployed_at: new Date(Number.isNaN(at.getTime()) ? client.now() : at).toISOString(),
    };
    const { isAccepted } = await this.#deliverAlone(() =>
      client.capture({ type: 'deploy_metadata', payload }),
    );
    return isAccepted;
  }

  async verifySetup(): Promise<SetupVerdict> {
    const error = new Error('Test event of the Culprit setup verification');
    error.name = 'CulpritSetupVerification';
    const hint = { verification: true, severity: 'low' };
    const verdict = await this.#deliverAlone(() => this.captureException(error, hint));
    const { isAccepted, status, reason } = verdict;
    const file = this.#parts.delivery.lastFile();
    return { ok: isAccepted, status: file === null ? status : null, reason: reason ?? file };
  }

  /** Sends an event immediately and returns its outcome. */
  async #deliverAlone(capture: () => string | null): Promise<Verdict> {
    const { client, host } = this.#runtime;
    const { verdicts } = this.#parts;
    const before = client.diagnostics().dropped;
    const refused = () => ({ isAccepted: false, status: null, reason: this.#droppedSince(before) });
    const id = capture();
    if (id === null) return verdicts.refusal ?? refused();
    const { verdict, stop } = verdicts.waitFor(id);
    let cancel = () => {};
    const tooLate = () => ({ ...refused(), reason: 'timeout' });
    const late = new Promise<Verdict>((resolve) => {
      cancel = host.schedule(VERDICT_MS, () => resolve(tooLate()));
    });
    void client.flush(VERDICT_MS);
    const settled = client.waits(id)
      ? await held(VERDICT_MS, Promise.race([verdict, late]), tooLate)
      : refused();
    cancel();
    stop();
    return settled;
  }

  /** The counter that has grown, as the reason why an event did not get as far as the queue. */
  #droppedSince(before: Readonly<Record<string, number>>): string {
    const now = Object.entries(this.#runtime.client.diagnostics().dropped);
    return now.find(([reason, count]) => count > (before[reason] ?? 0))?.[0] ?? 'not_captured';
  }

  /** Returns the target of a relay of browsers. */
  get relayTarget(): RelayTarget {
    this.#relayTarget ??= createRelayTarget(this.#parts);
    return this.#relayTarget;
  }

  getTraceId(): string | null {
    return this.scope.unit.traceId ?? readActiveSpan()?.traceId ?? null;
  }

  traceHeaders(url: string): Record<string, string> {
    return traceHeadersFor(this.#runtime, this.scope.unit, String(url));
  }

  flush(timeoutMs: unknown = FLUSH_MS): Promise<boolean> {
    const limitMs = timeoutOf(timeoutMs);
    return held(limitMs, this.#runtime.client.flush(limitMs), () => false);
  }

  async close(timeoutMs: unknown = FLUSH_MS): Promise<boolean> {
    if (this.#isClosing) return true;
    this.#isClosing = true;
    this.#subscriptions.close();
    return held(timeoutOf(timeoutMs) + CLOSE_MS, this.#close(timeoutMs), () => false);
  }

  async #close(timeoutMs: unknown): Promise<boolean> {
    const { delivery, spooling, stopConfig } = this.#parts;
    const { client, host } = this.#runtime;
    const limitMs = timeoutOf(timeoutMs);
    const endsAtMs = host.now() + limitMs;
    const isEmpty = await client.close(limitMs);
    stopConfig();
    await Promise.race([
      spooling?.settled(),
      new Promise<void>((resolve) => host.schedule(Math.max(0, endsAtMs - host.now()), resolve)),
    ]);
    if (!isEmpty) await spooling?.save();
    // Ends what is still under way, and with it the claim of a file that is being sent.
    delivery.close();
    await spooling?.settled();
    return isEmpty;
  }

  getDiagnostics(): Diagnostics {
    const { client, options, policy } = this.#runtime;
    const { endpoint, delivery } = options;
    return {
      ...client.diagnostics(),
      mode: delivery === 'local' ? 'local' : 'connected',
      endpointOrigin: delivery === 'connected' && endpoint !== null ? endpoint.origin : null,
      policyPreset: policy()?.preset ?? null,
      activeProbes: this.#runtime.directives.active(),
      debugIds: lastDebugIds,
    };
  }

  /** Only what may be sent is kept, and nothing by the unit that never ends. */
  #keepBody(unit: Unit, body: unknown): void {
    if (this.#runtime.options.requestBodies === 'failures' && unit.kind !== 'process' && !unit.isFinished)
      unit.requestBody = body;
  }

  /** The host's work runs in any case, so what cannot be read of its request is left out. */
  #unitOfHost(info: RequestInfo): Unit {
    try {
      return this.#unitOf(objectOr(info, {}));
    } catch {
      return this.#unitOf({});
    }
  }

  #unitOf(info: RequestInfo): Unit {
    const unit = new Unit('request', new HandExchange(info, this.#runtime.host.now()));
    this.#joinFamily(unit);
    if (typeof info.routeTemplate === 'string') unit.routeTemplate = info.routeTemplate;
    return unit;
  }

  #joinFamily(unit: Unit): void {
    const { unit: around } = this.#runtime.scopes.current;
    if (around.kind !== 'process') unit.family = around.family;
  }

  #addBreadcrumb(scope: Scope, given: Breadcrumb): void {
    const { options, host, startCleaner } = this.#runtime;
    const { beforeBreadcrumb } = options.given;
    let crumb = given;
    if (typeof beforeBreadcrumb === 'function') {
      try {
        const replaced = beforeBreadcrumb(given);
        if (replaced === null) return;
        if (typeof replaced === 'object') crumb = replaced;
      } catch {
        // The original stays, as documented.
      }
    }
    scope.unit.trail.add('crumb', breadcrumbEntry(startCleaner(), crumb, host.now()));
  }
}

function lineOf(message: unknown, level: unknown, attributes: unknown): LogLine {
  return {
    level: levelName(level),
    message: typeof message === 'string' ? message : String(message),
    logger: null,
    attributes: objectOr(attributes, {}),
    error: undefined,
    isEvent: true,
  };
}

/** Calls `run` and `finish` after it, also when its result is a promise; a failure is passed on. */
function settled<T>(
  run: () => T,
  finish: (hasFailed: boolean) => void,
  onError: (error: unknown) => void,
): T {
  const fail = (error: unknown): never => {
    onError(error);
    finish(true);
    throw error;
  };
  let result: T;
  try {
    result = run();
  } catch (error) {
    return fail(error);
  }
  if (!isPromise(result)) {
    finish(false);
    return result;
  }
  result.then(
    () => finish(false),
    (error: unknown) => {
      onError(error);
      finish(true);
    },
  );
  return result;
}

/** The timers when the library is loaded: tests of a host can replace them with timers that never fire. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;
/** Another limit of the same work ends it first, unless the host's timers never fire. */
const GRACE_MS = 100;

/**
 * Keeps the process alive while the host waits for this, and ends the wait after the limit: no other part of the library
 * keeps it alive, and a script that awaits its last flush would end before it.
 */
async function held<T>(limitMs: number, work: Promise<T>, tooLate: () => T): Promise<T> {
  let alive: NodeJS.Timeout | undefined;
  const limit = new Promise<T>((resolve) => {
    alive = startTimer(() => resolve(tooLate()), limitMs + GRACE_MS);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    stopTimer(alive);
  }
}

/** Also of another realm; looks at nothing that the host could define. */
function isPromise(value: unknown): value is Promise<unknown> {
  return types.isPromise(value);
}

function nameOf(value: unknown): string {
  try {
    return String(value).slice(0, 200);
  } catch {
    return 'job';
  }
}

function timeoutOf(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? Math.min(value, MAX_TIMEOUT_MS) : FLUSH_MS;
}

function objectOr<T extends object>(value: unknown, otherwise: T): T {
  return isObject<T>(value) ? value : otherwise;
}

function isObject<T extends object>(value: unknown): value is T {
  return typeof value === 'object' && value !== null;
}

/** The members that can be read; what a member does when it is read costs no event. */
function readableHint(given: unknown): Hint {
  const hint: { [key: string]: unknown } = {};
  const source: object = objectOr(given, {});
  try {
    for (const key of Object.keys(source)) hint[key] = readProperty(source, key);
  } catch {
    // A proxy may refuse to say which it has.
  }
  return hint;
}

function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
