import { describe, expect, it } from 'vitest';
import { compareGroups, type RegroupedEvent } from '../../src/pipeline/incidents/grouping/compare-groups.ts';
import {
  type Group,
  type GroupKey,
  type Regrouped,
  regroup,
} from '../../src/pipeline/incidents/grouping/regroup.ts';

/** docs/contract/grouping.md 3 and 6: what is left of a group when one of its merges is undone. */

const NOTHING = { slots: new Set<string>(), incidentIds: new Set<string>() };

/** Incidents with keys of their own names, the first one being the oldest and the incident of the group. */
function groupOf(names: string, more: Partial<Group>): Group {
  const incidents = [...names].map((name, index) => ({
    incidentId: name,
    key: `v2 ${name}`,
    firstSeenAtMs: index,
  }));
  return { rootId: names.charAt(0), incidents, keys: [], slots: [], ...more };
}

const merged = (name: string, into: string): GroupKey => ({
  key: `v2 ${name}`,
  origin: 'merge',
  slot: null,
  fromIncidentId: name,
  mergedInto: into,
  regroupingId: null,
});
const bySlot = (name: string, slot: string): GroupKey => ({ ...merged(name, 'a'), origin: 'slot', slot });
const joined = (key: string, slot: string): GroupKey => ({
  key: `v2 ${key}`,
  origin: 'slot',
  slot,
  fromIncidentId: null,
  mergedInto: null,
  regroupingId: null,
});

const led = (key: string, origin: 'mapped' | 'unmapped', from: string | null): GroupKey => ({
  ...joined(key, ''),
  ...{ origin, slot: null, fromIncidentId: from },
});

function shown(parts: readonly Regrouped[]): string[] {
  return parts
    .map(({ rootId, incidentIds, slots }) => `${rootId}:${[...incidentIds].sort().join('')}:${slots.join()}`)
    .sort();
}

describe('what is left of a group', () => {
  it('is all of it when nothing is undone', () => {
    const group = groupOf('abcd', {
      keys: [merged('b', 'a'), bySlot('c', 's'), bySlot('d', 's'), joined('x', 's')],
      slots: [{ slot: 's', keys: ['v2 a', 'v2 c', 'v2 d'] }],
    });
    expect(shown(regroup(group, NOTHING))).toEqual(['a:abcd:s']);
  });

  it('is one incident for each member of a slot that is closed, and no key without an incident', () => {
    const group = groupOf('abc', {
      keys: [bySlot('b', 's'), bySlot('c', 's'), joined('x', 's')],
      slots: [{ slot: 's', keys: ['v2 a', 'v2 b', 'v2 c'] }],
    });
    const parts = regroup(group, { ...NOTHING, slots: new Set(['s']) });
    expect(shown(parts)).toEqual(['a:a:', 'b:b:', 'c:c:', 'null::']);
    expect(parts.find(({ rootId }) => rootId === null)?.keys).toEqual([joined('x', 's')]);
  });

  it('keeps what a person merged, and what another slot ties', () => {
    const group = groupOf('abcdef', {
      keys: [merged('b', 'a'), bySlot('c', 's'), bySlot('d', 't'), bySlot('e', 't'), merged('f', 'c')],
      slots: [
        { slot: 's', keys: ['v2 a', 'v2 c', 'v2 d'] },
        { slot: 't', keys: ['v2 d', 'v2 e'] },
      ],
    });
    expect(shown(regroup(group, { ...NOTHING, slots: new Set(['s']) }))).toEqual([
      'a:ab:',
      'c:cf:',
      'd:de:t',
    ]);
  });

  it('goes to the oldest of those that leave, and stays with the incident of the group where that is one of them', () => {
    const group = groupOf('abc', { keys: [merged('b', 'a'), merged('c', 'b')] });
    expect(shown(regroup(group, { ...NOTHING, incidentIds: new Set(['b']) }))).toEqual(['a:a:', 'b:bc:']);
    expect(shown(regroup(group, { ...NOTHING, incidentIds: new Set(['c']) }))).toEqual(['a:ab:', 'c:c:']);
  });

  it('has the keys of source maps where each of them led', () => {
    const keys = [
      merged('b', 'a'),
      led('m', 'mapped', null),
      led('n', 'mapped', 'b'),
      led('r', 'unmapped', 'b'),
    ];
    const parts = regroup(groupOf('ab', { keys }), { ...NOTHING, incidentIds: new Set(['b']) });
    expect(parts.map(({ rootId, keys: own }) => [rootId, own.map(({ key }) => key).join()])).toEqual([
      ['a', 'v2 m'],
      ['b', 'v2 b,v2 n,v2 r'],
    ]);
  });
});

describe('groups by other keys', () => {
  const event = (incidentId: string, key: string, proposedKey: string): RegroupedEvent => ({
    incidentId,
    service: 'shop',
    key,
    proposedKey,
    line: `${incidentId} says ${key}`,
  });

  it('are merges where incidents share one, and splits where one key becomes several', () => {
    const events = [event('a', '1', 'x'), event('b', '2', 'x'), event('b', '2', 'x'), event('c', '3', 'y')];
    const { merges, splits } = compareGroups([...events, event('c', '3', 'z')], 3);
    expect(merges).toMatchObject([
      {
        events: 3,
        incidents: [
          { incidentId: 'b', events: 2 },
          { incidentId: 'a', events: 1 },
        ],
      },
    ]);
    expect(splits).toMatchObject([{ incidentId: 'c', events: 2, groups: 2 }]);
  });

  it('are no change of an incident that several keys lead to today, while each of them stays whole', () => {
    expect(compareGroups([event('a', '1', 'x'), event('a', '2', 'y')], 3)).toEqual({
      merges: [],
      splits: [],
    });
  });

  it('never join services', () => {
    const other = { ...event('b', '2', 'x'), service: 'mail' };
    expect(compareGroups([event('a', '1', 'x'), other], 3)).toEqual({ merges: [], splits: [] });
  });
});
