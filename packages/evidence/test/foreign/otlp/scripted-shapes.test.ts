import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { logsOf, readBody, START, span, tracesOf } from './otlp-bodies.ts';

/** JSON of pipelines and scripts that people write by hand, with other forms than the protocol has. */
function firstEvent(signal: 'logs' | 'traces', body: JsonObject): JsonObject {
  const reading = readBody(Buffer.from(JSON.stringify(body)), 'json', signal);
  if (!reading.ok || reading.events[0] === undefined) throw new Error(JSON.stringify(reading));
  return reading.events[0].event;
}

const RECORD = { severityNumber: 17, body: { stringValue: 'cart is empty' } };
const AT = '2026-03-24T10:30:00.000Z';

describe('a record of a script', () => {
  it.each([
    1_774_348_200,
    1_774_348_200_000,
    '1774348200000000',
    '1774348200000000000',
    '2026-03-24T10:30:00Z',
    '2026-03-24T12:30:00+02:00',
  ])('has its time as %j', (timeUnixNano) => {
    expect(firstEvent('logs', logsOf([{ ...RECORD, timeUnixNano }])).occurred_at).toBe(AT);
  });

  it.each([[[{ key: 'shop', value: 'b' }]], [{ shop: 'b' }], [{ shop: { stringValue: 'b' } }]])(
    'has its attributes as %j',
    (attributes) => {
      const { payload } = firstEvent('logs', logsOf([{ ...RECORD, attributes }]));
      expect(payload).toMatchObject({ attributes: { shop: 'b' } });
    },
  );

  it.each(['level', 'severity', 'detected_level'])('has its level as the attribute %s', (key) => {
    const attributes = [{ key, value: { stringValue: 'ERROR' } }];
    const { payload } = firstEvent('logs', logsOf([{ body: RECORD.body, attributes }]));
    expect(payload).toMatchObject({ level: 'error', message: 'cart is empty' });
  });

  it('has the message of the journal of systemd', () => {
    const values = [{ key: 'MESSAGE', value: { stringValue: 'cart is full' } }];
    const { payload } = firstEvent('logs', logsOf([{ ...RECORD, body: { kvlistValue: { values } } }]));
    expect(payload).toMatchObject({ message: 'cart is full' });
  });

  it('has a body that is a text', () => {
    expect(firstEvent('logs', logsOf([{ ...RECORD, body: 'cart is full' }])).payload).toMatchObject({
      message: 'cart is full',
    });
  });

  it.each([
    { resourceLogs: { scopeLogs: { logRecords: RECORD } } },
    { resourceLogs: [{ instrumentationLibraryLogs: [{ logRecords: [RECORD] }] }] },
  ])('is found in %j', (body) => {
    expect(firstEvent('logs', body).payload).toMatchObject({ message: 'cart is empty' });
  });
});

it.each(['resourceSpans', 'resourceMetrics'])('a body of logs with %s instead says so', (name) => {
  const reading = readBody(Buffer.from(JSON.stringify({ [name]: [] })), 'json', 'logs');
  expect(reading).toMatchObject({
    ok: false,
    reason: `The body has ${name}, but this address takes resourceLogs.`,
  });
});

it('a span in milliseconds has its duration', () => {
  const [startTimeUnixNano, endTimeUnixNano] = [
    BigInt(START) / 1_000_000n,
    BigInt(START) / 1_000_000n + 250n,
  ].map(String);
  const body = tracesOf([
    span({
      startTimeUnixNano,
      endTimeUnixNano,
      values: { 'http.request.method': 'GET', 'http.response.status_code': 500 },
    }),
  ]);
  expect(JSON.stringify(firstEvent('traces', body).payload)).toContain('"duration_ms":250');
});
