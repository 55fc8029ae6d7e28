import { diagnosticLine } from '../../../sdk-core/src/probes/lines.ts';
import type { Diagnostics, Scope, SetupVerdict } from '../client/implementation.ts';
import { INACTIVE_DIAGNOSTICS, INACTIVE_SCOPE } from '../client/inactive.ts';
import type { NodeOptions } from '../client/node-options.ts';

/**
 * The functions of the package for runtimes that are not Node: they build and run, and capture nothing
 * (docs/contract/clients.md 1.2).
 */

export { SDK_VERSION } from '../../../sdk-core/src/version.ts';

const SUPPORTED = { versions: 'Node.js 20 or newer' };
let isReported = false;
const NO_RESULT = {};

/** Captures nothing, and says so in one diagnostic. */
export function init(options: NodeOptions = {}): boolean {
  if (isReported) return false;
  isReported = true;
  try {
    const code = 'runtime_unsupported';
    options.onDiagnostic?.({ code, message: diagnosticLine(code, SUPPORTED), data: SUPPORTED });
  } catch {
    // The host's own function.
  }
  return false;
}

const nothing = (): null => null;
const noEffect = (): void => {};
const later =
  <T>(value: T) =>
  (): Promise<T> =>
    Promise.resolve(value);

export const captureException: (...parameters: unknown[]) => string | null = nothing;
export const captureMessage: (...parameters: unknown[]) => string | null = nothing;
export const captureLog: (...parameters: unknown[]) => string | null = nothing;
export const captureRequest: (...parameters: unknown[]) => string | null = nothing;
export const addBreadcrumb: (...parameters: unknown[]) => void = noEffect;
export const setUser: (...parameters: unknown[]) => void = noEffect;
export const setTag: (...parameters: unknown[]) => void = noEffect;
export const setTags: (...parameters: unknown[]) => void = noEffect;
export const setContext: (...parameters: unknown[]) => void = noEffect;
export const probe: (...parameters: unknown[]) => void = noEffect;
export const currentScope = (): Scope => INACTIVE_SCOPE;
export const announceDeploy: (...parameters: unknown[]) => Promise<boolean> = later(false);
export const verifySetup: () => Promise<SetupVerdict> = later({
  ok: false,
  status: null,
  reason: 'runtime_unsupported',
});
export const getTraceId: () => string | null = nothing;
export const traceHeaders = (_url: string): Record<string, string> => ({});
export const flush: (timeoutMs?: number) => Promise<boolean> = later(true);
export const close: (timeoutMs?: number) => Promise<boolean> = later(true);
export const getDiagnostics = (): Diagnostics => ({ ...INACTIVE_DIAGNOSTICS, reason: 'runtime_unsupported' });
export const lastEventId: () => string | null = nothing;
export const isEnabled = (): boolean => false;

/** Runs `run`. */
export function withScope<T>(run: () => T): T {
  return typeof run === 'function' ? run() : Reflect.get(NO_RESULT, 'result');
}

/** Runs `run`. */
export function withRequest<T>(_info: object, run: () => T): T {
  return withScope(run);
}

/** Runs `run`. */
export async function withJob<T>(_name: string, run: () => T | Promise<T>): Promise<T> {
  return withScope(run);
}
