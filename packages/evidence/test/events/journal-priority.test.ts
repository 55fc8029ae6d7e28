import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/events/envelope/json.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { readEventFacts } from '../../src/events/normalize/read-event-facts.ts';

const RECORD = { MESSAGE: 'worker failed to start', _PID: '812', _SYSTEMD_UNIT: 'shop.service' };

test.each([
  ['3', 'error', 3],
  [4, 'warning', 2],
  ['0', 'critical', 4],
  ['6', 'info', 1],
  ['7', 'debug', 0],
  ['9', 'info', 1],
  ['high', 'info', 1],
] as const)('A line with the priority %o of the journal and no level is %s.', (priority, level, rank) => {
  const inAttributes = { message: RECORD.MESSAGE, attributes: { ...RECORD, PRIORITY: priority } };
  const inMessage = { message: JSON.stringify({ PRIORITY: priority, ...RECORD }) };
  for (const payload of [inAttributes, inMessage]) {
    expect(levelOf(payload)).toBe(level);
    expect(readEventFacts(rawEvent(payload)).logRank).toBe(rank);
  }
});

test('The level of the line itself comes first.', () => {
  expect(levelOf({ level: 'info', message: 'up', attributes: { PRIORITY: '3' } })).toBe('info');
});

function levelOf(payload: JsonObject): string | null {
  const context = { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24, 10, 30) };
  const { payload: read } = normalizeEvent(rawEvent(payload), context);
  return read.kind === 'log' ? read.level : null;
}

function rawEvent(payload: JsonObject): JsonObject {
  return {
    event_type: 'log_event',
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'shop', environment: 'production' },
    sdk: { name: 'custom', version: '1' },
    payload,
  };
}
