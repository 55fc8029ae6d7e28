import { describe, expect, it } from 'vitest';
import { stripUrl, stripUrlSecrets } from '../../src/events/redact/strip-url-secrets.ts';
import { charactersRead } from '../support/characters-read.ts';

describe('URLs as bundles show them', () => {
  it.each([
    ['at f (https://cdn.example/x.js?v=1:10:5)', 'at f (https://cdn.example/x.js:10:5)'],
    ['at f (https://cdn.example/x.js:10:5)', 'at f (https://cdn.example/x.js:10:5)'],
    ['f@https://u:p@cdn.example/x.js?token=1#top:7', 'f@https://cdn.example/x.js:7'],
    ['GET https://host/a?b=c, then http://other#d', 'GET https://host/a then http://other'],
    ['"https://host/a?b=c" and <http://x/y#z>', '"https://host/a" and <http://x/y>'],
    ['webpack-internal:///./src/a.js?4af1:3:1', 'webpack-internal:///./src/a.js:3:1'],
    ['https://host/@scope/pkg.js', 'https://host/@scope/pkg.js'],
    ['nothing?here #to see', 'nothing?here #to see'],
    ['://host?x', '://host?x'],
  ])('%s', (text, expected) => {
    expect(stripUrlSecrets(text)).toBe(expected);
  });

  it.each([
    ['https://u:p@host/a?b#c', 'https://host/a'],
    ['/cart?step=2', '/cart'],
    ['#top', ''],
    ['/plain', '/plain'],
    ['', ''],
  ])('a URL alone: %s', (url, expected) => {
    expect(stripUrl(url)).toBe(expected);
  });

  it.each([
    'a://'.repeat(65_000),
    `a://${'?'.repeat(260_000)}`,
    `a://${'@'.repeat(260_000)}`,
    ':1'.repeat(130_000),
  ])('reads in proportion to the text', (text) => {
    const characters = charactersRead(() => {
      stripUrlSecrets(text);
      stripUrl(text);
    });
    expect(characters).toBeLessThan(20 * text.length);
  });
});
