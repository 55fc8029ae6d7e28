import { isJsonObject, type JsonObject, type JsonValue } from '@culprit/evidence/events/envelope/json';
import { createGroupingKeyMaker } from '@culprit/evidence/events/fingerprint/memoized-fingerprint';
import type { NormalizedEvent } from '@culprit/evidence/events/normalize/event';
import { type EventOutline, outlineOf } from '@culprit/evidence/events/outline/event-outline';
import { withOwnTags } from '@culprit/evidence/incidents/event-tags';
import { type Acceptance, ownParts } from '@culprit/evidence/incidents/judge-event';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCaseFiles } from '../../../evidence/test/corpus/case-file.ts';
import { anyJson, eventArbitrary } from '../../../evidence/test/events/event-arbitrary.ts';
import { wireForm } from '../../../evidence/test/events/wire-forms.ts';
import { type Judgement, judgeWhole } from '../../src/pipeline/incidents/processing/judge-whole.ts';
import {
  codeFacts,
  createOutlineMemory,
  labelFacts,
  presenceFacts,
} from '../../src/pipeline/incidents/processing/outlined-facts.ts';

const RECEIVED_AT_MS = 1_790_000_000_000;
const SIGNAL: Acceptance = {
  eventClass: 'incident_signal',
  isDemoted: false,
  isOriginBound: false,
  receivedAtMs: RECEIVED_AT_MS,
  derivedId: () => 'evt_1',
};
const keyOf = createGroupingKeyMaker({ entriesMax: 0 });

function judged(raw: JsonObject, acceptance: Acceptance = SIGNAL): Judgement {
  return judgeWhole(raw, acceptance, (event: NormalizedEvent) => keyOf(event), true);
}

function outline(raw: JsonObject): EventOutline {
  const found = outlineOf(raw, RECEIVED_AT_MS);
  if (found === null) throw new Error('an event without an outline');
  return found;
}

/** Fails unless counting each part in the place of the event gives the same facts, and its own parts are as judged. */
function expectSameFacts(raw: JsonObject, acceptance: Acceptance = SIGNAL): EventOutline {
  const found = outline(raw);
  const whole = judged(raw, acceptance);
  const of = (text: string) => judged(JSON.parse(text), acceptance);
  const code = codeFacts(of(found.code), found);
  const facts = codeFacts(whole, found);
  // Masked numbers may make a difference to the key, which is looked at when an outline is remembered.
  const isKeyOfNumbers = found.ownMessage !== null && code.fingerprint?.value !== facts.fingerprint?.value;
  expect(isKeyOfNumbers ? { ...code, fingerprint: facts.fingerprint } : code).toEqual(facts);
  expect(presenceFacts(of(found.presence))).toEqual(presenceFacts(whole));
  const { tags, ...label } = labelFacts(of(found.labels));
  const { tags: wholeTags, ...wholeLabel } = labelFacts(whole);
  expect(label).toEqual(wholeLabel);
  if (whole.facts !== null)
    expect(withOwnTags(tags, raw)).toEqual({ tags: wholeTags, left: whole.facts.tagsLeft });
  const { eventId, effectiveAtMs, receivedAtMs } = whole.event;
  const { hashes, clientKeys, digest, idHash } = whole;
  expect(ownParts(raw, acceptance, found, whole.event.sdk.name)).toMatchObject({
    ...{ eventId, effectiveAtMs, receivedAtMs, hashes, clientKeys, digest, idHash },
  });
  return found;
}

/** What a memory returns for an event of which it knows the outline. */
function remembered(known: JsonObject, raw: JsonObject): { judgement: Judgement; looks: number } {
  const memory = createOutlineMemory(100);
  for (const _ of [1, 2, 3, 4]) memory.judge(known, SIGNAL, [], (each) => judged(each));
  let looks = 0;
  const judgement = memory.judge(raw, SIGNAL, [], (each) => {
    looks += 1;
    return judged(each);
  });
  return { judgement, looks };
}

const PATHS = [
  '/',
  '/orders/4711',
  '/orders/4712?next=/a#b',
  '//x',
  'orders/7',
  '/users/9f8a7c6d-1234-4abc-8def-0123456789ab',
  '/pay/4111111111111111',
  '/key/AKIAIOSFODNN7EXAMPLE/x',
  'https://shop.example/orders/7',
  '/a/b/c/d/e/f/g/h/i/j/k/l/m/n',
  '/caf\u00e9',
  '',
];
const MESSAGES = [
  'Order 47110815 could not be handled',
  'Order 47110816 could not be handled',
  'card 4111111111111111 was refused',
  'pay DE89 3704 0044 0532 0130 00 now',
  'your code is 12345678 again',
  'password: 12345678',
  'exit code 12345',
  'basic 123456 and 78901234',
  '2024 12345678',
];

const texts = fc.oneof(fc.constantFrom(...MESSAGES), fc.string());
const map = fc.oneof(fc.dictionary(fc.string({ maxLength: 5 }), anyJson(), { maxKeys: 2 }), anyJson());
const breadcrumb = fc.record(
  {
    breadcrumb_type: fc.constantFrom<JsonValue>(
      'console_log',
      'console',
      'network',
      'click',
      'custom',
      null,
      7,
    ),
    route: fc.oneof(texts, anyJson()),
    ts: anyJson(),
    occurred_at: anyJson(),
    data: fc.oneof(
      fc.record(
        {
          status: fc.oneof(fc.constantFrom<JsonValue>(0, 200, 404, 500, -1), anyJson()),
          status_code: fc.oneof(fc.constantFrom<JsonValue>(0, 200, 404, 500), anyJson()),
          message: fc.oneof(fc.constantFrom('punycode is deprecated', 'x is obsolete'), anyJson()),
          other: anyJson(),
        },
        { requiredKeys: [] },
      ),
      anyJson(),
    ),
    unnamed: anyJson(),
  },
  { requiredKeys: [] },
);
const logLine = fc.record(
  {
    level: fc.oneof(fc.constantFrom('info', 'odd'), anyJson()),
    message: fc.oneof(texts, anyJson()),
    logger: fc.oneof(texts, anyJson()),
    ts: anyJson(),
    attributes: map,
    unnamed: anyJson(),
  },
  { requiredKeys: [] },
);
const request = fc.record(
  {
    method: fc.constantFrom<JsonValue>('GET', 'POST', 'unknown', 'odd', null),
    path: fc.oneof(fc.constantFrom<JsonValue>(...PATHS, null), fc.string()),
    url: fc.constantFrom<JsonValue>(...PATHS, null),
    query: map,
    headers: map,
    body: anyJson(),
    route_template: fc.constantFrom<JsonValue>('/orders/:id', ' ', '', null),
    unnamed: anyJson(),
  },
  { requiredKeys: [] },
);
const response = fc.record(
  {
    status_code: fc.constantFrom<JsonValue>(0, 200, 500, null),
    duration_ms: fc.constantFrom<JsonValue>(0, 12.5, -1, 'x', null),
    headers: map,
    body: anyJson(),
    unnamed: anyJson(),
  },
  { requiredKeys: [] },
);
const payloads = fc.record(
  {
    request: fc.oneof(request, map),
    response: fc.oneof(response, map),
    breadcrumbs: fc.oneof(fc.array(breadcrumb, { maxLength: 4 }), fc.array(anyJson(), { maxLength: 3 })),
    logs: fc.oneof(fc.array(logLine, { maxLength: 3 }), fc.array(anyJson(), { maxLength: 3 })),
    probe_data: fc.oneof(
      fc.record({ items: fc.array(map, { maxLength: 3 }), unnamed: anyJson() }, { requiredKeys: [] }),
      map,
    ),
    runtime: fc.oneof(
      fc.record(
        {
          name: anyJson(),
          hostname: anyJson(),
          platform: anyJson(),
          pid: anyJson(),
          memory: map,
          unnamed: anyJson(),
        },
        { requiredKeys: [] },
      ),
      map,
    ),
    device: fc.oneof(
      fc.constant<JsonValue>(JSON.parse('{"__proto__": {"a": 1}}')),
      fc.record(
        { screen: anyJson(), os: anyJson(), browser: anyJson(), user_agent: texts },
        { requiredKeys: [] },
      ),
      anyJson(),
    ),
    url: fc.constantFrom(
      'https://shop.example/a?b=c',
      'https://Shop.example:8080/',
      'http://u:p@shop.example/x',
    ),
    trace_id: fc.constantFrom<JsonValue>('t', '', null),
    source: fc.oneof(texts, fc.constant(null)),
  },
  { requiredKeys: [] },
);
const contexts = fc.record(
  {
    severity: fc.constantFrom<JsonValue>('critical', 'none', 7),
    user: fc.oneof(fc.record({ id: anyJson(), name: fc.string() }), anyJson()),
    user_id: anyJson(),
    capture_loss: fc.oneof(fc.record({ duplicate: fc.integer() }), anyJson()),
    environment: fc.oneof(fc.record({ os: fc.string(), host: fc.string() }), anyJson()),
    git: anyJson(),
    dependencies: anyJson(),
    release: fc.oneof(fc.constantFrom('1.2.3', ' 4 '), anyJson()),
    tags: fc.oneof(fc.dictionary(fc.constantFrom('team', 'a b'), anyJson()), anyJson()),
    url: fc.constantFrom<JsonValue>('https://shop.example/a', 'https://a@b/c', 7),
    causes: fc.oneof(fc.array(fc.record({ name: fc.string(), message: fc.string() })), anyJson()),
    request: fc.oneof(request, anyJson()),
    response: fc.oneof(response, anyJson()),
    error: fc.record({ digest: anyJson() }),
    trace_id: anyJson(),
    flags: anyJson(),
  },
  { requiredKeys: [] },
);

/** A message, and a stack that repeats it in one of the ways in which stacks do. */
const errors = fc
  .tuple(texts, fc.constantFrom('TypeError', 'Error2', 'ValueError'), fc.integer({ min: 0, max: 5 }))
  .map(([message, name, way]): JsonObject => {
    const frames = '    at checkout (/app/cart.js:42:10)\n    at next (/app/router.js:7:1)';
    const stacks: JsonValue[] = [
      `${name}: ${message}\n${frames}`,
      frames,
      `Traceback (most recent call last):\n  File "a.py", line 3, in f\n${name}: ${message}`,
      `${name}: ${message} 1234\n${frames}\n${message}`,
      [`${name}: ${message}`, frames],
      null,
    ];
    return { name, message, stack: stacks[way] ?? null };
  });

const acceptances = fc.record({
  eventClass: fc.constantFrom('incident_signal' as const, 'context_signal' as const),
  isDemoted: fc.boolean(),
  isOriginBound: fc.boolean(),
});

describe('the outline of an event', () => {
  it('is counted as the event is, whatever stands where it has nothing', () => {
    let masked = 0;
    fc.assert(
      fc.property(
        eventArbitrary(['backend_exception', 'frontend_exception']),
        payloads,
        errors,
        fc.option(contexts),
        fc.option(contexts),
        fc.tuple(acceptances, fc.boolean()),
        (event, payload, error, context, inner, [decided, isErrorLaid]) => {
          const raw: JsonObject = JSON.parse(
            JSON.stringify({
              ...event,
              context,
              payload: {
                ...(event.payload as JsonObject),
                ...payload,
                ...(isErrorLaid ? { ...error, error_class: undefined, error: undefined } : {}),
                ...(inner === null ? {} : { context: inner }),
              },
            }),
          );
          if (expectSameFacts(raw, { ...SIGNAL, ...decided }).ownMessage !== null) masked += 1;
        },
      ),
      { numRuns: 200 },
    );
    expect(masked).toBeGreaterThan(3);
  });

  it('is counted as the event is, for events of every runtime of the corpora', () => {
    const events = readCaseFiles().flatMap(({ causes }) => causes.flatMap((cause) => cause.events));
    let outlines = 0;
    for (const { eventType, payload } of events) {
      if (eventType !== 'backend_exception' && eventType !== 'frontend_exception') continue;
      outlines += 1;
      expectSameFacts({
        event_type: eventType,
        timestamp: '2026-03-24T10:30:00Z',
        service: { name: 'shop', environment: 'production' },
        sdk: { name: 'debugbundle-python', version: '1' },
        payload,
      });
    }
    expect(outlines).toBeGreaterThan(100);
  });

  const ORDER: JsonObject = {
    ...wireForm('node-server', 'nameless_class'),
    event_id: '00000000-0000-4000-8000-000000000001',
    correlation: { trace_id: 't-1', request_id: null, session_id: null, user_id_hash: 'a'.repeat(64) },
    context: { flags: { a: 1 }, tags: { team: 'shop' } },
  };

  it('is the same for events that differ in what counts for none, which are then not judged again', () => {
    const message = (number: number) => ({
      name: 'OrderError',
      message: `Order ${number} was lost`,
      stack: `OrderError: Order ${number} was lost\n    at save (/app/order.js:10:3)`,
    });
    const first = laid(ORDER, message(47110815));
    const second = laid(ORDER, {
      ...message(48220926),
      request: {
        method: 'POST',
        path: '/orders/77',
        route_template: '/orders/:id',
        headers: { 'x-id': '2', accept: '*/*' },
        body: { order: 2 },
      },
    });
    const base = laid(first, {
      request: {
        method: 'POST',
        path: '/orders/1',
        route_template: '/orders/:id',
        headers: { 'x-id': '1' },
        body: 'a',
      },
    });
    const other: JsonObject = {
      ...second,
      event_id: '00000000-0000-4000-8000-000000000002',
      occurred_at: '2026-09-21T13:46:39Z',
      correlation: { trace_id: 't-2', request_id: 'r-2', session_id: null, user_id_hash: 'b'.repeat(64) },
      context: { flags: { a: 2, b: 3 }, seconds: 4.5, tags: { team: 'shop' } },
    };
    const { judgement, looks } = remembered(base, other);
    expect(looks).toBe(0);
    expect(judgement).toEqual(judged(other));
    expect(judgement.facts?.message).toBe('order 48220926 was lost');
  });

  it('is another one where anything differs that counts', () => {
    const changes: JsonObject[] = [
      { ...ORDER, context: { release: '2.0.0' } },
      { ...ORDER, context: { flags: 1, severity: 'critical' } },
      { ...ORDER, context: { flags: 1, user: { id: 'u' } } },
      { ...ORDER, correlation: null },
      { ...ORDER, sdk_version: '9.9.9' },
      { ...ORDER, service: { name: 'other', environment: 'production' } },
      laid(ORDER, { message: 'another message' }),
      laid(ORDER, { stack: 'Error: x\n    at other (/app/other.js:1:1)' }),
      laid(ORDER, { handled: false }),
      laid(ORDER, { request: { method: 'PUT', path: '/other' } }),
      laid(ORDER, { runtime: { name: 'bun', hostname: 'h-2' } }),
      laid(ORDER, { breadcrumbs: [{ breadcrumb_type: 'network', data: { status_code: 503 } }] }),
      laid(ORDER, { logs: [{ message: 'x' }] }),
    ];
    const texts = new Set(
      [ORDER, ...changes].map((raw) => {
        const { code, presence, labels } = outline(raw);
        return [code, presence, labels].join();
      }),
    );
    expect(texts.size).toBe(changes.length + 1);
    for (const changed of changes) {
      expectSameFacts(changed);
      expect(remembered(ORDER, changed).judgement).toEqual(judged(changed));
    }
  });

  it('knows nothing of a message whose number is part of its key', () => {
    const raw = (number: number) =>
      laid(ORDER, {
        name: 'QueryError',
        message: MESSAGES[6]?.replace('12345', String(number)) ?? '',
        stack: null,
      });
    expect(outline(raw(12345)).code).not.toBe(outline(raw(54321)).code);
  });
});

function laid(event: JsonObject, payload: JsonObject): JsonObject {
  const { payload: own } = event;
  return { ...event, payload: { ...(isJsonObject(own) ? own : {}), ...payload } };
}
