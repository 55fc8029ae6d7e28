import type { Breadcrumb, Level, ScopeData } from '../../sdk-core/src/options.ts';
import { createJudge, levelName, levelRank, presetPolicy } from '../../sdk-core/src/policy.ts';
import { pageKeys } from '../../sdk-core/src/repeats/suppression.ts';
import { resolveUrl } from './address.ts';
import { onPage, onScope, setContext, setTag, setUser, start } from './api.ts';
import { describeValue } from './describe-value.ts';
import { watchPage } from './evidence.ts';
import type { PagePolicy } from './loaded-page.ts';
import type { BrowserOptions } from './options.ts';
import { runProbe } from './page-probes.ts';
import { askPolicy } from './policy.ts';
import { traceHeadersFor } from './trace.ts';
import { createTrail } from './trail.ts';

export { captureException, close, flush, getDiagnostics, setContext, setTag, setUser } from './api.ts';
export type { BrowserOptions, CaptureSwitches, Integration } from './options.ts';

/** Begins to capture (docs/contract/clients.md 2). Returns whether capture is active. */
export function init(options: BrowserOptions = {}): boolean {
  let project: PagePolicy | undefined;
  return start(options, {
    keysOf: pageKeys,
    describe: describeValue,
    judge: createJudge(() => project?.policy ?? null),
    parts: [
      (page) => {
        project = page.project;
        if (page.sentTo.token) askPolicy(page);
        // The relay passes directives only while its own policy wants the events.
        else {
          project.policy = {
            ...presetPolicy('balanced'),
            capture_probe_events: 'standalone_when_activated',
          };
        }
        page.breadcrumb = createTrail(page);
        return watchPage(page, page.breadcrumb);
      },
    ],
  });
}

type CaptureLine = (message: string, level?: Level, attributes?: object) => string | null;

const lineCapture =
  (captured?: true): CaptureLine =>
  (message, level = 'info', attributes) =>
    onPage((page) => {
      if (levelRank(level) < levelRank(page.options.logLevel ?? 'warning')) return null;
      if (page.sentTo.token) {
        return page.event({
          type: 'log_event',
          payload: { level: levelName(level), message: String(message), attributes, captured },
        });
      }
      // A relay takes no log events.
      page.breadcrumb?.({ type: 'console_log', data: { level, message, ...attributes } });
      return levelRank(level) < 3
        ? null
        : page.exception({ error: message, payload: { name: 'CapturedMessage' } });
    }, null);

/** A line of the host's own log; levels from `error` on open an incident. Returns the event's id, or null. */
export const captureLog: CaptureLine = /* @__PURE__ */ lineCapture();

/** A message that the page reports itself: the project decides from which level it opens an incident. */
export const captureMessage: CaptureLine = /* @__PURE__ */ lineCapture(true);

/** Adds to the trail that exceptions take along. */
export function addBreadcrumb(crumb: Breadcrumb): void {
  onPage((page) => page.breadcrumb?.(crumb));
}

export function setTags(tags: Readonly<Record<string, unknown>>): void {
  onScope((scope) => Object.assign(scope.tags, tags));
}

/** The data that a scope accepts. */
export interface Scope {
  setUser(user: ScopeData['user']): void;
  setTag(key: string, value: unknown): void;
  setContext(name: string, value: unknown): void;
  addBreadcrumb(crumb: Breadcrumb): void;
  /** Names the page by its template, such as `/orders/:id`, in place of its path. */
  setRoute(template: string): void;
  /** Sets the request of the page before it failed: `context.request.body`. */
  setRequestBody(body: unknown): void;
  /** Sets the answer to the page: `context.response`. */
  setResponse(response: { headers?: unknown; body?: unknown }): void;
}

const SCOPE: Scope = {
  setUser,
  setTag,
  setContext,
  addBreadcrumb,
  setRoute: (template) =>
    onScope((scope) => {
      scope.route = String(template);
    }),
  setRequestBody: (body) => setContext('request', { body }),
  setResponse: (response) => setContext('response', response),
};

/** The innermost scope; outside of `withScope` that of the page. */
export function currentScope(): Scope {
  return SCOPE;
}

/** Runs `run`, up to its first asynchronous step, in a separate scope. */
export function withScope<Result>(run: (scope: Scope) => Result): Result {
  const scopes = onPage((page) => page.scopes, null);
  return scopes ? scopes.nest(() => run(SCOPE)) : run(SCOPE);
}

/** Remembers a value for the next exception; see docs/contract/clients.md 2.4. */
export function probe(label: string, value: unknown, options?: { heavy?: boolean }): void {
  onPage((page) => runProbe(page, label, value, options));
}

export function getTraceId(): string | null {
  return onPage((page) => page.traceId, null);
}

/** Trace headers for clients that the library does not see; empty where none may be sent. */
export function traceHeaders(url: string | URL): Record<string, string> {
  return onPage(({ traceId, options }) => traceHeadersFor(resolveUrl(url), traceId, options), {});
}

export function lastEventId(): string | null {
  return onPage((page) => page.latestId, null);
}

export function isEnabled(): boolean {
  return onPage(() => true, false);
}
