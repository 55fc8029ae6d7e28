import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { type FixtureName, fixture } from './event-fixtures.ts';
import { normalize, SENT_MS } from './normalized-fixtures.ts';

const DAY = 86_400_000;
const RECEIVED = SENT_MS;

function received(name: FixtureName, timestamp: string, set: Record<string, JsonValue> = {}) {
  return normalize(fixture(name, { timestamp, ...set }), RECEIVED);
}

const at = (ms: number) => new Date(ms).toISOString();

describe('the clock of a sender', () => {
  it.each([
    ['unset, as Go and .NET write it', '0001-01-01T00:00:00Z'],
    ['unset east of Greenwich', '0001-01-01T00:00:00+01:00'],
    ['the least time of Java', '-1000000000-01-01T00:00Z'],
    ['counted from 1900', '1900-01-01T00:03:00Z'],
    ['the epoch', '1970-01-01T00:00:00Z'],
    ['before its first answer of NTP', '1970-01-01T00:00:42.5Z'],
    ['of a board without a battery', '2000-01-01T00:00:13Z'],
    ['of a satellite week that began anew', '2006-08-08T10:30:00Z'],
    ['thirty days and a millisecond slow', at(RECEIVED - 30 * DAY - 1)],
    ['a day and a millisecond fast', at(RECEIVED + DAY + 1)],
    ['of NTP in its second era', '2036-02-07T06:28:16Z'],
    ['at the end of 32 bits', '2038-01-19T03:14:07Z'],
    ['the greatest time of .NET', '9999-12-31T23:59:59.9999999Z'],
  ])('is not believed: %s', (_, timestamp) => {
    const event = received('A', timestamp);
    expect(event.effectiveAtMs).toBe(RECEIVED);
    expect(event.occurredAtMs).not.toBe(RECEIVED);
  });

  it.each([RECEIVED - 30 * DAY, RECEIVED - 1, RECEIVED, RECEIVED + 600_000])('is believed at %d', (ms) => {
    expect(received('A', at(ms))).toMatchObject({ occurredAtMs: ms, effectiveAtMs: ms });
  });

  it('moves the times inside the event with it', () => {
    const probes = {
      version: 1,
      items: [
        { label: 'cart', data: {}, timestamp: '1970-01-01T00:00:57Z' },
        { label: 'cart', data: {}, timestamp: at(RECEIVED - 5000) },
      ],
    };
    const { payload } = received('A', '1970-01-01T00:01:00Z', {
      'payload.logs': [{ message: 'a', ts: 58 }, { message: 'b' }],
      'payload.breadcrumbs': [{ breadcrumb_type: 'click', ts: '1970-01-01T00:00:59Z' }],
      'payload.probe_data': probes,
    });
    expect(payload).toMatchObject({
      trail: {
        logs: [{ timestampMs: RECEIVED - 2000 }, { timestampMs: null }],
        breadcrumbs: [{ timestampMs: RECEIVED - 1000 }],
      },
      probeData: [{ timestampMs: RECEIVED - 3000 }, { timestampMs: RECEIVED - 5000 }],
    });
  });

  it('moves a deploy and a report of repeats with it', () => {
    const deployed = { 'payload.deployed_at': '1970-01-01T00:00:50Z' };
    expect(received('DEPLOY', '1970-01-01T00:01:00Z', deployed).payload).toMatchObject({
      deployedAtMs: RECEIVED - 10_000,
    });
    const span = {
      'payload.first_seen': '1970-01-01T00:00:20Z',
      'payload.last_seen': '1970-01-01T00:00:50Z',
    };
    expect(received('SUP', '1970-01-01T00:01:00Z', span).payload).toMatchObject({
      firstSeenMs: RECEIVED - 40_000,
      lastSeenMs: RECEIVED - 10_000,
    });
  });

  it('leaves a deploy of long ago where it was', () => {
    const deployed = { 'payload.deployed_at': at(RECEIVED - 90 * DAY) };
    for (const timestamp of [at(RECEIVED), '0001-01-01T00:00:00Z']) {
      expect(received('DEPLOY', timestamp, deployed).payload).toMatchObject({
        deployedAtMs: RECEIVED - 90 * DAY,
      });
    }
  });
});
