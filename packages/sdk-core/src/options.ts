import type { Diagnostic } from './diagnostics.ts';
import type { WireEvent } from './wire.ts';

export type Level = 'debug' | 'info' | 'warning' | 'error' | 'critical' | 'fatal';

export interface Breadcrumb {
  type?: string | undefined;
  category?: string | undefined;
  message?: string | undefined;
  level?: string | undefined;
  data?: unknown;
}

export interface ScopeData {
  user?: { id?: unknown; [key: string]: unknown } | null | undefined;
  tags?: Readonly<Record<string, unknown>> | undefined;
  context?: Readonly<Record<string, unknown>> | undefined;
}

/** `hint` of `captureException` (docs/contract/clients.md 2.2). */
export interface Hint extends ScopeData {
  handled?: boolean | undefined;
  severity?: string | undefined;
  request?: Readonly<Record<string, unknown>> | undefined;
  response?: Readonly<Record<string, unknown>> | undefined;
  verification?: boolean | undefined;
}

/** A value pattern besides the built-in ones: `email`, `ip` or an own expression, run on 2,048 characters at most. */
export type ValuePattern = 'email' | 'ip' | RegExp;

/** A request body on its way out, for `transport` (docs/contract/clients.md 2.1). */
export interface TransportBatch {
  body: string;
  events: number;
  headers: Readonly<Record<string, string>>;
}

export interface TransportAnswer {
  status: number;
  headers?: Readonly<Record<string, string | undefined>> | undefined;
  body?: string | undefined;
}

/** Options of `init` that Node and browsers share (docs/contract/clients.md 2.1). */
export interface CommonOptions {
  token?: string | undefined;
  endpoint?: string | undefined;
  dsn?: string | undefined;
  enabled?: boolean | undefined;
  service?: string | undefined;
  environment?: string | undefined;
  release?: string | undefined;
  initialScope?: ScopeData | undefined;
  redactKeys?: readonly string[] | undefined;
  redactValues?: readonly ValuePattern[] | undefined;
  sampleRate?: number | undefined;
  maxBreadcrumbs?: number | undefined;
  beforeSend?: ((event: WireEvent) => WireEvent | null) | undefined;
  beforeBreadcrumb?: ((crumb: Breadcrumb) => Breadcrumb | null) | undefined;
  ignoreErrors?: readonly (string | RegExp)[] | undefined;
  tracePropagationTargets?: readonly (string | RegExp)[] | undefined;
  traceHeaders?: readonly string[] | undefined;
  logLevel?: string | undefined;
  batchEvents?: number | undefined;
  flushIntervalMs?: number | undefined;
  maxBufferedEvents?: number | undefined;
  timeoutMs?: number | undefined;
  transport?: ((batch: TransportBatch) => Promise<TransportAnswer>) | undefined;
  onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  debug?: boolean | undefined;
}
