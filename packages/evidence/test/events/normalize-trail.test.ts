import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { sanitizeRawEvent } from '../../src/events/envelope/sanitize-raw-event.ts';
import { fingerprintEvent } from '../../src/events/fingerprint/fingerprint.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { eventRichness } from '../../src/events/normalize/event-richness.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { type FixtureName, fixture } from './event-fixtures.ts';

const SENT_MS = Date.UTC(2026, 2, 24, 10, 30);
const TS = '2026-03-24T10:29:58.250Z';
const UUID = '85314830-023F-4CF1-A267-535F4E37BB17';
const KEY = new Uint8Array(32);

function normalized(name: FixtureName, set: Record<string, JsonValue>): NormalizedEvent {
  const event = fixture(name, set);
  const check = checkEvent(event);
  if (!check.ok) throw new Error(check.reason);
  return normalizeEvent(sanitizeRawEvent(event, KEY), { eventId: 'evt_1', receivedAtMs: SENT_MS });
}

function trailOf({ payload }: NormalizedEvent) {
  if (payload.kind !== 'exception' && payload.kind !== 'request') throw new Error('no trail there');
  return payload.trail;
}

describe.each<FixtureName>(['A', 'W', 'REQ'])('the trail in a server event (%s)', (name) => {
  it('is read and leaves nothing unnamed', () => {
    const event = normalized(name, {
      'payload.logs': [
        { level: 'WARN', message: 'slow', ts: TS, logger: 'db', attributes: { ms: 900 } },
        { message: 'plain', ts: SENT_MS },
        { message: 'named', logger: 'db', attributes: { logger: 'own' } },
      ],
      'payload.breadcrumbs': [
        {
          breadcrumb_type: 'network_request',
          ts: TS,
          data: { url: 'https://pay.example/x', status_code: 503 },
        },
      ],
    });
    expect(trailOf(event)).toEqual({
      logs: [
        {
          level: 'warning',
          message: 'slow',
          attributes: { ms: 900, logger: 'db' },
          timestampMs: Date.parse(TS),
        },
        { level: 'info', message: 'plain', attributes: {}, timestampMs: SENT_MS },
        { level: 'info', message: 'named', attributes: { logger: 'own' }, timestampMs: null },
      ],
      breadcrumbs: [
        {
          breadcrumbType: 'network_request',
          route: null,
          data: { url: 'https://pay.example/x', status_code: 503 },
          timestampMs: Date.parse(TS),
        },
      ],
    });
    expect(event.extra).toEqual({});
  });

  it('counts as one block of what makes an occurrence rich', () => {
    const bare = eventRichness(normalized(name, {}));
    expect(eventRichness(normalized(name, { 'payload.logs': [{ message: 'x' }] }))).toBe(bare + 1);
    const both = { 'payload.logs': [{ message: 'x' }], 'payload.breadcrumbs': [{}] };
    expect(eventRichness(normalized(name, both))).toBe(bare + 1);
  });

  it('takes no bytes from the context, and of a long one the latest entries stay', () => {
    const lines = Array.from({ length: 150 }, (_, n) => ({ message: `${n} ${'x'.repeat(2000)}` }));
    const event = normalized(name, { 'payload.logs': lines, context: { order: 7 } });
    expect(trailOf(event).logs).toHaveLength(100);
    expect(trailOf(event).logs[0]?.message).toMatch(/^50 /);
    expect(event.context).toEqual({ order: 7 });
    expect(event.extra).toEqual({});
  });

  it('is redacted by key and by value', () => {
    const event = normalized(name, {
      'payload.logs': [
        { message: 'sent Bearer abcdef0123456789abcdef', attributes: { password: 'hunter2' } },
      ],
      'payload.breadcrumbs': [{ data: { token: 'hunter2', note: 'https://me:hunter2@pay.example' } }],
    });
    expect(JSON.stringify(trailOf(event))).not.toMatch(/hunter2|abcdef0123/);
  });

  it.each<[string, JsonValue, JsonValue | undefined]>([
    ['text', 'all of them', 'all of them'],
    ['a number', 7, 7],
    ['an object', { 0: { message: 'x' } }, { 0: { message: 'x' } }],
    ['null', null, undefined],
    ['an empty list', [], undefined],
    ['a list of anything', ['x', null, 7, [1]], { 0: 'x', 2: 7, 3: [1] }],
    [
      'entries of other types',
      [{ message: { a: 1 }, level: 3, ts: [], attributes: 'x', more: 1 }],
      { 0: { message: { a: 1 }, level: 3, ts: [], attributes: 'x', more: 1 } },
    ],
  ])('that is %s is kept as unnamed instead of refusing the event', (_, logs, kept) => {
    const event = normalized(name, { 'payload.logs': logs });
    expect(event.extra.logs).toEqual(kept);
    expect(trailOf(event).logs.every(({ message }) => message === '')).toBe(true);
  });
});

describe('a response of an exception', () => {
  it.each<[JsonValue, number | null, JsonValue | undefined]>([
    [12.5, 12.5, undefined],
    [0, 0, undefined],
    [null, null, undefined],
    [-1, null, { duration_ms: -1 }],
    ['soon', null, { duration_ms: 'soon' }],
  ])('that took %j', (sent, durationMs, kept) => {
    const event = normalized('A', { 'payload.response': { status_code: 500, duration_ms: sent } });
    expect(event.payload).toMatchObject({ response: { statusCode: 500, durationMs } });
    expect(event.extra.response).toEqual(kept);
  });
});

describe.each<FixtureName>(['A', 'FE'])('debug ids of an exception (%s)', (name) => {
  it('are read for at most twenty files', () => {
    const ids = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`/srv/${n}.js`, UUID]));
    const { payload, extra } = normalized(name, { 'payload.debug_ids': { '/srv/x.js': 'none', ...ids } });
    if (payload.kind !== 'exception') throw new Error('unexpected kind');
    expect(payload.debugIds).toHaveLength(20);
    expect(payload.debugIds[0]).toEqual({ file: '/srv/0.js', id: UUID.toLowerCase() });
    expect(extra).toEqual({});
  });

  it.each<[JsonValue]>([['x'], [[UUID]], [7]])('that are %j refuse nothing', (sent) => {
    const { payload, extra } = normalized(name, { 'payload.debug_ids': sent });
    expect(payload).toMatchObject({ debugIds: [] });
    expect(extra).toEqual({ debug_ids: sent });
  });
});

describe('causes of a browser exception', () => {
  const script = (set: Record<string, JsonValue>) =>
    normalized('FE', { 'payload.browser_event': null, ...set });
  const CAUSE = {
    name: 'AbortError',
    message: 'stopped',
    stack: 'AbortError: stopped\n    at go (/app/go.js:1:1)',
  };

  it('make the chain that a stack with the same causes makes', () => {
    const stack = 'TypeError: no\n    at run (https://shop.example/app/run.js:3:5)';
    const named = script({ 'payload.stack': stack, 'payload.causes': [CAUSE] });
    const written = script({ 'payload.stack': `${stack}\nCaused by: ${CAUSE.stack}` });
    const plain = script({ 'payload.stack': stack });
    expect(fingerprintEvent(named)?.materialJson).toBe(fingerprintEvent(written)?.materialJson);
    expect(fingerprintEvent(named)?.chain.map(({ type }) => type)[1]).toBe('AbortError');
    expect(fingerprintEvent(plain)?.value).not.toBe(fingerprintEvent(named)?.value);
    expect(named.extra).toEqual({});
  });

  it.each<[JsonValue, JsonValue | undefined]>([
    ['AbortError', 'AbortError'],
    [[], undefined],
    [null, undefined],
    [[7, {}, { message: 'no type' }], { 0: 7 }],
  ])('that are %j do not change the fingerprint', (causes, kept) => {
    const event = script({ 'payload.causes': causes });
    expect(event.extra.causes).toEqual(kept);
    expect(fingerprintEvent(event)?.value).toBe(fingerprintEvent(script({}))?.value);
  });
});
