import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import {
  anyValue,
  attributes,
  END,
  eventsOf,
  exceptionEvent,
  type Fields,
  logsOf,
  SOURCE,
  SPAN_ID,
  span,
  TRACE_ID,
  tracesOf,
} from './otlp-bodies.ts';

const STACK = `Traceback (most recent call last):
  File "/app/shop/payments.py", line 17, in charge
    raise PaymentError("card declined")
shop.errors.PaymentError: card declined
`;

function record(own: Fields): JsonObject {
  const { values, ...rest } = own;
  return {
    timeUnixNano: END,
    severityNumber: 17,
    body: { stringValue: 'payment failed' },
    attributes: attributes(values ?? {}),
    ...rest,
  } as JsonObject;
}

function levelOf(own: Fields): unknown {
  const [only] = eventsOf('logs', logsOf([record(own)])).events;
  return (only?.event.payload as { level?: string } | undefined)?.level;
}

describe('a record', () => {
  it('is a line of a log with its logger, its attributes and its trace', () => {
    const { events } = eventsOf(
      'logs',
      logsOf([
        record({
          traceId: TRACE_ID,
          spanId: SPAN_ID,
          eventName: 'payment.failed',
          values: { 'order.id': 17, 'user.id': 'u-1', 'user.email': 'ada@example.com', request_id: 'r-1' },
        }),
      ]),
    );
    expect(events[0]?.event).toMatchObject({
      event_type: 'log_event',
      occurred_at: '2026-03-24T10:29:58.500Z',
      correlation: { trace_id: TRACE_ID, request_id: 'r-1' },
      context: { user: { id: 'u-1' }, release: '4.2.0' },
      payload: {
        message: 'payment failed',
        level: 'error',
        logger: 'app.log',
        attributes: { 'order.id': 17, 'event.name': 'payment.failed' },
      },
    });
    expect(JSON.stringify(events)).not.toContain('ada@example.com');
  });

  // F-63
  it('has a level by each severity from 0 to 24', () => {
    const levels = Array.from({ length: 26 }, (_, severityNumber) => levelOf({ severityNumber }));
    const expected = ['info'];
    for (const [level, times] of [
      ['debug', 8],
      ['info', 4],
      ['warning', 4],
      ['error', 4],
      ['fatal', 4],
      ['info', 1],
    ] as const) {
      expected.push(...Array.from({ length: times }, () => level));
    }
    expect(levels).toEqual(expected);
  });

  it('has its level by its text where it has no number', () => {
    const of = (severityText: string) => levelOf({ severityNumber: 0, severityText });
    expect(
      ['ERROR', 'Warn', 'SEVERE', 'CRITICAL', 'Information', 'FINE', 'err', 'W', 'FATAL2', '?'].map(of),
    ).toEqual([
      'error',
      'warn',
      'error',
      'critical',
      'information',
      'debug',
      'error',
      'warning',
      'fatal',
      'info',
    ]);
  });

  it('takes the time of its observation where it has none, else that of its receipt', () => {
    const at = (own: Fields) => eventsOf('logs', logsOf([record(own)])).events[0]?.event.occurred_at;
    expect(at({ timeUnixNano: '0', observedTimeUnixNano: '1774348199000000000' })).toBe(
      '2026-03-24T10:29:59.000Z',
    );
    expect(at({ timeUnixNano: '0' })).toBe(new Date(SOURCE.receivedAtMs).toISOString());
  });

  it('has a body of any type as text', () => {
    const of = (body: unknown) =>
      (
        eventsOf('logs', logsOf([record({ body: body === undefined ? undefined : anyValue(body) })]))
          .events[0]?.event.payload as { message: string } | undefined
      )?.message;
    expect([of({ msg: 'x', n: 1 }), of(['a', 2]), of(7), of(undefined), of(true)]).toEqual([
      'x',
      '["a",2]',
      '7',
      '',
      'true',
    ]);
  });

  it('counts once however often it is exported, and equal ones of a request each by itself', () => {
    const ids = () =>
      eventsOf('logs', logsOf([record({}), record({}), record({ values: { a: 1 } })])).events.map(
        ({ event }) => event.event_id,
      );
    expect(new Set(ids()).size).toBe(3);
    expect(ids()).toEqual(ids());
    const other = eventsOf('logs', logsOf([record({})]), { ...SOURCE, keyId: 'key-2' }).events[0]?.event
      .event_id;
    expect(ids()).not.toContain(other);
  });
});

describe('a record with an exception', () => {
  const EXCEPTION = {
    'exception.type': 'PaymentError',
    'exception.message': 'card declined',
    'exception.stacktrace': STACK,
  };
  const typeOf = (own: Fields) =>
    eventsOf('logs', logsOf([record({ values: EXCEPTION, ...own })])).events[0]?.event;

  it('is the exception, with itself as the line of the log', () => {
    const event = typeOf({ values: { ...EXCEPTION, 'order.id': 17 } });
    expect(event).toMatchObject({
      event_type: 'backend_exception',
      context: { attributes: { 'order.id': 17 } },
      payload: {
        name: 'shop.errors.PaymentError',
        message: 'card declined',
        handled: true,
        stack: STACK,
        logs: [{ level: 'error', message: 'payment failed', logger: 'app.log' }],
      },
    });
    expect(JSON.stringify(event?.context)).not.toContain('Traceback');
    expect(checkEvent(event).ok).toBe(true);
  });

  it('is one from the level of an error on, and where it has no level at all', () => {
    const types = [1, 9, 13, 16, 17, 20, 21, 24, 0].map(
      (severityNumber) => typeOf({ severityNumber })?.event_type === 'backend_exception',
    );
    expect(types).toEqual([false, false, false, false, true, true, true, true, true]);
    expect(typeOf({ severityNumber: 0, severityText: 'WARN' })?.event_type).toBe('log_event');
  });

  it('is the same as on its span, though the two name its type each in its own way', () => {
    const place = { traceId: TRACE_ID, spanId: SPAN_ID };
    const logged = typeOf(place)?.event_id;
    const onSpan = { ...EXCEPTION, 'exception.type': 'shop.errors.PaymentError' };
    const recorded = eventsOf(
      'traces',
      tracesOf([span({ kind: 1, events: [exceptionEvent(onSpan)] })]),
    ).events;
    expect(recorded[0]?.event.event_id).toBe(logged);
    expect(typeOf({ traceId: TRACE_ID, spanId: '1111111111111111' })?.event_id).not.toBe(logged);
    expect(typeOf({})?.event_id).toBeUndefined();
  });
});

it('takes errors first, where a request holds more than it may', () => {
  const lines = Array.from({ length: 1_300 }, () => record({ severityNumber: 9 }));
  const { events, overLimit } = eventsOf('logs', logsOf([...lines, record({ severityNumber: 21 })]));
  expect([events.length, overLimit]).toEqual([1_000, 301]);
  expect(events.at(-1)?.event.payload).toMatchObject({ level: 'fatal' });
});
