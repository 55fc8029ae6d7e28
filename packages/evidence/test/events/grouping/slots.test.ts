import { endsBefore, isOfOtherFile } from '@culprit/evidence/events/fingerprint/slots/release-ends';
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
  return slotsOf(event, [], { isBrowser, release: null, mappedJson: null });
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

/** The slot of a page's error in a file, as a release sends it. */
function endsOf(address: string, release: string | null, call = 'payTotal') {
  const event = normalizeEvent(
    {
      event_type: 'frontend_exception',
      timestamp: '2026-03-24T10:30:00.000Z',
      service: { name: 'shop', environment: 'production' },
      sdk: { name: 'custom', version: '1' },
      payload: {
        error_class: 'TypeError',
        message: 'cart is undefined',
        stacktrace: `TypeError: cart is undefined\n    at ${call} (https://shop.example${address}:1:204)`,
      },
    },
    { eventId: 'evt_1', receivedAtMs: 0 },
  );
  return slotsOf(event, [], { isBrowser: true, release, mappedJson: null }).filter(
    ({ kind }) => kind === 'ends',
  );
}

describe('ends of names that may be hashes', () => {
  it.each([
    ['/assets/cart-carabine.js', '/assets/cart-mortised.js', 'cart-[…].js#payTotal'],
    ['/_nuxt/carabine.js', '/_nuxt/mortised.js', '[…].js#payTotal'],
    ['/js/cart2.js', '/js/cart14.js', 'cart[…].js#payTotal'],
    ['/js/cart.qwertz.js', '/js/cart.yxcvbn.js', 'cart.[…].js#payTotal'],
  ])('of %s and %s share a slot', (one, other, pattern) => {
    const [first] = endsOf(one, '1.4.2');
    expect(first?.pattern).toBe(pattern);
    expect(endsOf(other, '1.4.3')).toMatchObject([{ id: first?.id }]);
    expect(endsOf(other, null)).toEqual([]);
  });

  it.each([
    ['another length', '/assets/cart-carabine.js', '/assets/cart-mortise.js'],
    ['another stem', '/assets/cart-carabine.js', '/assets/mail-mortised.js'],
  ])('of %s share none', (_what, one, other) => {
    expect(endsOf(other, '2')).not.toMatchObject([{ id: endsOf(one, '1')[0]?.id }]);
  });

  it('are none where a minifier left nothing else, or a word is the name of a file', () => {
    expect(endsOf('/assets/cart-carabine.js', '1', 'aB')).toEqual([]);
    expect(endsOf('/pages/checkout.js', '1')).toEqual([]);
    expect(endsOf('/pages/cart.js', '1')).toEqual([]);
  });

  it('are hashes when three releases have one each, or two have one that is no word', () => {
    const seen = (...words: string[]) => words.map((word) => ({ word, releases: [] }));
    expect(endsBefore(seen('carabine (1)', 'mortised (2)'))).toBe(null);
    expect(endsBefore(seen('carabine (1)', 'mortised (2)', 'sandwich (3)'))).toBe(2);
    expect(endsBefore(seen('cxrabine (1)', 'mqrtised (2)'))).toBe(1);
  });

  it('are none where a release has two of them', () => {
    const seen = ['carabine (1)', 'mortised (2)', 'sandwich (3)', 'flagrant (3)'];
    expect(endsBefore(seen.map((word) => ({ word, releases: [] })))).toBe(null);
    const later = [
      { word: 'carabine (1)', releases: ['1', '2'] },
      ...seen.slice(1, 3).map((word) => ({ word, releases: [] })),
    ];
    expect(endsBefore(later)).toBe(null);
    expect(isOfOtherFile('flagrant (3)', seen.slice(0, 3))).toBe(true);
    expect(isOfOtherFile('flagrant (4)', seen.slice(0, 3))).toBe(false);
  });
});
