import { slotsOf } from '@culprit/evidence/events/fingerprint/slots/slots';
import { normalizeEvent } from '@culprit/evidence/events/normalize/normalize-event';
import { describe, expect, it } from 'vitest';

/** docs/contract/grouping.md 3: which words of a message may be values. */

function slots(message: string, isBrowser = false) {
  const event = normalizeEvent(
    {
      event_type: 'log_event',
      timestamp: '2026-03-24T10:30:00.000Z',
      service: { name: 'shop', environment: 'production' },
      sdk: { name: 'custom', version: '1' },
      payload: { level: 'error', message, attributes: {} },
    },
    { eventId: 'evt_1', receivedAtMs: 0 },
  );
  return slotsOf(event, [], isBrowser);
}
const words = (message: string) => slots(message).flatMap(({ word }) => word ?? []);

describe('words that may be values', () => {
  it.each([
    ["User 'alice' could not sign in", ['alice']],
    ['Invalid user webmaster from 10.0.0.1', ['webmaster']],
    ['No route to the host of büro-nord today', ['host', 'büro-nord', 'today']],
  ])('of %s are %j', (message, expected) => {
    expect(words(message)).toEqual(expected);
  });

  it.each([
    'Connection refused',
    'The server closed the connection unexpectedly',
    'Cannot read the module lodash anywhere',
    'function pay called without any argument',
    'request got ECONNRESET from there',
    'no myVariable in there for it',
    'tax',
  ])('are not in: %s', (message) => {
    expect(
      words(message).filter((word) => /refused|closed|lodash|pay|ECONNRESET|myVariable|tax/.test(word)),
    ).toEqual([]);
  });

  it('give one slot for every word and for a value in the same place', () => {
    const idOf = (message: string) => slots(message).map(({ id }) => id);
    expect(idOf('The wallet of bob has no owner')).toEqual(
      expect.arrayContaining([idOf('The wallet of eve has no owner')[1]]),
    );
    expect(idOf('The wallet of user42 has no owner')).toContain(idOf('The wallet of eve has no owner')[1]);
  });

  it('are never those of browsers and servers alike', () => {
    const message = 'The wallet of bob has no owner';
    const ofServers = slots(message).map(({ id }) => id);
    expect(slots(message, true).filter(({ id }) => ofServers.includes(id))).toEqual([]);
  });

  it('are bounded in number and time, whatever the message', () => {
    for (const unit of ['word ', "'a' ", 'abc def ', 'ä-ö ', '. ', '"', '<*> ', '[…] ']) {
      expect(slots(unit.repeat(16_000 / unit.length)).length).toBeLessThanOrEqual(13);
    }
  });
});
