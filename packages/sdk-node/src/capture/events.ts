import type { Draft } from '../../../sdk-core/src/client.ts';
import type { Hint } from '../../../sdk-core/src/options.ts';
import { isError, readErrorMembers } from '../../../sdk-core/src/redaction/read-error.ts';
import type { Correlation, JsonObject, JsonValue } from '../../../sdk-core/src/wire.ts';
import type { LogLine } from '../client/implementation.ts';
import type { Runtime } from '../client/runtime.ts';
import { readDebugIds } from '../facts/build-facts.ts';
import { readContainerId, readRuntimeFacts } from '../facts/runtime-facts.ts';
import { boundedHeaders, fittingTemplate, pathOf, queryOf } from '../scope/exchange.ts';
import { readActiveSpan } from '../scope/open-telemetry.ts';
import type { Scope, Unit } from '../scope/scopes.ts';
import { readCauses, readFacts } from './call-sites.ts';

/** The way in which an exception reached the library. */
export interface ExceptionOrigin {
  isHandled: boolean;
  isFatal?: boolean;
  /** The line of a log carried it, and nothing else reported it. */
  isLogged?: boolean;
}

/** A `backend_exception` with everything that its scope knows (docs/contract/clients.md 3.3). */
export function exceptionDraft(
  runtime: Runtime,
  thrown: unknown,
  scope: Scope,
  origin: ExceptionOrigin,
  hint: Hint = {},
): Draft {
  const { unit } = scope;
  const facts = readFacts(thrown);
  const members = readErrorMembers(thrown);
  const severity = textOrUndefined(hint.severity);
  const causes = readCauses(thrown);
  return {
    type: 'backend_exception',
    payload: {
      message: facts.message,
      name: facts.name,
      stack: facts.stack,
      handled: hint.handled ?? origin.isHandled,
      causes,
      request: hint.request ?? requestFacts(unit, runtime),
      response: hint.response ?? null,
    },
    ready: {
      runtime: { ...readRuntimeFacts(unit.frameworkVersion) },
      ...trailOf(unit, runtime),
      ...optional('probe_data', runtime.probes.take(unit.kind === 'process' ? null : unit)),
      ...optional('debug_ids', readDebugIds([facts, ...causes].map(({ stack }) => stack))),
    },
    context: {
      ...commonContext(runtime, unit),
      environment: { container_id: readContainerId(), os: process.platform },
      ...dependenciesOf(runtime, unit),
      ...(origin.isFatal === true ? { fatal: true } : {}),
      ...(origin.isLogged === true ? { captured_by: 'log' } : {}),
      ...(severity === undefined ? {} : { severity }),
      ...(hint.verification === true ? { verification: true, verification_type: 'setup' } : {}),
    },
    hostContext: hostContext(scope, hint, members),
    correlation: correlationOf(runtime, unit),
    framework: unit.framework ?? undefined,
    ...(isError(thrown) ? { source: thrown } : {}),
  };
}

/** A `log_event`; an Error of the line becomes `attributes.error`. */
export function logDraft(runtime: Runtime, line: LogLine, scope: Scope, atMs?: number): Draft {
  const { unit } = scope;
  const { error } = line;
  return {
    type: 'log_event',
    payload: {
      level: line.level,
      message: line.message,
      ...(line.isCaptured ? { captured: true } : {}),
      attributes: {
        ...(line.logger === null ? {} : { logger: line.logger }),
        ...line.attributes,
        ...(typeof error === 'object' && error !== null ? { error: factsOf(error) } : {}),
      },
    },
    ready: isError(error) ? optional('debug_ids', readDebugIds([readFacts(error).stack])) : {},
    context: commonContext(runtime, unit),
    hostContext: hostContext(scope, {}, undefined),
    correlation: correlationOf(runtime, unit),
    framework: unit.framework ?? undefined,
    atMs,
  };
}

/** An Error of a line; of one that a logger has copied member by member, what an Error may carry. */
function factsOf(error: object): object {
  if (!isError(error)) return error;
  const { name, message, stack } = readFacts(error);
  return { ...readErrorMembers(error), name, message, stack };
}

/** The end of a request. */
interface RequestEnd {
  /** 0: no response arrived. */
  status: number;
  durationMs: number;
}

/** A `request_event`; failures bring their trail along. */
export function requestDraft(runtime: Runtime, scope: Scope, end: RequestEnd, isFailure: boolean): Draft {
  const { unit } = scope;
  const request = requestFacts(unit, runtime);
  return {
    type: 'request_event',
    payload: {
      method: request?.method ?? 'GET',
      path: request?.path ?? '/',
      query: request?.query ?? {},
      headers: request?.headers ?? {},
      response_status: end.status,
      duration_ms: end.durationMs,
      route_template: request?.route_template ?? null,
      ...(isFailure && request?.body !== null && request?.body !== undefined ? { body: request.body } : {}),
    },
    ready: isFailure ? trailOf(unit, runtime) : {},
    context: { ...commonContext(runtime, unit), ...(isFailure ? dependenciesOf(runtime, unit) : {}) },
    hostContext: hostContext(scope, {}, undefined),
    correlation: correlationOf(runtime, unit),
    framework: unit.framework ?? undefined,
  };
}

/** The facts of a unit's request, not cleaned yet; null outside of requests. */
export function requestFacts(unit: Unit, runtime: Runtime): Readonly<Record<string, unknown>> | null {
  const { exchange } = unit;
  if (exchange === null) return null;
  const path = pathOf(exchange.target);
  return {
    method: exchange.method.slice(0, 32),
    path,
    query: queryOf(exchange.target),
    headers: boundedHeaders(exchange.requestHeaders()),
    body: runtime.options.requestBodies === 'failures' ? (unit.requestBody ?? null) : null,
    route_template: fittingTemplate(unit.routeTemplate, path),
  };
}

function trailOf(unit: Unit, runtime: Runtime): JsonObject {
  if (!unit.hasTrail) return {};
  const logs = unit.trail.logs();
  const breadcrumbs = unit.trail.crumbs(runtime.options.maxBreadcrumbs);
  return {
    ...(logs.length === 0 ? {} : { logs }),
    ...(breadcrumbs.length === 0 ? {} : { breadcrumbs }),
  };
}

function commonContext(runtime: Runtime, unit: Unit): JsonObject {
  const { release, git } = runtime;
  const trace = traceOf(runtime, unit);
  return {
    ...optional('release', release),
    ...(git === null ? {} : { git: { ...git } }),
    ...(unit.jobName === null ? {} : { job: { name: unit.jobName } }),
    ...(trace === null ? {} : { trace }),
  };
}

/** Ids of OpenTelemetry or of `traceparent`, when they differ from the correlation's. */
function traceOf(runtime: Runtime, unit: Unit): JsonObject | null {
  const ids = readActiveSpan() ?? unit.ids.parent;
  if (ids === null || ids.traceId === correlationOf(runtime, unit).trace_id) return null;
  return { trace_id: ids.traceId, span_id: ids.spanId };
}

function dependenciesOf(runtime: Runtime, unit: Unit): JsonObject {
  const rows = runtime.dependencies.report(unit.hosts, runtime.host.now());
  return rows.length === 0 ? {} : { dependencies: rows.map((row) => ({ ...row })) };
}

/** The ids of a unit's events. */
function correlationOf(runtime: Runtime, unit: Unit): Pick<Correlation, 'request_id' | 'trace_id'> {
  return {
    request_id: unit.requestId(runtime.newId),
    trace_id: unit.traceId ?? readActiveSpan()?.traceId ?? null,
  };
}

function hostContext(
  scope: Scope,
  hint: Hint,
  members: { [key: string]: unknown } | undefined,
): Record<string, unknown> {
  return { ...(members === undefined ? {} : { error: members }), ...scope.merged(hint) };
}

function optional(key: string, value: JsonValue): JsonObject {
  return value === null ? {} : { [key]: value };
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
