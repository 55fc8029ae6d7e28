import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SampleRole } from '../../src/events/normalize/sample-role.ts';
import { chooseSampleRoles, type SampleFacts } from '../../src/incidents/sample-roles.ts';

type Kept = { sample: SampleFacts; roles: SampleRole[] }[];

function occurrence(eventId: string, effectiveAtMs: number, fields: Partial<SampleFacts> = {}): SampleFacts {
  return { eventId, effectiveAtMs, severity: 'high', richness: 0, ...fields };
}

function rolesById(kept: Kept): Record<string, SampleRole[]> {
  return Object.fromEntries(kept.map(({ sample, roles }) => [sample.eventId, roles]));
}

function keep(arrivals: SampleFacts[], deployedAtMs: number[] = []): Kept {
  return chooseSampleRoles(
    [],
    arrivals,
    deployedAtMs.map((time) => ({ deployedAtMs: time })),
  );
}

describe('roles of occurrences', () => {
  //
  it('of three occurrences without a deploy the first and the third are kept', () => {
    const kept = keep([occurrence('1', 10), occurrence('2', 20), occurrence('3', 30)]);
    expect(rolesById(kept)).toEqual({ '1': ['first'], '3': ['latest', 'highest_severity', 'richest'] });
  });

  //
  it('after a deploy and two more, the first, the fourth and the fifth are kept', () => {
    const before = keep([occurrence('1', 10), occurrence('2', 20), occurrence('3', 30)]);
    const kept = chooseSampleRoles(
      before,
      [occurrence('4', 50), occurrence('5', 60)],
      [{ deployedAtMs: 40 }],
    );
    expect(rolesById(kept)).toEqual({
      '1': ['first'],
      '4': ['after_deploy'],
      '5': ['latest', 'highest_severity', 'richest'],
    });
  });

  it('an occurrence at the moment of the deploy is the first after it', () => {
    expect(rolesById(keep([occurrence('a', 39), occurrence('b', 40), occurrence('c', 41)], [40])).b).toEqual([
      'after_deploy',
    ]);
  });

  it('of many deploys the newest three that were followed by an occurrence count', () => {
    const arrivals = [5, 15, 25, 35, 45].map((time) => occurrence(`t${time}`, time));
    const roles = rolesById(keep(arrivals, [10, 20, 30, 40, 50, 60]));
    expect(Object.keys(roles)).toEqual(['t5', 't25', 't35', 't45']);
    expect(roles.t45).toEqual(['latest', 'after_deploy', 'highest_severity', 'richest']);
  });

  it('one occurrence has every role, after two deploys each of them once', () => {
    expect(keep([occurrence('a', 40)], [10, 20])).toEqual([
      {
        sample: occurrence('a', 40),
        roles: ['first', 'latest', 'after_deploy', 'highest_severity', 'richest'],
      },
    ]);
  });

  it('severity and richness beat age, and between equals the latest wins', () => {
    const arrivals = [
      occurrence('severe', 10, { severity: 'critical' }),
      occurrence('severe later', 20, { severity: 'critical' }),
      occurrence('rich', 30, { richness: 5 }),
      occurrence('rich later', 40, { richness: 5 }),
      occurrence('latest', 50, { severity: 'low', richness: 4 }),
    ];
    expect(rolesById(keep(arrivals))).toEqual({
      severe: ['first'],
      'severe later': ['highest_severity'],
      'rich later': ['richest'],
      latest: ['latest'],
    });
  });

  it('between occurrences of one moment the event id decides', () => {
    expect(rolesById(keep([occurrence('b', 10), occurrence('a', 10), occurrence('c', 10)]))).toEqual({
      a: ['first'],
      c: ['latest', 'highest_severity', 'richest'],
    });
  });

  it('a repeated event id changes nothing', () => {
    const before = keep([occurrence('a', 10), occurrence('b', 20)]);
    expect(chooseSampleRoles(before, [occurrence('a', 999, { severity: 'critical' })], [])).toEqual(before);
  });

  it('nothing is kept of nothing', () => {
    expect(chooseSampleRoles([], [], [{ deployedAtMs: 1 }])).toEqual([]);
  });
});

describe('any order of arrival', () => {
  const occurrences = fc.uniqueArray(
    fc.record({
      eventId: fc.string({ minLength: 1, maxLength: 3 }),
      effectiveAtMs: fc.integer({ min: 0, max: 40 }),
      severity: fc.constantFrom('low', 'medium', 'high', 'critical'),
      richness: fc.integer({ min: 0, max: 7 }),
    }),
    { selector: (item) => item.eventId, minLength: 1, maxLength: 30 },
  );
  const deployments = fc.array(fc.record({ deployedAtMs: fc.integer({ min: 0, max: 45 }) }), {
    maxLength: 8,
  });

  it('in any batches leads to the same samples with the same roles, at most seven', () => {
    const story = occurrences.chain((all) =>
      fc.record({
        all: fc.constant(all),
        shuffled: fc.shuffledSubarray(all, { minLength: all.length }),
        batchSizes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }),
        deployments,
      }),
    );
    fc.assert(
      fc.property(story, ({ all, shuffled, batchSizes, deployments: known }) => {
        const atOnce = chooseSampleRoles([], all, known);
        let kept: Kept = [];
        let batch = 0;
        for (let start = 0; start < shuffled.length; batch++) {
          const size = batchSizes[batch % batchSizes.length] ?? 1;
          kept = chooseSampleRoles(kept, shuffled.slice(start, start + size), known.toReversed());
          start += size;
        }
        expect(kept).toEqual(atOnce);
        expect(kept.length).toBeLessThanOrEqual(7);
        for (const role of ['first', 'latest', 'highest_severity', 'richest'] as const) {
          expect(kept.filter(({ roles }) => roles.includes(role))).toHaveLength(1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
