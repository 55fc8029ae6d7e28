import { describe, expect, it } from 'vitest';
import { createOutgrownJudge } from '../../src/roles/outgrown-memory.ts';

const MB = 1024 * 1024;

describe('a process that was busy', () => {
  it.each<[name: string, checks: [residentMb: number, busyShare: number][], outgrownAt: number | null]>([
    [
      'has outgrown its memory at the third check at rest',
      [
        [300, 0.8],
        [300, 0.01],
        [300, 0],
        [300, 0],
      ],
      3,
    ],
    [
      'is left alone where it never was',
      [
        [300, 0.03],
        [300, 0],
        [300, 0],
        [300, 0],
        [300, 0],
      ],
      null,
    ],
    [
      'is left alone while it works',
      [
        [300, 0.5],
        [300, 0.5],
        [300, 0.5],
        [300, 0.5],
      ],
      null,
    ],
    [
      'begins its rest again after work',
      [
        [300, 0],
        [300, 0],
        [300, 0.2],
        [300, 0],
        [300, 0],
        [300, 0],
      ],
      5,
    ],
    [
      'is left alone with a little more than at its start',
      [
        [190, 0],
        [190, 0],
        [190, 0],
        [190, 0],
      ],
      null,
    ],
    [
      'that has given its memory back is left alone',
      [
        [300, 0.9],
        [300, 0],
        [150, 0],
        [150, 0],
      ],
      null,
    ],
  ])('%s', (_, checks, outgrownAt) => {
    const isOutgrown = createOutgrownJudge({ residentAtStartBytes: 100 * MB, growthMaxBytes: 96 * MB });
    const verdicts = checks.map(([residentMb, busyShare]) =>
      isOutgrown({ residentBytes: residentMb * MB, busyShare }),
    );
    expect(verdicts.indexOf(true)).toBe(outgrownAt ?? -1);
  });
});
