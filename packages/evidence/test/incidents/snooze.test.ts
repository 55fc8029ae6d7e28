import { escalationCount, replaySnooze, type WakeMarks, wakeCause } from '@culprit/evidence/incidents/snooze';
import { describe, expect, it } from 'vitest';

const NOW_MS = Date.parse('2026-03-24T10:30:00Z');
const MINUTE = Math.floor(NOW_MS / 60_000);
const HOUR_MS = 3_600_000;
const ASLEEP: WakeMarks = {
  untilMs: NOW_MS + HOUR_MS,
  countAtStart: 10,
  atCount: null,
  atUsers: null,
  afterDeployMs: null,
  atHourly: null,
};
const QUIET = {
  occurrenceCount: 11,
  affectedUsers: 3,
  minuteCounts: new Map<number, number>(),
  nowMs: NOW_MS,
  isSeverityRaised: false,
  isSpikeDetected: false,
  latestDeployMs: null,
};

describe('what wakes a snoozed incident', () => {
  it.each([
    [{}, {}, null],
    [{ atCount: 11 }, {}, 'occurrences'],
    [{ atCount: 12 }, {}, null],
    [{ atUsers: 3 }, {}, 'users'],
    [{ atUsers: 4 }, {}, null],
    [{ afterDeployMs: NOW_MS - 1 }, { latestDeployMs: NOW_MS }, 'release'],
    [{ afterDeployMs: NOW_MS }, { latestDeployMs: NOW_MS }, null],
    [{ atHourly: 20 }, { minuteCounts: new Map([[MINUTE, 19]]) }, null],
    [
      { atHourly: 20 },
      {
        minuteCounts: new Map([
          [MINUTE, 19],
          [MINUTE - 59, 1],
        ]),
      },
      'escalation',
    ],
    [
      { atHourly: 20 },
      {
        minuteCounts: new Map([
          [MINUTE, 19],
          [MINUTE - 60, 1],
        ]),
      },
      null,
    ],
    [{ atHourly: 20 }, { isSpikeDetected: true }, 'escalation'],
    [{ atHourly: 20 }, { isSeverityRaised: true }, 'escalation'],
    [{}, { isSpikeDetected: true, isSeverityRaised: true }, null],
    [{ atCount: 11, atUsers: 3, atHourly: 20 }, { isSpikeDetected: true }, 'occurrences'],
  ])('%o with %o: %s', (marks, facts, cause) => {
    expect(wakeCause({ ...ASLEEP, ...marks }, { ...QUIET, ...facts })).toBe(cause);
  });

  it('an escalation is ten times the hourly mean of seven days, and twenty at least', () => {
    expect(escalationCount(0)).toBe(20);
    expect(escalationCount(2 * 168)).toBe(20);
    expect(escalationCount(3 * 168)).toBe(30);
  });
});

describe('a snooze that is played over the past', () => {
  const FROM = 1000;
  const span = { fromMs: FROM * HOUR_MS, toMs: (FROM + 9) * HOUR_MS };
  const play = (counts: [number, number][], snooze: Partial<Parameters<typeof replaySnooze>[2]> = {}) =>
    replaySnooze(new Map(counts.map(([hour, count]) => [FROM + hour, count])), span, {
      durationMs: 100 * HOUR_MS,
      forOccurrences: null,
      wakesOnEscalation: false,
      ...snooze,
    });
  const at = (hour: number) => (FROM + hour) * HOUR_MS;

  it('hides what occurs until a condition holds, and begins again', () => {
    expect(
      play([
        [0, 5],
        [3, 7],
        [20, 1],
      ]),
    ).toEqual({ hidden: 12, wakes: [] });
    expect(
      play(
        [
          [0, 2],
          [1, 3],
          [2, 1],
        ],
        { forOccurrences: 4 },
      ),
    ).toEqual({
      hidden: 4,
      wakes: [{ atMs: at(1), because: 'occurrences' }],
    });
    expect(
      play(
        [
          [0, 1],
          [5, 1],
        ],
        { durationMs: 4 * HOUR_MS },
      ),
    ).toEqual({
      hidden: 2,
      wakes: [
        { atMs: at(4), because: 'time' },
        { atMs: at(8), because: 'time' },
      ],
    });
  });

  it('wakes with twenty occurrences in an hour where little occurred before', () => {
    expect(
      play(
        [
          [2, 19],
          [4, 20],
        ],
        { wakesOnEscalation: true },
      ),
    ).toEqual({
      hidden: 38,
      wakes: [{ atMs: at(4), because: 'escalation' }],
    });
    const busy: [number, number][] = Array.from({ length: 168 }, (_, n) => [n - 168, 3]);
    expect(play([...busy, [4, 29]], { wakesOnEscalation: true }).wakes).toEqual([]);
  });
});
