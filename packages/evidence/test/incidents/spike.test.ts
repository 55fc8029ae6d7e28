import { describe, expect, it } from 'vitest';
import { detectSpike, minuteIndex, type SpikeEpisode } from '../../src/incidents/spike.ts';

const MINUTE_MS = 60_000;
const NOW_MS = Date.UTC(2026, 2, 24, 10, 30, 17, 345);

/** Counts by minutes before now: `[from, to, count]`, spread over both ends. */
function counts(
  ...spans: [fromMinutesAgo: number, toMinutesAgo: number, count: number][]
): Map<number, number> {
  const minutes = new Map<number, number>();
  for (const [from, to, count] of spans) {
    for (let i = 0; i < count; i++) {
      const ago = count === 1 ? from : from - ((from - to) * i) / (count - 1);
      const minute = minuteIndex(NOW_MS - ago * MINUTE_MS);
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
    }
  }
  return minutes;
}

function evaluate(
  minuteCounts: ReadonlyMap<number, number>,
  fields: {
    firstSeenMinutesAgo?: number;
    atMs?: number;
    receivedAtMs?: number;
    episode?: SpikeEpisode | null;
  } = {},
) {
  const atMs = fields.atMs ?? NOW_MS;
  return detectSpike({
    firstSeenAtMs: NOW_MS - (fields.firstSeenMinutesAgo ?? 64) * MINUTE_MS,
    atMs,
    receivedAtMs: fields.receivedAtMs ?? atMs,
    minuteCounts,
    episode: fields.episode ?? null,
  });
}

describe('ratio rule', () => {
  it.each([
    ['10 per 5 minutes for an hour, then 35', counts([64, 5, 120], [0, 0, 35]), true],
    ['4 per 5 minutes for an hour, then 12', counts([64, 5, 48], [0, 0, 12]), true],
    ['0.5 per 5 minutes for an hour, then 9', counts([64, 5, 6], [0, 0, 9]), false],
    ['0.5 per 5 minutes for an hour, then 10', counts([64, 5, 6], [0, 0, 10]), true],
    ['A-33: 120 over the last hour, then 35', counts([64, 10, 120], [0, 0, 35]), true],
    ['A-34: 120 over the last hour, then 29', counts([64, 10, 120], [0, 0, 29]), false],
    ['the exact ratio of 3', counts([64, 10, 120], [0, 0, 30]), true],
    ['10 after silence', counts([64, 64, 1], [0, 0, 10]), true],
    ['30 spread over the last five minutes', counts([64, 10, 120], [4, 0, 30]), true],
    ['30 of which one is too old', counts([64, 10, 120], [0, 0, 29], [5, 5, 1]), false],
    ['what is older than 65 minutes does not count', counts([100, 66, 999], [0, 0, 10]), true],
  ])('%s', (_what, minuteCounts, detected) => {
    expect(evaluate(minuteCounts).detected).toBe(detected);
  });

  it('holds from 30 minutes after the first occurrence', () => {
    const minuteCounts = counts([0, 0, 50]);
    expect(evaluate(minuteCounts, { firstSeenMinutesAgo: 30 }).detected).toBe(true);
    expect(evaluate(minuteCounts, { firstSeenMinutesAgo: 29.99 }).detected).toBe(false);
  });
});

describe('burst rule', () => {
  it.each([
    ['A-35: 99 in a minute of a new incident', counts([0, 0, 99]), false],
    ['A-35: 100 in a minute of a new incident', counts([0, 0, 100]), true],
    ['100 over five minutes', counts([4, 0, 100]), true],
    ['100 of which one is too old', counts([0, 0, 99], [5, 5, 1]), false],
  ])('%s', (_what, minuteCounts, detected) => {
    expect(evaluate(minuteCounts, { firstSeenMinutesAgo: 6 }).detected).toBe(detected);
  });
});

describe('episodes', () => {
  const storm = counts([0, 0, 100]);
  const calm = counts([0, 0, 1]);
  const lastTrueAtMs = NOW_MS - 10 * MINUTE_MS;

  it('begin with one detection and remember when a rule was last true', () => {
    expect(evaluate(storm)).toEqual({ detected: true, episode: { lastTrueAtMs: NOW_MS } });
    expect(evaluate(storm, { episode: { lastTrueAtMs } })).toEqual({
      detected: false,
      episode: { lastTrueAtMs: NOW_MS },
    });
  });

  it('last while both rules have been false for less than 60 minutes', () => {
    const last = NOW_MS - 60 * MINUTE_MS + 1;
    expect(evaluate(calm, { episode: { lastTrueAtMs: last } })).toEqual({
      detected: false,
      episode: { lastTrueAtMs: last },
    });
    expect(evaluate(storm, { episode: { lastTrueAtMs: last } }).detected).toBe(false);
  });

  it('end after 60 minutes, and the next storm is detected again', () => {
    const last = NOW_MS - 60 * MINUTE_MS;
    expect(evaluate(calm, { episode: { lastTrueAtMs: last } })).toEqual({ detected: false, episode: null });
    expect(evaluate(storm, { episode: { lastTrueAtMs: last } })).toEqual({
      detected: true,
      episode: { lastTrueAtMs: NOW_MS },
    });
  });

  it('do not shrink when an older signal is evaluated later', () => {
    const episode = { lastTrueAtMs: NOW_MS + MINUTE_MS };
    expect(evaluate(storm, { episode })).toEqual({ detected: false, episode });
  });

  it('a storm of many signals is detected exactly once', () => {
    const minuteCounts = new Map<number, number>();
    let episode: SpikeEpisode | null = null;
    let detections = 0;
    for (let i = 0; i < 3000; i++) {
      const atMs = NOW_MS + i * 1000;
      minuteCounts.set(minuteIndex(atMs), (minuteCounts.get(minuteIndex(atMs)) ?? 0) + 1);
      const result = detectSpike({ firstSeenAtMs: NOW_MS, atMs, receivedAtMs: atMs, minuteCounts, episode });
      episode = result.episode;
      if (result.detected) detections++;
    }
    expect(detections).toBe(1);
  });
});

describe('late data', () => {
  const storm = counts([0, 0, 100]);

  it('detects nothing when it was received more than 60 minutes after the fact', () => {
    const received = (minutes: number) =>
      evaluate(storm, { receivedAtMs: NOW_MS + minutes * MINUTE_MS }).detected;
    expect(received(60)).toBe(true);
    expect(received(60.01)).toBe(false);
  });

  it('leaves a running episode as it is', () => {
    const episode = { lastTrueAtMs: NOW_MS - MINUTE_MS };
    expect(evaluate(storm, { receivedAtMs: NOW_MS + 61 * MINUTE_MS, episode })).toEqual({
      detected: false,
      episode,
    });
  });
});
