import { MESSAGES_MAX, tellsMore } from '@culprit/evidence/incidents/search-document';
import { describe, expect, it } from 'vitest';

describe('messages tell more than those that are kept', () => {
  const full = Array.from({ length: MESSAGES_MAX }, (_, n) => `order ${1000 + n} was not paid`);

  it.each<[what: string, kept: readonly string[], added: readonly string[], tells: boolean]>([
    ['where none are kept', [], ['order 1 was not paid'], true],
    ['where there is room', full.slice(1), ['order 9 was not paid'], true],
    ['not where they are kept', full.slice(1), full.slice(2), false],
    ['not where there are none', full.slice(1), ['', ''], false],
    ['not where only values differ', full, ['order 9 was not paid', 'order 7777777 was not paid'], false],
    ['where their form is new', full, ['order 9 was not paid', 'the card of order 9 expired'], true],
  ])('%s', (_, kept, added, tells) => {
    expect(tellsMore(kept, added)).toBe(tells);
  });
});
