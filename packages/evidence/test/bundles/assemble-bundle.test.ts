import { DebugBundle } from '@culprit/contract/incidents/bundle';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleBundle } from '../../src/bundles/document/assemble-bundle.ts';
import { writeBundle } from '../../src/bundles/document/bundle-bytes.ts';
import type { BundleEvidence, CorrelatedEvidence } from '../../src/bundles/evidence/bundle-evidence.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import {
  breadcrumb,
  breadcrumbEvent,
  browserEvent,
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

const ajv = new Ajv2020({ strict: true, allErrors: true });
addFormats.default(ajv);
const validate = ajv.compile(DebugBundle);

const BLOCKS = [
  'error',
  'request',
  'response',
  'logs',
  'frontend',
  'environment',
  'deploy',
  'runtime',
  'git',
  'dependencies',
  'probe_data',
  'device',
];

function at(offsetMs: number): Partial<NormalizedEvent> {
  return { effectiveAtMs: MOMENT_MS + offsetMs };
}

/** Evidence in which every block and every list has something. */
function richEvidence(): BundleEvidence {
  const context = {
    environment: { container_id: 'c1' },
    git: { commit: 'a1b2c3d4e5', dirty: false },
    dependencies: { database: 'ok', cache: { status: 'failed', notes: 'no answer' } },
    tenant: 'acme',
  };
  const device = {
    userAgent: 'Mozilla/5.0',
    browser: { name: 'Firefox', version: '140' },
    os: { name: 'Linux', version: null },
    deviceType: 'desktop' as const,
    screen: { width: 1920, height: 1080 },
    viewport: null,
    devicePixelRatio: 2,
    touchCapable: false,
    language: 'de',
    connectionType: null,
    colorSchemePreference: 'dark' as const,
    extra: {},
  };
  const occurrence = exception(
    {
      request: request({ headers: { host: 'a.example' }, body: { a: 1 } }),
      response: response({ durationMs: 12.5 }),
      runtime: { name: 'node', version: '24.0.0', memory: { rss: 1 }, thread_id: 3, jvm_name: 'x' },
      probeData: [{ label: 'cart', data: { n: 1 }, timestampMs: MOMENT_MS - 5, activationId: 'act_1' }],
      stack:
        'Error: a\n    at f (/srv/app/src/a.js:1:1)\n  [cause]: Error: b\n      at g (/srv/app/src/b.js:2:2)',
    },
    { context, device, extra: { note: 'hi' } },
  );
  const correlated: CorrelatedEvidence[] = [
    ...Array.from({ length: 60 }, (_, i) => ({
      event: log(`line ${i}`, {}, at(-i * 10)),
      relation: 'trace' as const,
    })),
    ...Array.from({ length: 30 }, (_, i) => ({
      event: log(`near ${i}`, {}, at(-i)),
      relation: 'time' as const,
    })),
    ...Array.from({ length: 60 }, (_, i) => ({
      event: probe(`p${i}`, { i }, at(i)),
      relation: 'request' as const,
    })),
    ...Array.from({ length: 60 }, (_, i) => ({
      event: frontendException({}, at(-i)),
      relation: 'session' as const,
    })),
    ...Array.from({ length: 60 }, (_, i) => ({
      event: breadcrumbEvent(breadcrumb('click', { selector: `#b${i % 7}` }, MOMENT_MS - (i % 5) * 100)),
      relation: 'session' as const,
    })),
    { event: requestEvent({}, {}, at(-1)), relation: 'request' },
  ];
  const earlier = exception({}, at(-2 * HOUR_MS));
  return evidenceOf(occurrence, {
    samples: [
      sample(occurrence, { roles: ['latest', 'highest_severity', 'richest'], deployVersion: '2' }),
      sample(earlier, { roles: ['first'] }),
    ],
    correlated,
    deployments: [
      {
        version: '2',
        commitSha: null,
        branch: null,
        deployedAtMs: MOMENT_MS - HOUR_MS,
        receivedAtMs: MOMENT_MS,
      },
      {
        version: '1',
        commitSha: 'c',
        branch: 'b',
        deployedAtMs: MOMENT_MS - 3 * HOUR_MS,
        receivedAtMs: MOMENT_MS,
      },
    ],
  });
}

describe('the document', () => {
  it.each([
    ['full evidence', richEvidence()],
    ['a bare exception', evidenceOf(exception({ stack: null, message: '' }))],
    ['a failed request', evidenceOf(requestEvent({ method: 'GET' }, { statusCode: 503, durationMs: 3 }))],
    [
      'a log',
      evidenceOf(
        log('refused', { attributes: { error: { stack: 'Error: x\n    at f (/srv/app/src/a.js:1:1)' } } }),
      ),
    ],
    [
      'an opaque resource error',
      evidenceOf(
        frontendException({
          route: '/cart',
          browserEvent: browserEvent({
            kind: 'resource_error',
            target: { tagName: 'SCRIPT', sourceUrl: '//cdn.example/a.js', attributes: {} },
          }),
        }),
      ),
    ],
    ['an unknown service', evidenceOf(exception(), {}, { serviceName: null, serviceId: null })],
  ])('A-38: of %s fits the published schema', (_what, evidence) => {
    validate(JSON.parse(writeBundle(assembleBundle(evidence)).bytes.toString('utf8')));
    expect(validate.errors ?? []).toEqual([]);
  });

  //
  it('carries its version, its id and its generation', () => {
    expect(assembleBundle(evidenceOf(exception()))).toMatchObject({
      bundle_version: 1,
      bundle_id: 'bun_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
      metadata: { generation_number: 1, generator_version: 'bundle-1.8.0' },
    });
  });

  it('has all twelve blocks, filled when there is evidence and null when there is none', () => {
    const full = assembleBundle(richEvidence()).context;
    const bare = assembleBundle(evidenceOf(exception({ stack: null }))).context;
    for (const block of BLOCKS) expect(full).toHaveProperty([block, 'version'], 1);
    expect(Object.keys(full).toSorted()).toEqual(
      [...BLOCKS, 'custom', 'error_chain', 'occurrences', 'stack'].toSorted(),
    );
    expect(
      Object.entries(bare)
        .filter(([, block]) => block !== null)
        .map(([name]) => name),
    ).toEqual(['error', 'occurrences']);
    expect(Object.keys(bare)).toEqual(expect.arrayContaining(BLOCKS));
    expect(bare.error?.stack).toBe('unavailable');
  });
});

describe('determinism', () => {
  //
  it('equal evidence gives equal bytes', () => {
    const evidence = richEvidence();
    const bytes = writeBundle(assembleBundle(evidence)).bytes;
    expect(writeBundle(assembleBundle(structuredClone(evidence))).bytes.equals(bytes)).toBe(true);
  });

  //
  it('the order of samples, correlated events and deployments does not matter', () => {
    const evidence = richEvidence();
    const bytes = writeBundle(assembleBundle(evidence)).bytes;
    const shuffled = <Item>(items: Item[]) => fc.shuffledSubarray(items, { minLength: items.length });
    fc.assert(
      fc.property(
        shuffled(evidence.samples),
        shuffled(evidence.correlated),
        shuffled(evidence.deployments),
        (samples, correlated, deployments) => {
          const document = assembleBundle({ ...evidence, samples, correlated, deployments });
          expect(writeBundle(document).bytes.equals(bytes)).toBe(true);
        },
      ),
      { numRuns: 25 },
    );
  });

  it('leaves the evidence as it was', () => {
    const evidence = richEvidence();
    const before = structuredClone(evidence);
    assembleBundle(evidence);
    expect(evidence).toEqual(before);
  });
});

describe('correlated context', () => {
  //
  it('a backend incident shows the browser side of its trace', () => {
    const browser = frontendException(
      { breadcrumbs: [breadcrumb('click', { selector: '#pay' })], route: '/cart?x=1' },
      at(200),
    );
    const document = assembleBundle(
      evidenceOf(exception(), { correlated: [{ event: browser, relation: 'trace' }] }),
    );
    expect(document.context.frontend).toMatchObject({
      clicks: [{ selector: '#pay', label: null }],
      exceptions: [
        { event_id: browser.eventId, name: 'TypeError', route: '/cart', ts: '2026-03-24T10:30:00.200Z' },
      ],
    });
    expect(document.signal.source_event_types).toEqual(['backend_exception', 'frontend_exception']);
  });

  it('takes the nearest: 50 logs, 50 probe items, one request, 50 exceptions', () => {
    const { context } = assembleBundle(richEvidence());
    expect(context.logs?.items).toHaveLength(50);
    // Nearest to the primary event are lines 0 to 49, shown oldest first.
    expect(context.logs?.items.map((item) => item.message)).toEqual(
      Array.from({ length: 50 }, (_, i) => `line ${49 - i}`),
    );
    expect(context.probe_data?.items).toHaveLength(50);
    expect(context.frontend?.exceptions).toHaveLength(50);
  });

  it('takes at most 20 neighbours in time, after everything that shares an id', () => {
    const correlated: CorrelatedEvidence[] = [
      { event: log('far, same trace', {}, at(-5 * HOUR_MS)), relation: 'trace' },
      ...Array.from({ length: 15 }, (_, i) => ({
        event: log(`n${i}`, {}, at(-i)),
        relation: 'time' as const,
      })),
      ...Array.from({ length: 15 }, (_, i) => ({
        event: probe(`p${i}`, {}, at(-i)),
        relation: 'time' as const,
      })),
    ];
    const { context } = assembleBundle(evidenceOf(exception(), { correlated }));
    const messages = context.logs?.items.map((item) => item.message) ?? [];
    expect(messages[0]).toBe('far, same trace');
    expect(messages.length - 1 + (context.probe_data?.items.length ?? 0)).toBe(20);
  });

  it.each([
    ['a log of the same session only', log('x'), 'session'],
    ['a request in time only', requestEvent(), 'time'],
    ['a breadcrumb in time only', breadcrumbEvent(breadcrumb('click', {})), 'time'],
    ['a frontend exception of the same request id only', frontendException(), 'request'],
    ['a backend exception of the same trace', exception(), 'trace'],
  ] as const)('does not use %s', (_what, event, relation) => {
    const occurrence = exception();
    const plain = evidenceOf(occurrence);
    expect(assembleBundle({ ...plain, correlated: [{ event, relation }] })).toEqual(assembleBundle(plain));
  });

  it('an occurrence is not its own context, and an event with two relations is shown once', () => {
    const occurrence = log('refused');
    const near = log('near', {}, at(-1));
    const correlated: CorrelatedEvidence[] = [
      { event: occurrence, relation: 'trace' },
      { event: near, relation: 'time' },
      { event: near, relation: 'trace' },
    ];
    const { context, summary } = assembleBundle(evidenceOf(occurrence, { correlated }));
    expect(context.logs?.items.map((item) => item.message)).toEqual(['near', 'refused']);
    expect(summary.confidence).toBe(0.35);
  });

  it('shows breadcrumbs from 5 minutes before to 30 seconds after', () => {
    const times = [-5 * 60_000 - 1, -5 * 60_000, 30_000, 30_001];
    const breadcrumbs = times.map((offset) =>
      breadcrumb('click', { selector: String(offset) }, MOMENT_MS + offset),
    );
    const correlated: CorrelatedEvidence[] = [
      { event: frontendException({ breadcrumbs }, at(0)), relation: 'trace' },
    ];
    const { frontend } = assembleBundle(evidenceOf(exception(), { correlated })).context;
    expect(frontend?.clicks.map((click) => click.selector)).toEqual(['-300000', '30000']);
  });

  it('a breadcrumb that came alone and with an exception is shown once', () => {
    const click = breadcrumb('click', { selector: '#pay' });
    const correlated: CorrelatedEvidence[] = [
      { event: breadcrumbEvent(click), relation: 'session' },
      { event: frontendException({ breadcrumbs: [click] }), relation: 'session' },
    ];
    expect(assembleBundle(evidenceOf(exception(), { correlated })).context.frontend?.clicks).toHaveLength(1);
  });
});
