import type { DiagnosticCode, DiagnosticData } from '../../../sdk-core/src/diagnostics.ts';
import type { Breadcrumb, Hint } from '../../../sdk-core/src/options.ts';
import type { Answer, Batch } from '../../../sdk-core/src/sending/host.ts';
import type { Directive } from '../../../sdk-core/src/wire.ts';
import type { NodeOptions } from './node-options.ts';

/** A probe's value, or the function that makes it. */
type ProbeValue = unknown;

/** The result of `currentScope`: setters of the innermost scope at the time of the call. */
export interface Scope {
  setUser(user: { id?: unknown; [key: string]: unknown } | null): void;
  setTag(key: string, value: unknown): void;
  setContext(name: string, value: Readonly<Record<string, unknown>> | null): void;
  addBreadcrumb(crumb: Breadcrumb): void;
  /** The route template of the request, such as `/orders/:id`; what is no text sets nothing. */
  setRoute(template: string | null | undefined): void;
  /** The parsed body, sent with failures while `requestBodies` is `failures`. */
  setRequestBody(value: unknown): void;
  setResponse(response: { headers?: Readonly<Record<string, unknown>>; body?: unknown }): void;
}

/** A request that the library does not see by itself. */
export interface RequestInfo {
  method?: string | undefined;
  /** With the query. */
  url?: string | undefined;
  /** The headers in the form of Node, or of a fetch-style request. */
  headers?: object | undefined;
  routeTemplate?: string | undefined;
}

/** The response of such a request. */
export interface ResponseInfo {
  status?: number | undefined;
  headers?: object | undefined;
  body?: unknown;
  durationMs?: number | undefined;
}

/** The description of a release. */
export interface DeployInfo {
  version?: string | undefined;
  commit?: string | undefined;
  branch?: string | undefined;
  environment?: string | undefined;
  deployedAt?: Date | string | undefined;
}

/** The verdict of `verifySetup`. */
export interface SetupVerdict {
  ok: boolean;
  /** The status of the answer; null when there was none. */
  status: number | null;
  /** The code of the refusal, the file in local mode, or null. */
  reason: string | null;
}

/** `getDiagnostics` (docs/contract/clients.md 8.6). */
export interface Diagnostics {
  state: 'healthy' | 'degraded' | 'disconnected' | 'disabled';
  mode: 'connected' | 'local' | 'off';
  reason: string | null;
  endpointOrigin: string | null;
  captured: number;
  sent: number;
  accepted: number;
  waiting: number;
  waitingBytes: number;
  dropped: Readonly<Record<string, number>>;
  requests: number;
  retries: number;
  lastEventAt: string | null;
  policyPreset: string | null;
  activeProbes: number;
  /** Files of the last captured stack, each with its debug id or null. */
  debugIds: Readonly<Record<string, string | null>>;
}

/** One line of the host's logger or console. */
export interface LogLine {
  level: string;
  message: string;
  logger: string | null;
  attributes: Readonly<Record<string, unknown>>;
  /** The Error that the line carries. */
  error: unknown;
  /** False: the line is evidence only and no separate event. */
  isEvent: boolean;
  /** The program reports it by `captureMessage`, and logs it nowhere. */
  isCaptured?: boolean;
  /** The Error of the line is a failure that nothing else reports, and that no answer shows. */
  isUnhandled?: boolean;
}

/** The facts that a framework adapter has about an error. */
export interface FrameworkError {
  framework: string;
  frameworkVersion?: string | undefined;
  routeTemplate?: string | null | undefined;
  /** The body that the framework parsed. */
  body?: unknown;
  /** For errors outside of any request scope. */
  request?: RequestInfo | undefined;
  /** The framework starts the library within its first request, which is then the only one outside of a scope. */
  isMetLate?: boolean | undefined;
  /** False: a failure whatever is answered. Otherwise the answer decides, and without one the error's own status. */
  isExpected?: boolean | undefined;
}

/** A request of a framework that no channel reports. */
export interface OpenRequest {
  /** Runs a part of its work in its scope. */
  run<T>(work: () => T): T;
  finish(response: ResponseInfo): void;
}

/** A job of a framework. */
export interface OpenJob {
  /** Runs its work in its scope. */
  run<T>(work: () => T): T;
  finish(): void;
}

/** The parts of the client that a relay of browsers needs. */
export interface RelayTarget {
  mode: 'connected' | 'local' | 'off';
  service: string;
  /** Returns the owner of endpoint and token, as `ownerOf` names it. */
  owner(): string;
  localDirectory: string;
  /** One request to ingestion; what goes wrong is an answer of status 0. */
  send(batch: Batch): Promise<Answer>;
  /** Returns true if the policy allows probes to be sent to browsers. */
  passesProbes(): boolean;
  /** The directive of a trigger token that is valid; null otherwise. */
  checkTrigger(token: string): Directive | null;
  tell(code: DiagnosticCode, data: DiagnosticData): void;
}

/**
 * Everything that entry points call. The first copy of the package in a process publishes it under a global symbol,
 * and every other copy delegates to it (docs/contract/clients.md 1.2).
 */
export interface Implementation {
  init(options: NodeOptions): boolean;
  captureException(error: unknown, hint?: Hint): string | null;
  captureMessage(
    message: unknown,
    level?: string,
    attributes?: Readonly<Record<string, unknown>>,
    isCaptured?: boolean,
  ): string | null;
  captureRequest(request: RequestInfo, response: ResponseInfo, hint?: Hint): string | null;
  captureFrameworkError(error: unknown, facts: FrameworkError): string | null;
  captureLogLine(line: LogLine): void;
  addBreadcrumb(crumb: Breadcrumb): void;
  setUser(user: { id?: unknown; [key: string]: unknown } | null): void;
  setTag(key: string, value: unknown): void;
  setTags(tags: Readonly<Record<string, unknown>>): void;
  setContext(name: string, value: Readonly<Record<string, unknown>> | null): void;
  setRoute(template: string | null, framework?: string): void;
  withScope<T>(run: () => T): T;
  currentScope(): Scope;
  withRequest<T>(info: RequestInfo, run: () => T): T;
  /** Null where the scope of a request is current already. */
  openRequest(info: RequestInfo): OpenRequest | null;
  /** Null within another unit of work. */
  openJob(name: string): OpenJob | null;
  /** The request whose scope is current is the library's own, such as one of the relay. */
  leaveRequest(): void;
  /** Notes that the answer of the current request does not show whether something failed. */
  answerApart(): void;
  /** The response of the request whose scope is current, for servers that the library does not see. */
  finishRequest(response: ResponseInfo): void;
  /** The same object until `close`. */
  relayTarget(): RelayTarget;
  /** @param flushMs for how long the end of the job may wait until its failure has left */
  withJob<T>(name: string, run: () => T | Promise<T>, flushMs?: () => number): Promise<T>;
  probe(label: string, value: ProbeValue, options?: { heavy?: boolean | undefined }): void;
  announceDeploy(deploy: DeployInfo): Promise<boolean>;
  verifySetup(): Promise<SetupVerdict>;
  getTraceId(): string | null;
  traceHeaders(url: string): Record<string, string>;
  flush(timeoutMs?: number): Promise<boolean>;
  close(timeoutMs?: number): Promise<boolean>;
  getDiagnostics(): Diagnostics;
  lastEventId(): string | null;
  isEnabled(): boolean;
}
