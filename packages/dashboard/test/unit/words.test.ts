import { describe, expect, it } from 'vitest';
import { listQueryOf } from '../../src/api/incident-list.ts';
import { readListSearch } from '../../src/api/list-search.ts';
import { visibleLine, visibleText } from '../../src/format/event-text.ts';
import { titleParts } from '../../src/format/incident-words.ts';
import { bytes, count, duration, percent, plural } from '../../src/format/numbers.ts';
import { absoluteTime, ago, relativeTime } from '../../src/format/times.ts';
import { isOwnPath, pathTo, returnTarget } from '../../src/paths.ts';

/** docs/contract/dashboard.md 3.6, 4.6 and 7. */
describe('numbers', () => {
  it.each([
    [0, '0'],
    [9999, '9,999'],
    [12_345, '12.3k'],
    [1_200_000, '1.2M'],
    [null, '–'],
    [undefined, '–'],
  ])('the count %s is %s', (value, words) => {
    expect(count(value)).toBe(words);
  });

  it.each([
    [842, '842 ms'],
    [1240, '1.24 s'],
    [125_000, '2 min 5 s'],
    [3 * 3_600_000, '3 h'],
    [12 * 86_400_000, '12 d'],
    [null, '–'],
  ])('a duration of %s ms is %s', (value, words) => {
    expect(duration(value)).toBe(words);
  });

  it('say bytes, shares and plurals as people do', () => {
    expect([bytes(900), bytes(1434), bytes(null)]).toEqual(['900 B', '1.4 KiB', '–']);
    expect([percent(0.37), percent(0.004), percent(0), percent(null)]).toEqual(['37 %', '0.4 %', '0 %', '–']);
    expect([plural(1, 'incident'), plural(3, 'incident'), plural(2, 'entry', 'entries')]).toEqual([
      '1 incident',
      '3 incidents',
      '2 entries',
    ]);
  });
});

describe('the title of an incident', () => {
  it.each([
    ['TypeError: x is not a function', 'TypeError', 'x is not a function'],
    ['java.lang.IllegalStateException: closed', 'java.lang.IllegalStateException', 'closed'],
    ['ActiveRecord::RecordNotFound: no order', 'ActiveRecord::RecordNotFound', 'no order'],
    ['App\\Exceptions\\GiftCardError: 残高: 0', 'App\\Exceptions\\GiftCardError', '残高: 0'],
    ['context.deadlineExceeded: search: took long', 'context.deadlineExceeded', 'search: took long'],
    ['Fehler: Zeile 1\nZeile 2', 'Fehler', 'Zeile 1\nZeile 2'],
    ['GET /api/orders returned 503', '', 'GET /api/orders returned 503'],
    ['Opaque browser error: Script error.', '', 'Opaque browser error: Script error.'],
    [`${'x'.repeat(121)}: long`, '', `${'x'.repeat(121)}: long`],
    [': empty', '', ': empty'],
  ])('%s is the name "%s" and the message "%s"', (title, name, rest) => {
    expect(titleParts(title)).toEqual({ name, rest });
  });
});

describe('times', () => {
  const now = Date.parse('2026-03-24T10:30:00Z');
  it.each([
    ['2026-03-24T10:29:55Z', 'now'],
    ['2026-03-24T10:29:18Z', '42 s'],
    ['2026-03-24T10:22:00Z', '8 min'],
    ['2026-03-24T07:30:00Z', '3 h'],
    ['2026-03-19T10:30:00Z', '5 d'],
    ['2026-03-24T10:40:00Z', 'in 10 min'],
  ])('%s is %s', (iso, words) => {
    expect(relativeTime(iso, now)).toBe(words);
  });

  it('are dates from thirty days on, and say their zone where they are absolute', () => {
    expect(ago('2026-01-02T00:00:00Z', now)).toContain('2026');
    expect(ago('2026-03-24T10:22:00Z', now)).toBe('8 min ago');
    expect(absoluteTime('2026-03-24T10:30:00.123Z', { withMs: true, zone: 'UTC' })).toMatch(
      /30:00.123.* (?:UTC|GMT)/,
    );
  });
});

describe('text of failing applications', () => {
  it('shows what cannot be seen as marks, and keeps line breaks only where they belong', () => {
    expect(visibleLine('a\u202Eb\u200Bc\u0000\nd')).toBe('a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩⟨U+000A⟩d');
    expect(visibleText('a\r\n\tb\u001b[31m')).toBe('a\n\tb⟨U+001B⟩[31m');
    expect(visibleLine('\ud800x')).toBe('⟨U+D800⟩x');
  });

  it('is cut, and says how long it was', () => {
    const text = visibleText('x'.repeat(1_000_000));
    expect(text.length).toBeLessThan(21_000);
    expect(text).toContain('(1000000 characters)');
  });
});

describe('addresses', () => {
  it('carry ids as data', () => {
    expect(pathTo('incident', { id: 'inc_1/../x?y' })).toBe('/incidents/inc_1%2F..%2Fx%3Fy');
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/a\nb', ''])(
    'never lead to another site: %s',
    (text) => {
      expect(isOwnPath(text)).toBe(false);
      expect(returnTarget(text)).toBe('/');
    },
  );

  it('lead back to a page of ours', () => {
    expect(returnTarget('/incidents/inc_1#stack')).toBe('/incidents/inc_1#stack');
  });

  it('of a list keep what is understood, leave defaults out, and turn spans into times at full minutes', () => {
    const search = readListSearch({
      status: 'active',
      severity: 'dreadful',
      service: 'shop',
      first_seen: '24h',
      sort: 'severity',
      unknown: 'x',
    });
    expect(search).toEqual({ service: 'shop', first_seen: '24h', sort: 'severity' });
    expect(listQueryOf(search, 'proj_1', Date.parse('2026-03-24T10:30:42Z'))).toEqual({
      project_id: 'proj_1',
      status: 'active',
      service: 'shop',
      sort: 'severity',
      first_seen_after: '2026-03-23T10:30:00.000Z',
    });
    expect(listQueryOf({ status: 'all' }, null, 0)).toEqual({});
  });
});
