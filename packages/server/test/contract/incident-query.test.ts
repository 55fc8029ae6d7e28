import { writtenValue } from '@culprit/contract/schemas/written-value';
import { misspelledKey, type QueryTerm, readQuery } from '@culprit/contract/search/incident-query';
import { nearestKey } from '@culprit/contract/search/query-keys';
import { readAmount, readMoment } from '@culprit/contract/search/query-values';
import { describe, expect, test } from 'vitest';

/** A term in one line: `-key=a|b`, `text`, `"phrase"`. */
function shown(term: QueryTerm): string {
  const sign = term.isNegated ? '-' : '';
  if (term.kind === 'text') return `${sign}${term.isPhrase ? `"${term.text}"` : term.text}`;
  const key = term.key === 'tag' ? `tag.${term.tag}` : term.key;
  return `${sign}${key}=${term.values.map(({ text, isQuoted }) => (isQuoted ? `"${text}"` : text)).join('|')}`;
}

const read = (query: string) => readQuery(query).terms.map(shown);
const fault = (query: string) => readQuery(query).fault?.words ?? null;

test.each(['a b "c"', '"', 'a"b', '"a"', 'x*', '>5', 'a, b', 'C:\\a b\\', "it's"])(
  'the value %j that is clicked is the value of its term',
  (value) => {
    const { terms, fault: found } = readQuery(`release:${writtenValue(value)} z`);
    expect([found, terms.length]).toEqual([null, 2]);
    expect(terms[0]).toMatchObject({ key: 'release', values: [{ text: value }] });
  },
);

describe('terms of a query', () => {
  test.each<[query: string, terms: string[]]>([
    ['', []],
    ['   \t\u00a0 ', []],
    ['total cart', ['total', 'cart']],
    ['TypeError: x', ['TypeError:', 'x']],
    ['https://a.example/x?y=1', ['https://a.example/x?y=1']],
    ['http://localhost:3000', ['http://localhost:3000']],
    ['file:///srv/app/a.ts', ['file:///srv/app/a.ts']],
    ['C:\\temp', ['C:\\temp']],
    ['\\\\server\\share\\a.log', ['\\\\server\\share\\a.log']],
    ['service:api', ['service=api']],
    ['service: api', ['service:', 'api']],
    ['service:', ['service:']],
    ['service:,', ['service:,']],
    ['service:api,,web,', ['service=api|web']],
    ['Service:api', ['Service:api']],
    ['-env:staging', ['-env=staging']],
    ['!env:staging', ['-env=staging']],
    ['-', ['-']],
    ['!', ['!']],
    ['- !', ['-', '!']],
    ['--flag', ['--flag']],
    ['!=', ['!=']],
    ['index -1 out', ['index', '-1', 'out']],
    ['a -> b', ['a', '->', 'b']],
    ['-"two words" -word', ['-"two words"', '-word']],
    ['-été -日本', ['-été', '-日本']],
    ['"two words"', ['"two words"']],
    ['"never closed  ', ['"never closed"']],
    ['message:"a, b",c', ['message="a, b"|c']],
    ['message:"never closed', ['message="never closed"']],
    ['"a"b', ['"a"', 'b']],
    ['""', []],
    ['"a ""b"" c" d', ['"a "b" c"', 'd']],
    ['"   "', []],
    ['service:""', ['service:""']],
    ['service:"a"b', ['service="a"', 'b']],
    ['foo"bar baz"', ['foo"bar', 'baz"']],
    ["(reading 'total')", ['(reading', "'total')"]],
    ['tag.tenant:acme', ['tag.tenant=acme']],
    ['tag.tenant:*', ['tag.tenant=*']],
    ['tag.:x', ['tag.:x']],
    ['tag.a b:x', ['tag.a', 'b:x']],
    [`tag.${'k'.repeat(65)}:x`, [`tag.${'k'.repeat(65)}:x`]],
    ['release:first:1.4.2', ['release=first:1.4.2']],
    ['users:>10 count:>=5', ['users=>10', 'count=>=5']],
    ['last_seen:<2d', ['last_seen=<2d']],
    ['🔥 fire🔥', ['🔥', 'fire🔥']],
    ['\u200f\u202bخطأ\u202c', ['خطأ']],
    ['\u200f', []],
    ['全角\u3000空白', ['全角', '空白']],
    ['100% _ \\ %_', ['100%', '_', '\\', '%_']],
    ["'; drop table incidents; --", ["';", 'drop', 'table', 'incidents;', '--']],
    ['constructor:x __proto__:y toString:z', ['constructor:x', '__proto__:y', 'toString:z']],
    ['a:b:c', ['a:b:c']],
    [':x', [':x']],
    ['is:open,regressed -is:spiking', ['is=open|regressed', '-is=spiking']],
  ])('%j', (query, terms) => {
    expect(read(query)).toEqual(terms);
    expect(fault(query)).toBeNull();
  });

  test('put together, the sources of the terms are the query', () => {
    const query = '-env:a,b  "x y" word tag.t:"q r"';
    expect(readQuery(query).terms.map(({ source }) => source)).toEqual([
      '-env:a,b',
      '"x y"',
      'word',
      'tag.t:"q r"',
    ]);
  });
});

test.each<[query: string, words: RegExp]>([
  ['severity:urgent', /severity takes low, medium, high, critical/],
  ['priority:none', /priority takes low, normal, high, urgent/],
  ['severity:>urgent', /severity takes/],
  ['is:foo', /is takes open, resolved, .*spiking/],
  ['is:open,foo', /is takes/],
  ['kind:Pod', /kind takes/],
  ['trust:me', /trust takes/],
  ['count:many', /count takes a number/],
  ['users:-1', /users takes a number/],
  ['users:1.5', /users takes a number/],
  ['first_seen:yesterday', /first_seen takes a time/],
  ['last_seen:2026-02-30', /last_seen takes a time/],
  ['http:teapot', /http takes a status/],
  ['fingerprint:abc', /fingerprint takes 8 to 64/],
  [Array.from({ length: 21 }, (_, n) => `w${n}`).join(' '), /at most 20 terms/],
  [`service:${Array.from({ length: 11 }, (_, n) => `s${n}`).join(',')}`, /service takes at most 10 values/],
  [`tag.a:${Array.from({ length: 11 }, (_, n) => `s${n}`).join(',')}`, /tag\.a takes at most 10 values/],
  ['x'.repeat(501), /at most 500 characters/],
])('refused: %j', (query, words) => {
  expect(fault(query)).toMatch(words);
});

test('500 characters are read, also those of two units', () => {
  expect(fault('🔥'.repeat(500))).toBeNull();
  expect(fault('🔥'.repeat(501))).not.toBeNull();
});

const NOW = Date.parse('2026-03-24T12:00:00Z');
const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString().slice(0, -5));

test.each<[text: string, from: string | null, before: string | null]>([
  ['2h', '2026-03-24T10:00:00', null],
  ['<2d', '2026-03-22T12:00:00', null],
  ['<=90m', '2026-03-24T10:30:00', null],
  ['>1w', null, '2026-03-17T12:00:00'],
  ['2026-03-01', '2026-03-01T00:00:00', '2026-03-02T00:00:00'],
  ['>2026-03-01', '2026-03-02T00:00:00', null],
  ['>=2026-03-01', '2026-03-01T00:00:00', null],
  ['<2026-03-01', null, '2026-03-01T00:00:00'],
  ['<=2026-03-01', null, '2026-03-02T00:00:00'],
  ['2026-03-01T10:30', '2026-03-01T10:30:00', '2026-03-01T10:31:00'],
  ['2026-03-01 10:30', '2026-03-01T10:30:00', '2026-03-01T10:31:00'],
  ['2026-03-01T10:30:05Z', '2026-03-01T10:30:05', '2026-03-01T10:30:06'],
  ['2026-03-01t10:30z', '2026-03-01T10:30:00', '2026-03-01T10:31:00'],
  ['>=2026-03-01T10:30:00.000+02:00', '2026-03-01T08:30:00', null],
  ['>=2026-03-01T10:30+0200', '2026-03-01T08:30:00', null],
])('the time %s', (text, from, before) => {
  const span = readMoment(text, NOW);
  expect([iso(span?.fromMs ?? null), iso(span?.beforeMs ?? null)]).toEqual([from, before]);
});

test.each(['', '2', 'd', '2y', '2026', '2026-13-01', '10:30', '<', '>>2d', '2026-03-01T25:00Z'])(
  'no time: %j',
  (text) => expect(readMoment(text, NOW)).toBeNull(),
);

test('numbers', () => {
  expect(readAmount('>=10')).toEqual({ comparison: '>=', amount: 10 });
  expect(readAmount('10')).toEqual({ comparison: '=', amount: 10 });
  expect(['', '>', '1e3', '１', '-1', '9'.repeat(16)].map(readAmount)).toEqual(Array(6).fill(null));
});

test.each([
  ['servce', 'service'],
  ['serivce', 'service'],
  ['environment', 'env'],
  ['events', 'count'],
  ['Is', 'is'],
  ['first', 'first_seen'],
])('the key nearest to %s is %s', (word, key) => expect(nearestKey(word)).toBe(key));

test('a misspelled key is named, and an ordinary text with a colon is not', () => {
  expect(misspelledKey(readQuery('x servce:api').terms)).toBe(
    'No filter is called "servce". Did you mean "service:"?',
  );
  for (const text of ['https://x', 'TypeError: x', 'C:\\temp', 'Error:x', 'a:b', 'localhost:3000', 'node:fs'])
    expect(misspelledKey(readQuery(text).terms)).toBeNull();
});
