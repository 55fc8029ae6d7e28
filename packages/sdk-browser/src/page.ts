import { attempt } from '../../sdk-core/src/attempt.ts';
import { releaseOfBuild } from '../../sdk-core/src/build-facts.ts';
import type { Step } from '../../sdk-core/src/client.ts';
import type { Diagnose } from '../../sdk-core/src/diagnostics.ts';
import { hexText } from '../../sdk-core/src/event-id.ts';
import type { Hint } from '../../sdk-core/src/options.ts';
import { createCleaning } from '../../sdk-core/src/redaction/clean.ts';
import {
  isError,
  readErrorMembers,
  readThrown,
  stackWithCauses,
} from '../../sdk-core/src/redaction/read-error.ts';
import { createRedaction } from '../../sdk-core/src/redaction/redact.ts';
import { readValuePatterns } from '../../sdk-core/src/redaction/redact-values.ts';
import type { Service } from '../../sdk-core/src/wire.ts';
import type { Destination } from './address.ts';
import { createPageClient } from './client.ts';
import { debugIdsOf } from './debug-ids.ts';
import { deviceFacts } from './device.ts';
import { type PageFailure, watchErrors, watchRejections } from './failures.ts';
import { pageSteps } from './filters.ts';
import type { Features, Page, Part } from './loaded-page.ts';
import type { BrowserOptions } from './options.ts';
import { randomBytes } from './random.ts';
import { listen, together, type Undo } from './replace.ts';
import { createScopes } from './scopes.ts';
import { createSession } from './session.ts';
import { createTransport } from './transport.ts';

/** Begins to capture. */
export function startPage(
  options: BrowserOptions,
  destination: Destination,
  diagnose: Diagnose,
  { describe, parts, ...features }: Features,
): { page: Page; stop: Undo } {
  const headers = {};
  const steps: Step[] = [];
  const transport = createTransport(destination, options, headers);
  const service: Service = {
    name: options.service ?? 'browser-app',
    environment: options.environment ?? 'production',
    runtime: 'browser',
    framework: null,
  };
  const { capture = {} } = options;
  const startCleaner = createCleaning(
    { now: Date.now, ...(describe && { describe }) },
    createRedaction(options.redactKeys, readValuePatterns(options.redactValues ?? [])),
  );
  const client = createPageClient({
    batchEvents: options.batchEvents ?? 25,
    intervalMs: options.flushIntervalMs ?? 3000,
    maxEvents: options.maxBufferedEvents ?? 100,
    service,
    startCleaner,
    steps,
    send: transport.send,
    diagnose,
    onDirectives(directives) {
      page.directives = directives;
    },
    ...features,
  });
  const scopes = createScopes(options.initialScope);
  const session = createSession(client.newId);
  let device: object | undefined;

  const page: Page = {
    pageClient: client,
    options,
    capture,
    sentTo: destination,
    transport,
    traceId: hexText(randomBytes(16)),
    service,
    project: { policy: null, rawConfig: {} },
    onPolicy: [],
    steps,
    headers,
    triggers: [],
    directives: [],
    scopes,
    evidence: [],
    exceptionContext: [],
    latestId: null,
    startCleaner,
    event: (draft, hint) =>
      client.capture({
        ...draft,
        hostContext: scopes.contextOf(
          { context: { release: options.release ?? attempt(releaseOfBuild), ...draft.hostContext } },
          hint,
        ),
        correlation: {
          trace_id: page.traceId,
          session_id: capture.session === false ? null : session(),
          ...draft.correlation,
        },
      }),
    exception({ error, payload }, given) {
      const thrown = readThrown(error);
      const hint: Hint = attempt(() => ({ ...given })) ?? {};
      const { handled = true, severity, request, response, verification } = hint;
      device ??= deviceFacts();
      const stack = stackWithCauses(thrown.stack, error);
      const id = page.event(
        {
          type: 'frontend_exception',
          payload: {
            ...thrown,
            stack,
            route: scopes.route(),
            handled,
            debug_ids: attempt(() => debugIdsOf(stack ?? '')),
            ...payload,
          },
          // If one of them fails, the others are still added.
          ready: Object.assign({ device }, ...page.evidence.map(attempt)),
          hostContext: Object.assign(
            { error: readErrorMembers(error), severity, request, response },
            verification && { verification, verification_type: 'setup' },
            ...page.exceptionContext.map(attempt),
          ),
          source: isError(error) ? error : undefined,
        },
        hint,
      );
      page.latestId = id ?? page.latestId;
      return id;
    },
  };
  steps.push(...pageSteps(page));
  const report = (failure: PageFailure) => page.exception(failure, { handled: false });
  const leave = ({ type, persisted }: Event & { persisted?: boolean }) => {
    const isLeft = type === 'pagehide';
    // A page in the back-forward cache may come back, with what did not fit.
    if (isLeft || document.visibilityState === 'hidden') client.leave(isLeft && !persisted);
  };
  const stop = together(
    watchErrors(capture, report),
    capture.rejections !== false && watchRejections(report),
    listen(globalThis, 'pagehide', leave),
    listen(globalThis, 'visibilitychange', leave),
    listen(globalThis, 'online', () => client.arm(1000, true)),
    ...[...parts, ...((options.integrations ?? []) as Part[])].map((start) => attempt(() => start(page))),
  );
  return { page, stop };
}
