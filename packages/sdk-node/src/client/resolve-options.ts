import type { DiagnosticCode, DiagnosticData } from '../../../sdk-core/src/diagnostics.ts';
import { levelRank } from '../../../sdk-core/src/policy.ts';
import { localAdvice, nearestOption } from '../../../sdk-core/src/probes/lines.ts';
import {
  type Endpoint,
  isPrivateAddress,
  isProjectToken,
  readDsn,
  resolveEndpoint,
} from '../../../sdk-core/src/sending/endpoint.ts';
import type { PackageFacts } from '../facts/nearest-package.ts';
import { defaultDirectory, isCanonicalPath } from '../local/own-directory.ts';
import { readProxy } from '../transport/proxy.ts';
import type { CaptureSwitches, NodeOptions } from './node-options.ts';

/** The way in which events leave the process. */
type Delivery = 'connected' | 'local' | 'custom' | 'off';

/** A diagnostic that the options themselves cause. */
interface OptionFault {
  code: DiagnosticCode;
  data: DiagnosticData;
}

/** The options of `init` with everything filled in. */
export interface ResolvedOptions {
  given: NodeOptions;
  delivery: Delivery;
  token: string | null;
  endpoint: Endpoint | null;
  service: string;
  environment: string;
  /** The release of the option. */
  release: string | null;
  /** The release of the environment variable. */
  environmentRelease: string | null;
  capture: Required<{ [Name in keyof CaptureSwitches]: NonNullable<CaptureSwitches[Name]> }>;
  maxBreadcrumbs: number;
  /** Least rank of a line that becomes an event. */
  logRank: number;
  ignoreRequests: readonly (string | RegExp)[];
  propagationTargets: readonly (string | RegExp)[];
  traceHeaders: readonly string[];
  requestBodies: 'off' | 'failures';
  crashTimeoutMs: number;
  timeoutMs: number;
  /** Null: what the environment says. */
  proxy: string | null;
  localDir: string;
  /** Null: nothing is kept on disk. */
  spool: { directory: string; maxBytes: number | null } | null;
  isDebug: boolean;
}

const MEMBER_TOKEN = /^svc_mem_/;
const LOCAL_ENVIRONMENTS = new Set(['local', 'development']);

/** Options win over the environment; what is of the wrong type counts as absent. */
export function resolveOptions(
  given: NodeOptions,
  env: NodeJS.ProcessEnv,
  nearest: PackageFacts,
  cwd: string,
): { options: ResolvedOptions; faults: OptionFault[] } {
  const faults: OptionFault[] = unknownOptions(given);
  const dsnText = text(given.dsn) ?? text(env.CULPRIT_DSN);
  const dsn = dsnText === null ? null : readDsn(dsnText);
  if (dsnText !== null && dsn === null) faults.push(fault('endpoint_invalid'));
  const token = text(given.token) ?? dsn?.token ?? text(env.CULPRIT_PROJECT_TOKEN);
  const address = text(given.endpoint) ?? dsn?.endpoint ?? text(env.CULPRIT_ENDPOINT);
  const endpoint = address === null ? null : resolveEndpoint(address);
  const named = text(given.environment) ?? text(env.CULPRIT_ENVIRONMENT) ?? text(env.NODE_ENV);
  const environment = named ?? (token === null ? 'development' : 'production');
  const mode = oneOf(given.mode ?? env.CULPRIT_MODE, ['auto', 'connected', 'local'] as const) ?? 'auto';
  const localDir = text(given.localDir) ?? text(env.CULPRIT_LOCAL_DIR) ?? defaultDirectory('events', cwd);
  const delivery = chooseDelivery({
    given,
    localDir,
    mode,
    environment,
    isNamed: named !== null,
    token,
    address,
    endpoint,
    faults,
  });
  const options: ResolvedOptions = {
    given,
    delivery,
    token,
    endpoint,
    service: (
      text(given.service) ??
      text(env.CULPRIT_SERVICE) ??
      text(env.OTEL_SERVICE_NAME) ??
      nearest.name ??
      'node-service'
    ).slice(0, 200),
    environment: environment.slice(0, 200),
    release: text(given.release),
    environmentRelease: text(env.CULPRIT_RELEASE),
    capture: switches(given.capture ?? {}),
    maxBreadcrumbs: number(given.maxBreadcrumbs, 30, 0, 100),
    logRank: rankOf(given.logLevel),
    ignoreRequests: list(given.ignoreRequests),
    propagationTargets: list(given.tracePropagationTargets),
    traceHeaders: headerNames(given.traceHeaders),
    requestBodies: oneOf(given.requestBodies, ['off', 'failures'] as const) ?? 'off',
    crashTimeoutMs: number(given.crashTimeoutMs, 2_000, 0, 60_000),
    timeoutMs: number(given.timeoutMs, 5_000, 100, 60_000),
    proxy: proxyOf(given.proxy, faults),
    localDir,
    spool: spoolOf(given.spool, cwd),
    isDebug: given.debug ?? /^(?:1|true)$/i.test(env.CULPRIT_DEBUG ?? ''),
  };
  return { options, faults };
}

interface Choice {
  given: NodeOptions;
  localDir: string;
  mode: 'auto' | 'connected' | 'local';
  environment: string;
  /** True if the host set it. */
  isNamed: boolean;
  token: string | null;
  address: string | null;
  endpoint: Endpoint | null;
  faults: OptionFault[];
}

function chooseDelivery(choice: Choice): Delivery {
  const { given, localDir, mode, environment, isNamed, token, address, endpoint, faults } = choice;
  if (typeof given.transport === 'function') return 'custom';
  if (mode === 'local' || (mode === 'auto' && LOCAL_ENVIRONMENTS.has(environment))) {
    if (!isCanonicalPath(localDir)) {
      return refuse(faults, 'local_unwritable', { path: localDir, code: 'not absolute and canonical' });
    }
    // Not what a developer who sets NODE_ENV expects to read at each start.
    if (mode === 'auto' && (token !== null || !isNamed)) {
      faults.push(fault('local_chosen', { path: localDir, advice: localAdvice(token !== null) }));
    }
    return 'local';
  }
  if (token === null) return refuse(faults, 'token_missing');
  if (MEMBER_TOKEN.test(token)) return refuse(faults, 'token_malformed');
  if (address === null) return refuse(faults, 'endpoint_missing');
  if (endpoint === null) return refuse(faults, 'endpoint_invalid');
  if (!isProjectToken(token)) faults.push(fault('token_malformed'));
  const { origin } = endpoint;
  if (origin.startsWith('http:') && !isPrivateAddress(origin)) faults.push(fault('endpoint_insecure'));
  return 'connected';
}

function proxyOf(given: unknown, faults: OptionFault[]): string | null {
  const proxy = text(given);
  if (proxy === null || readProxy(proxy) !== null) return proxy;
  faults.push(fault('proxy_invalid'));
  return null;
}

function refuse(faults: OptionFault[], code: DiagnosticCode, data: DiagnosticData = {}): 'off' {
  faults.push(fault(code, data));
  return 'off';
}

function fault(code: DiagnosticCode, data: OptionFault['data'] = {}): OptionFault {
  return { code, data };
}

function spoolOf(given: unknown, cwd: string): ResolvedOptions['spool'] {
  if (given === false) return null;
  const own = (name: string): unknown =>
    typeof given === 'object' && given !== null ? Reflect.get(given, name) : undefined;
  const directory = text(own('dir')) ?? defaultDirectory('spool', cwd);
  const maxBytes = own('maxBytes');
  if (!isCanonicalPath(directory)) return null;
  return { directory, maxBytes: typeof maxBytes === 'number' && maxBytes > 0 ? maxBytes : null };
}

function switches(given: CaptureSwitches): ResolvedOptions['capture'] {
  return {
    uncaught: given.uncaught !== false,
    rejections: given.rejections !== false,
    requests: given.requests !== false,
    outgoing: given.outgoing !== false,
    loggers: given.loggers !== false,
    warnings: given.warnings !== false,
    console: oneOf(given.console, ['trail', 'events', 'off'] as const) ?? 'trail',
  };
}

function rankOf(level: unknown): number {
  const rank = levelRank(level ?? 'warning');
  return rank < 0 ? levelRank('warning') : rank;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function number(value: unknown, otherwise: number, least: number, most: number): number {
  return typeof value === 'number' && Number.isFinite(value)
    ? Math.min(most, Math.max(least, value))
    : otherwise;
}

function oneOf<const Values extends readonly string[]>(
  value: unknown,
  values: Values,
): Values[number] | undefined {
  return values.find((each) => each === value);
}

function list(value: unknown): (string | RegExp)[] {
  return Array.isArray(value)
    ? value.filter((each): each is string | RegExp => typeof each === 'string' || each instanceof RegExp)
    : [];
}

const TRACE_HEADERS = ['x-service-trace-id', 'traceparent', 'x-debugbundle-trace-id'];

function headerNames(value: unknown): string[] {
  const names = list(value).filter(
    (name) => typeof name === 'string' && TRACE_HEADERS.includes(name.toLowerCase()),
  );
  return names.length === 0 ? ['x-service-trace-id'] : names.map((name) => String(name).toLowerCase());
}

function unknownOptions(given: NodeOptions): OptionFault[] {
  return Object.keys(given)
    .filter((name) => !OPTIONS.includes(name))
    .slice(0, 10)
    .map((name) =>
      fault('unknown_option', { option: name.slice(0, 64), nearest: nearestOption(name, OPTIONS) }),
    );
}

const OPTIONS: readonly string[] = [
  ...[
    'token',
    'endpoint',
    'dsn',
    'enabled',
    'mode',
    'service',
    'environment',
    'release',
    'git',
    'initialScope',
  ],
  ...['redactKeys', 'redactValues', 'sampleRate', 'maxBreadcrumbs', 'beforeSend', 'beforeBreadcrumb'],
  ...['ignoreErrors', 'ignoreRequests', 'tracePropagationTargets', 'traceHeaders', 'logLevel', 'capture'],
  ...[
    'requestBodies',
    'batchEvents',
    'flushIntervalMs',
    'maxBufferedEvents',
    'timeoutMs',
    'proxy',
    'localDir',
    'spool',
  ],
  ...['crashTimeoutMs', 'stackFrames', 'transport', 'onDiagnostic', 'debug'],
];
