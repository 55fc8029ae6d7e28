import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import type { BundleEvidence, IncidentEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import {
  breadcrumb,
  browserEvent,
  event,
  evidenceOf,
  exception,
  frontendException,
  HOUR_MS,
  log,
  MOMENT_MS,
  probe,
  request,
  requestEvent,
  response,
  sample,
} from './build-evidence.ts';

function bundleOf(
  occurrence: NormalizedEvent,
  fields: Partial<BundleEvidence> = {},
  incident: Partial<IncidentEvidence> = {},
) {
  return assembleBundle(evidenceOf(occurrence, fields, incident));
}

function deployedAt(deployedAtMs: number) {
  return { version: '7.1', commitSha: 'a1b2c3d4', branch: 'main', deployedAtMs, receivedAtMs: deployedAtMs };
}

const LOG_STACK = 'Error: refused\n    at pay (/srv/app/src/billing/pay.js:7:1)';

describe('signal type', () => {
  it.each([
    ['a backend exception', exception(), 'exception'],
    [
      'a handled exception marked fatal',
      exception({ handled: true }, { context: { fatal: true } }),
      'exception',
    ],
    ['an exception marked fatal', exception({}, { context: { fatal: true } }), 'fatal_error'],
    ['a panic', exception({ message: 'panic: runtime error: index out of range [5]' }), 'fatal_error'],
    [
      'a fatal error of another language',
      exception({ message: 'Fatal error: Index out of range' }),
      'fatal_error',
    ],
    ['a message about a panic', exception({ message: 'do not panic: all is well' }), 'exception'],
    ['a frontend exception', frontendException(), 'frontend_exception'],
    ['a failed request', requestEvent(), 'request_failure'],
    ['a logged error', log('refused'), 'warning'],
    ['a logged error with a stack', log('refused', { attributes: { stack: LOG_STACK } }), 'exception'],
    [
      'a critical log',
      log('refused', { level: 'critical', attributes: { stack: LOG_STACK } }),
      'fatal_error',
    ],
    ['a fatal log', log('refused', { level: 'fatal' }), 'fatal_error'],
  ] as const)('%s', (_what, occurrence, signalType) => {
    const document = bundleOf(occurrence);
    expect(document.signal.signal_type).toBe(signalType);
    expect(document.summary.primary_signal).toBe(signalType);
  });
});

describe('summary', () => {
  //
  it('EX', () => {
    expect(bundleOf(exception()).summary).toMatchObject({
      title: "TypeError: Cannot read properties of undefined (reading 'theme')",
      error_type: 'TypeError',
      error_message: "Cannot read properties of undefined (reading 'theme')",
      first_application_frame: {
        file: '/srv/releases/20260324101500/src/checkout/theme.js',
        line: 42,
        function: 'renderTheme',
      },
      severity: 'high',
      primary_signal: 'exception',
    });
  });

  it('the first application frame is that of the innermost exception with one', () => {
    const stack = `Error: charge failed
    at charge (/srv/app/src/billing/gateway.js:44:9)
  [cause]: Error: timed out
      at post (/srv/app/src/http/client.js:12:3)`;
    const document = bundleOf(exception({ name: 'Error', message: 'charge failed', stack }));
    expect(document.summary.first_application_frame).toEqual({
      file: '/srv/app/src/http/client.js',
      line: 12,
      function: 'post',
    });
    expect(document.summary.likely_cause).toBe('A call took longer than its limit.');
    expect(document.context.error_chain?.items).toEqual([
      { type: 'Error', message: 'charge failed', top_frames: ['billing/gateway.js:44'] },
      { type: 'Error', message: 'timed out', top_frames: ['http/client.js:12'] },
    ]);
  });

  it.each([
    ['unhandled', exception(), 'Unhandled TypeError in checkout-api (production)'],
    ['handled', exception({ handled: true }), 'Handled TypeError in checkout-api (production)'],
    [
      'with its request',
      exception({ request: request({ method: 'post', path: '/orders/48213/pay' }) }),
      'Unhandled TypeError in checkout-api (production) while handling POST /orders/{param}/pay',
    ],
    ['a log', log('refused'), 'The title in checkout-api (production)'],
    [
      'a log with a stack',
      log('refused', { attributes: { stack: LOG_STACK } }),
      'The title in checkout-api (production)',
    ],
    [
      'a failed request',
      requestEvent({ method: 'GET', path: '/cart', routeTemplate: '/:page' }),
      'The title in checkout-api (production) while handling GET /:page',
    ],
    [
      'an opaque error',
      frontendException({
        name: 'Error',
        message: 'Script error.',
        stack: null,
        browserEvent: browserEvent({}),
      }),
      'The title in checkout-api (production)',
    ],
  ])('describes %s', (_what, occurrence, start) => {
    const { summary } = bundleOf(occurrence, {}, { title: 'The title', occurrenceCount: 3 });
    expect(summary.description).toBe(`${start}; 3 occurrences, last 2026-03-24T10:30:00.000Z`);
  });

  it('has no error type and message without an error', () => {
    expect(bundleOf(requestEvent()).summary).toMatchObject({ error_type: null, error_message: null });
  });
});

describe('confidence', () => {
  const near = { effectiveAtMs: MOMENT_MS - 1000 };
  const trace = { correlation: { requestId: null, traceId: 't1', sessionId: null, userIdHash: null } };

  it.each([
    ['a request without an answer', requestEvent({}, { statusCode: null }), {}, 0.4],
    ['type and message', exception({ stack: null }), {}, 0.5],
    ['a type alone', exception({ stack: null, message: '' }), {}, 0.3],
    ['a frame in the application', exception(), {}, 0.7],
    ['a request', exception({ request: request() }), {}, 0.8],
    ['request and response', exception({ request: request(), response: response() }), {}, 0.85],
    [
      'a correlated log',
      exception(),
      { correlated: [{ event: log('x', {}, near), relation: 'trace' as const }] },
      0.75,
    ],
    [
      'probe data',
      exception(),
      { correlated: [{ event: probe('p', {}, near), relation: 'trace' as const }] },
      0.75,
    ],
    ['a fresh deploy', exception(), { deployments: [deployedAt(MOMENT_MS - HOUR_MS)] }, 0.75],
    ['an old deploy', exception(), { deployments: [deployedAt(MOMENT_MS - 25 * HOUR_MS)] }, 0.7],
    ['a log of its own only', log('refused'), {}, 0.3],
  ])('%s', (_what, occurrence, fields: Partial<BundleEvidence>, confidence) => {
    expect(bundleOf(occurrence, fields).summary.confidence).toBe(confidence);
  });

  it('stops at 0.95', () => {
    const occurrence = exception(
      {
        request: request(),
        response: response(),
        probeData: [{ label: 'p', data: {}, timestampMs: MOMENT_MS, activationId: null }],
      },
      trace,
    );
    const fields: Partial<BundleEvidence> = {
      correlated: [{ event: log('x', {}, near), relation: 'trace' }],
      deployments: [deployedAt(MOMENT_MS - HOUR_MS)],
    };
    expect(bundleOf(occurrence, fields).summary.confidence).toBe(0.95);
  });

  it('stops at 0.20 for what a browser told nothing about', () => {
    const opaque = (kind: 'window_error' | 'resource_error') =>
      frontendException({
        name: 'Error',
        message: 'x',
        stack: null,
        browserEvent: browserEvent({
          kind,
          target: { tagName: 'script', sourceUrl: 'https://cdn.example/a.js', attributes: {} },
        }),
      });
    expect(bundleOf(opaque('window_error')).summary.confidence).toBe(0.2);
    expect(bundleOf(opaque('resource_error')).summary.confidence).toBe(0.2);
  });
});

describe('impact', () => {
  it.each([
    [{ everyOccurrenceHadOne: true, distinctCount: 4 }, 9, 9, 4],
    [{ everyOccurrenceHadOne: false, distinctCount: 4 }, 3, 97, 100],
    [{ everyOccurrenceHadOne: false, distinctCount: 4 }, 0, 0, null],
    [{ everyOccurrenceHadOne: true, distinctCount: 0 }, 5, 5, null],
  ])('counts requests: %o, %i with a block, %i suppressed', (requestIds, withBlock, suppressed, expected) => {
    const incident = {
      requestIds,
      occurrencesWithRequestBlock: withBlock,
      attributedSuppressedCount: suppressed,
      affectedUsersEstimate: 12,
    };
    expect(bundleOf(exception(), {}, incident).impact).toMatchObject({
      affected_users_estimate: 12,
      affected_requests_estimate: expected,
    });
  });

  it.each([
    ['an exception nobody answered for', exception(), {}, false],
    ['an answer of 500', exception({ response: response({ statusCode: 500 }) }), {}, true],
    ['an answer of 499', exception({ response: response({ statusCode: 499 }) }), {}, false],
    ['a frontend exception', frontendException(), {}, true],
    [
      'a frontend exception of the same trace',
      exception(),
      { correlated: [{ event: frontendException(), relation: 'trace' as const }] },
      true,
    ],
    [
      'a correlated request answered with 503',
      log('x'),
      { correlated: [{ event: requestEvent({}, { statusCode: 503 }), relation: 'request' as const }] },
      true,
    ],
    [
      'a browser that saw a 502',
      exception(),
      {
        correlated: [
          {
            event: event('frontend_breadcrumb', {
              kind: 'breadcrumb',
              breadcrumb: breadcrumb('network_request', { url: '/x', status_code: 502 }),
            }),
            relation: 'session' as const,
          },
        ],
      },
      true,
    ],
  ])('is customer visible: %s', (_what, occurrence, fields: Partial<BundleEvidence>, expected) => {
    const document = bundleOf(occurrence, fields);
    expect(document.impact.customer_visible).toBe(expected);
    expect(document.summary.signals.customer_visible).toBe(expected);
  });

  it.each([
    ['regressed', 'regressed', null, 0, true],
    ['open without a deploy', 'open', null, 0, false],
    ['new since the deploy', 'open', MOMENT_MS - HOUR_MS, MOMENT_MS - HOUR_MS, true],
    ['older than the deploy', 'open', MOMENT_MS - HOUR_MS, MOMENT_MS - HOUR_MS - 1, false],
    ['new since an old deploy', 'open', MOMENT_MS - 25 * HOUR_MS, MOMENT_MS - HOUR_MS, false],
    ['at the end of the window', 'open', MOMENT_MS - 24 * HOUR_MS, MOMENT_MS, true],
  ] as const)('suspects a regression: %s', (_what, status, deployedAtMs, firstSeenAtMs, expected) => {
    const deployments = deployedAtMs === null ? [] : [deployedAt(deployedAtMs)];
    const { impact, summary } = bundleOf(exception(), { deployments }, { status, firstSeenAtMs });
    expect(impact.regression_suspected).toBe(expected);
    expect(summary.signals.regression_suspected).toBe(expected);
  });

  it.each([
    ['production', 'critical', 'critical'],
    ['PROD', 'high', 'high'],
    ['Live', 'low', 'low'],
    ['staging', 'critical', 'high'],
    ['staging', 'high', 'medium'],
    ['staging', 'medium', 'low'],
    ['production-eu', 'low', 'low'],
  ] as const)('in %s a severity of %s weighs %s', (environment, severity, expected) => {
    expect(bundleOf(exception(), {}, { environment, severity }).impact.business_criticality).toBe(expected);
  });
});

describe('deploys', () => {
  it('the newest at or before the primary event counts', () => {
    const deployments = [
      { ...deployedAt(MOMENT_MS + 1), version: 'future' },
      { ...deployedAt(MOMENT_MS - HOUR_MS), version: 'current' },
      { ...deployedAt(MOMENT_MS - 2 * HOUR_MS), version: 'older' },
    ];
    const document = bundleOf(exception({}, { context: { release: 'from the event', region: 'eu-1' } }), {
      deployments,
    });
    expect(document.context.deploy).toMatchObject({ deploy_version: 'current', regression_window: true });
    // The event came from an instance that still ran another release.
    expect(document.service).toMatchObject({ version: 'from the event', region: 'eu-1' });
    expect(document.signal.source_event_types).toEqual(['backend_exception', 'deploy_metadata']);
    expect(document.summary.likely_cause).toBe(
      'A value expected to be present was missing at renderTheme. The latest occurrence is within 24 hours after deploy current.',
    );
  });

  it('a deploy without a version is named by its commit', () => {
    const deployments = [{ ...deployedAt(MOMENT_MS), version: null }];
    expect(bundleOf(exception(), { deployments }).summary.likely_cause).toContain('after deploy a1b2c3d4.');
  });

  it('names the version of the service where the event names no release', () => {
    const deployments = [{ ...deployedAt(MOMENT_MS - HOUR_MS), version: 'current' }];
    expect(bundleOf(exception(), { deployments }).service.version).toBe('current');
  });

  it('without a deploy the version is the release the event names', () => {
    const document = bundleOf(exception({}, { context: { release: '1.9.0' } }));
    expect(document.service.version).toBe('1.9.0');
    expect(document.context.deploy).toBeNull();
  });

  it('a deploy that arrives late moves updated_at', () => {
    const late = { ...deployedAt(MOMENT_MS - HOUR_MS), receivedAtMs: MOMENT_MS + HOUR_MS };
    expect(bundleOf(exception(), { deployments: [late] }).metadata.updated_at).toBe(
      '2026-03-24T11:30:00.000Z',
    );
  });
});

describe('verification', () => {
  it('marks a synthetic event and where it was verified', () => {
    const occurrence = exception({}, { context: { verification: true, verification_type: 'deploy_check' } });
    expect(bundleOf(occurrence).verification).toEqual({
      verification_type: 'deploy_check',
      synthetic: true,
      local_verified: false,
      production_verified: true,
    });
    expect(bundleOf(occurrence, {}, { environment: 'staging' }).verification.production_verified).toBe(false);
  });
});

describe('samples', () => {
  it('the primary is the most severe one, and blocks come from the first that has them', () => {
    const first = exception(
      {},
      { effectiveAtMs: MOMENT_MS - HOUR_MS, context: { git: { commit: 'aaaaaaaaaa' } } },
    );
    const richest = exception(
      { request: request({ path: '/rich' }), response: response({ statusCode: 503 }) },
      { effectiveAtMs: MOMENT_MS - 2000, context: { git: { commit: 'bbbbbbbbbb', source: 'env' } } },
    );
    const severe = exception(
      { response: response({ statusCode: 418 }) },
      { effectiveAtMs: MOMENT_MS - 1000 },
    );
    const latest = exception({ request: request({ path: '/latest' }) });
    const document = bundleOf(severe, {
      samples: [
        sample(latest, { roles: ['latest'] }),
        sample(first, { roles: ['first'] }),
        sample(severe, { roles: ['highest_severity'], severity: 'critical' }),
        sample(richest, { roles: ['richest'] }),
      ],
    });
    expect(document.signal.signal_id).toBe(severe.eventId);
    expect(document.captured_at).toBe('2026-03-24T10:29:59.000Z');
    expect(document.context.request?.path).toBe('/rich');
    // The response belongs to the request, although the primary event has one of its own.
    expect(document.context.response?.status_code).toBe(503);
    expect(document.context.git).toMatchObject({
      commit: 'bbbbbbbbbb',
      commit_short: 'bbbbbbb',
      source: 'env',
    });
    expect(document.context.occurrences?.items.map((item) => item.event_id)).toEqual(
      [first, richest, severe, latest].map((item) => item.eventId),
    );
  });

  it('when the one with the role is lost, the most severe that is left leads, the newest of equals', () => {
    const severe = exception({}, { effectiveAtMs: MOMENT_MS - 3000 });
    const newer = exception({}, { effectiveAtMs: MOMENT_MS - 2000 });
    const newest = exception({}, { effectiveAtMs: MOMENT_MS - 1000 });
    const document = bundleOf(newest, {
      samples: [
        sample(newest, { roles: ['latest'], severity: 'low' }),
        sample(severe, { roles: ['after_deploy'], severity: 'critical' }),
        sample(newer, { roles: ['richest'], severity: 'critical' }),
      ],
    });
    expect(document.signal.signal_id).toBe(newer.eventId);
    expect(document.metadata.created_at).toBe('2026-03-24T10:29:58.500Z');
  });

  it('evidence without an occurrence is refused', () => {
    expect(() => bundleOf(exception(), { samples: [] })).toThrow(RangeError);
  });
});
