import { attempt } from '../../sdk-core/src/attempt.ts';
import type { ClientDiagnostics, Diagnose, DiagnosticCode, State } from '../../sdk-core/src/diagnostics.ts';
import type { Hint, ScopeData } from '../../sdk-core/src/options.ts';
import { errorIn } from '../../sdk-core/src/redaction/read-error.ts';
import type { Preset } from '../../sdk-core/src/wire.ts';
import { type Destination, destinationOf } from './address.ts';
import { reportUnknownOptions } from './codes.ts';
import { lastDebugIds } from './debug-ids.ts';
import { createDiagnose } from './lines.ts';
import type { Features, Page } from './loaded-page.ts';
import type { BrowserOptions } from './options.ts';
import { startPage } from './page.ts';
import type { Undo } from './replace.ts';
import type { Layer } from './scopes.ts';

/** `http` to a host that is neither this one nor private. */
const INSECURE = /^http:\/\/(?!localhost|127\.|10\.|192\.168\.|\[::1)/;

let current: { page: Page; stop: Undo } | null = null;
/** Why nothing is captured. */
let reason: DiagnosticCode | null = null;

/** Runs something of the page's capture; nothing of it ever reaches the host. */
export function onPage<Result>(run: (page: Page) => Result, otherwise: Result): Result;
export function onPage(run: (page: Page) => void): void;
export function onPage(run: (page: Page) => unknown, otherwise?: unknown): unknown {
  return attempt(() => current && run(current.page)) ?? otherwise;
}

/** Changes the innermost scope. */
export function onScope(change: (scope: Layer) => void): void {
  onPage(({ scopes }) => change(scopes.innermost()));
}

/** Begins to capture, once. Returns whether capture is active. */
export function start(options: BrowserOptions, features: Features): boolean {
  let diagnose: Diagnose | undefined;
  try {
    const destination = destinationOf(options);
    const { url = '', token = '' } = destination ?? {};
    diagnose = createDiagnose(options, {
      address: url,
      origin: location.origin,
      token: `${token.slice(0, 4)}…${token.slice(-4)}`,
    });
    reportUnknownOptions(options, diagnose);
    if (current) diagnose('already_initialized');
    else if (options.enabled !== false) {
      reason =
        typeof fetch !== 'function'
          ? 'runtime_unsupported'
          : !destination
            ? 'endpoint_invalid'
            : token && !/^svc_proj_[\w-]{43}$/.test(token)
              ? 'token_malformed'
              : null;
      if (reason) diagnose(reason);
      if (token && INSECURE.test(url)) diagnose('endpoint_insecure');
      // Without a destination there is a reason.
      if (!reason || (reason === 'token_malformed' && !/^svc_mem_/.test(token))) {
        current = startPage(options, destination as Destination, diagnose, features);
      }
    }
  } catch (error) {
    reason = 'runtime_unsupported';
    diagnose?.(reason, { message: String(error) });
  }
  return !!current;
}

/** Captures any value; id of the event, or null. */
export function captureException(error: unknown, hint?: Hint): string | null {
  return onPage((page) => page.exception({ error: errorIn(error) }, hint), null);
}

/** Only `id` leaves the page. */
export function setUser(user: ScopeData['user']): void {
  onScope((scope) => {
    scope.user = user;
  });
}

export function setTag(key: string, value: unknown): void {
  onScope(({ tags }) => {
    tags[key] = value;
  });
}

/** `null` removes it. */
export function setContext(name: string, value: unknown): void {
  onScope(({ context }) => {
    context[name] = value;
  });
}

/** Resolves to true if nothing waits. */
export function flush(timeoutMs = 2000): Promise<boolean> {
  return onPage(({ pageClient }) => pageClient.flush(timeoutMs), Promise.resolve(true));
}

/** Sends what waits, then undoes everything that `init` did. */
export function close(timeoutMs = 2000): Promise<boolean> {
  const closed = current;
  current = null;
  closed?.stop();
  return closed ? closed.page.pageClient.close(timeoutMs) : Promise.resolve(true);
}

/** State and counts, never content (docs/contract/clients.md 8.6). */
export interface Diagnostics extends Partial<ClientDiagnostics> {
  state: State;
  reason: DiagnosticCode | null;
  mode: 'connected' | 'relay' | 'none';
  endpointOrigin?: string;
  policyPreset?: Preset | null;
  activeProbes?: number;
  /** Files of the last captured stack, each with its debug id or null. */
  debugIds?: Record<string, string | null>;
}

export function getDiagnostics(): Diagnostics {
  return onPage<Diagnostics>(
    ({ pageClient, sentTo, project, probesInForce }) => ({
      ...pageClient.diagnostics(),
      mode: sentTo.token ? 'connected' : 'relay',
      endpointOrigin: new URL(sentTo.url).origin,
      policyPreset: project.policy?.preset ?? null,
      activeProbes: probesInForce?.() ?? 0,
      debugIds: lastDebugIds,
    }),
    { state: 'disabled', reason, mode: 'none' },
  );
}
