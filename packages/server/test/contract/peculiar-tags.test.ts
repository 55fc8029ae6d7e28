import type { IncidentTag } from '@culprit/contract/incidents/incident-tags';
import { peculiarTags } from '@culprit/contract/incidents/peculiar-tags';
import { expect, it } from 'vitest';

/** A tag with one value that `share` of 100 signals have, and `elsewhere` of those of other incidents. */
function tag(key: string, share: number, elsewhere: number | null, count = 100 * share): IncidentTag {
  const top = [{ value: 'true', count, share, elsewhere, lift: null }];
  return { key, counted: 100, distinct: 1, is_sampled: false, top };
}

/** docs/contract/dashboard.md: a fact that only this incident has is named, and no other. */
it('names what nearly all signals of an incident have and few others, the rarest elsewhere first', () => {
  const planted = tag('new_pricing', 1, 0.12);
  const others = [
    tag('environment', 1, 0.9),
    tag('region', 0.41, 0.05),
    tag('browser', 0.8, 0.41),
    tag('few', 1, 0, 19),
    tag('unknown', 1, null),
    tag('level', 1, 0),
  ];
  expect(peculiarTags([...others, planted]).map(({ key }) => key)).toEqual(['new_pricing']);
  const more = [tag('a', 0.8, 0.4), tag('b', 0.9, 0.01), tag('c', 1, 0.3)];
  expect(peculiarTags([...more, planted]).map(({ key }) => key)).toEqual(['b', 'new_pricing', 'c']);
});
