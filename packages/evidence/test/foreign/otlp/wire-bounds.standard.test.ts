import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../../server/test/support/seeded-random.ts';
import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import type { OtlpForm } from '../../../src/foreign/otlp/otlp-form.ts';
import { bytesOf, varint } from './encode-otlp.ts';
import { bodyOf, exceptionEvent, logsOf, readBody, span, tracesOf } from './otlp-bodies.ts';

const VALUES = { 'http.method': 'GET', list: [1, 'a', { b: true }], 'http.status_code': 500 };
const EXCEPTION = { 'exception.type': 'E', 'exception.stacktrace': 'E: x\n    at f (/a.js:1:2)' };
const TRACES = tracesOf([span({ values: VALUES, events: [exceptionEvent(EXCEPTION)] }), span({ kind: 5 })]);
const LOGS = logsOf([{ severityNumber: 17, body: { stringValue: 'x' }, attributes: [] }]);

/** A field of varint type. */
const number = (field: number, value: number) =>
  Buffer.concat([varint(BigInt(field * 8)), varint(BigInt(value))]);
/** A span below a resource and a scope. */
const request = (spanBytes: Buffer) => bytesOf(1, bytesOf(2, bytesOf(2, spanBytes)));
const SERVER = number(6, 2);
const attribute = (value: Buffer) =>
  bytesOf(9, Buffer.concat([bytesOf(1, Buffer.from('a')), bytesOf(2, value)]));
const read = (bytes: Buffer, form: OtlpForm = 'protobuf') => readBody(bytes, form, 'traces');

describe.each(['traces', 'logs'] as const)('a body of %s', (signal) => {
  const whole = bodyOf('protobuf', signal, signal === 'traces' ? TRACES : LOGS);

  it('cut at any byte is refused, but where a message ends', () => {
    for (let length = 1; length < whole.length; length += 1) {
      expect(readBody(whole.subarray(0, length), 'protobuf', signal)).toMatchObject({
        ok: false,
        problem: 'invalid_payload',
      });
    }
    expect(readBody(Buffer.alloc(0), 'protobuf', signal)).toMatchObject({ ok: true, events: [] });
  });

  it('with any bytes changed is read or refused, and what it becomes is fit for intake', () => {
    const random = seededRandom(7);
    for (let round = 0; round < 2_000; round += 1) {
      const mutated = Buffer.from(whole);
      for (let change = random.integer(1, 4); change > 0; change -= 1) {
        mutated[random.integer(0, mutated.length - 1)] = random.integer(0, 255);
      }
      const reading = readBody(mutated, 'protobuf', signal);
      if (!reading.ok) continue;
      for (const { event } of reading.events) expect(checkEvent(event)).toMatchObject({ ok: true });
    }
  });

  it('of JSON with any bytes changed as well', () => {
    const random = seededRandom(8);
    const json = bodyOf('json', signal, signal === 'traces' ? TRACES : LOGS);
    for (let round = 0; round < 2_000; round += 1) {
      const mutated = Buffer.from(json);
      for (let change = random.integer(1, 3); change > 0; change -= 1) {
        mutated[random.integer(0, mutated.length - 1)] = random.pick([
          0x7b, 0x7d, 0x5b, 0x5d, 0x22, 0x30, 0x2c, 0xff,
        ]);
      }
      const reading = readBody(mutated, 'json', signal);
      if (!reading.ok) continue;
      for (const { event } of reading.events) expect(checkEvent(event)).toMatchObject({ ok: true });
    }
  });
});

describe('hostile bytes', () => {
  it.each([
    ['a field without a number', Buffer.from([0x00, 0x01])],
    ['a group', request(Buffer.from([0x0b, 0x0c]))],
    ['an unknown wire type', request(Buffer.from([0x0f]))],
    ['a number without an end', request(Buffer.alloc(11, 0xff))],
    ['a length beyond the body', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ['a length beyond 32 bits', Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])],
    ['a length beyond its message', bytesOf(1, bytesOf(2, Buffer.from([0x12, 0x05, 0x30])))],
  ])('%s is refused', (_what, bytes) => {
    expect(read(bytes)).toMatchObject({ ok: false, problem: 'invalid_payload' });
  });

  it('400,000 empty spans are refused', () => {
    const spans = Buffer.concat(Array.from({ length: 400_000 }, () => Buffer.from([0x12, 0x00])));
    expect(read(bytesOf(1, bytesOf(2, spans)))).toMatchObject({ ok: false, problem: 'payload_too_large' });
  });

  it('values nested 20,000 deep are refused in both forms, and some levels too many are cut', () => {
    const nested = (levels: number) => {
      let value = bytesOf(1, Buffer.from('x'));
      for (let level = 0; level < levels; level += 1) value = bytesOf(5, bytesOf(1, value));
      return request(Buffer.concat([SERVER, attribute(value)]));
    };
    const inJson = (levels: number) => {
      const value = `${'{"arrayValue":{"values":['.repeat(levels)}{}${']}}'.repeat(levels)}`;
      const attributes = `[{"key":"a","value":${value}}]`;
      return Buffer.from(
        `{"resourceSpans":[{"scopeSpans":[{"spans":[{"kind":2,"attributes":${attributes}}]}]}]}`,
      );
    };
    expect(read(nested(20_000))).toMatchObject({ ok: false, problem: 'invalid_payload' });
    expect(read(inJson(20_000), 'json')).toMatchObject({ ok: false, problem: 'invalid_payload' });
    expect([read(nested(50)).ok, read(inJson(50), 'json').ok]).toEqual([true, true]);
  });

  it('more values of JSON than a request may hold are refused before they are parsed', () => {
    const body = Buffer.from(`{"resourceSpans":[${'0,'.repeat(400_001)}0]}`);
    expect(read(body, 'json')).toMatchObject({ ok: false, problem: 'payload_too_large' });
  });

  it('a million attributes, events or values become no more than an event may hold', () => {
    const method = bytesOf(
      9,
      Buffer.concat([bytesOf(1, Buffer.from('http.method')), bytesOf(2, bytesOf(1, Buffer.from('GET')))]),
    );
    const many = (piece: Buffer) => Buffer.concat(Array.from({ length: 300_000 }, () => piece));
    const item = bytesOf(1, number(2, 1));
    const bodies = [
      Buffer.concat([SERVER, method, many(attribute(number(2, 1)))]),
      Buffer.concat([SERVER, method, many(bytesOf(11, Buffer.alloc(0)))]),
      Buffer.concat([SERVER, method, attribute(bytesOf(5, many(item)))]),
      Buffer.concat([SERVER, method, many(bytesOf(11, bytesOf(2, Buffer.from('exception'))))]),
    ];
    for (const body of bodies) {
      const reading = read(request(body));
      if (!reading.ok) throw new Error(reading.reason);
      expect(reading.events.length).toBeLessThanOrEqual(1_000);
      expect(JSON.stringify(reading.events[0]).length).toBeLessThan(70_000);
    }
  });

  it('text that is no UTF-8, and fields of another type than theirs, cost nothing but themselves', () => {
    const name = bytesOf(5, Buffer.from([0x61, 0xff, 0x62]));
    const wrongKind = bytesOf(6, Buffer.from('server'));
    const wrongName = number(5, 7);
    const bytes = request(
      Buffer.concat([name, wrongKind, wrongName, SERVER, number(99, 1), bytesOf(15, number(3, 2))]),
    );
    expect(read(bytes)).toMatchObject({
      ok: true,
      events: [{ event: { payload: { message: 'a\ufffdb: failed' } } }],
    });
  });

  it('a stack and a message are cut to what an event may hold', () => {
    const huge = 'x'.repeat(2_000_000);
    const body = bodyOf(
      'protobuf',
      'traces',
      tracesOf([
        span({
          name: huge,
          values: { huge, 'http.method': 'GET' },
          events: [
            exceptionEvent({
              'exception.type': huge,
              'exception.message': huge,
              'exception.stacktrace': huge,
            }),
          ],
        }),
      ]),
    );
    const reading = read(body);
    if (!reading.ok) throw new Error(reading.reason);
    for (const { event } of reading.events) {
      expect(checkEvent(event).ok).toBe(true);
      expect(JSON.stringify(event).length).toBeLessThan(400_000);
    }
  });
});
