/** The running spike of one incident. */
export interface SpikeEpisode {
  /** The time when a spike rule was last true. */
  lastTrueAtMs: number;
}

interface SpikeInput {
  firstSeenAtMs: number;
  /** Effective time t of the counted signal. */
  atMs: number;
  receivedAtMs: number;
  /** Counted occurrences per minute index (`minuteIndex`), suppressed duplicates included. */
  minuteCounts: ReadonlyMap<number, number>;
  episode: SpikeEpisode | null;
}

const MINUTE_MS = 60_000;
/** c5 covers the minute of t and the four before it. */
const RECENT_MINUTES = 5;
/** base covers the 60 minutes before those. */
const SPIKE_WINDOW_MINUTES = 65;
/** Spans of five minutes in the base. */
const BASE_WINDOWS = (SPIKE_WINDOW_MINUTES - RECENT_MINUTES) / RECENT_MINUTES;
/** Minutes behind the present that a rule may still look at: 60 of lateness and its window. */
export const MINUTES_KEPT = 130;
const WARM_UP_MS = 30 * MINUTE_MS;
const RATIO_COUNT_MIN = 10;
const RATIO_MIN = 3;
const BURST_COUNT_MIN = 100;
const QUIET_MS = 60 * MINUTE_MS;
const LATE_MS = 60 * MINUTE_MS;

/**
 * The spike rule of docs/contract/incidents.md 5.7, for one counted signal of an open or regressed incident.
 * `detected` is true once per episode; the returned episode is what the next call gets. Windows are whole UTC minutes:
 * five of them for c5, sixty for the base.
 */
export function detectSpike(input: SpikeInput): { detected: boolean; episode: SpikeEpisode | null } {
  const { atMs, episode } = input;
  // Late data says nothing about now: it neither starts nor prolongs an episode.
  if (input.receivedAtMs - atMs > LATE_MS) return { detected: false, episode };

  const running = episode !== null && atMs - episode.lastTrueAtMs < QUIET_MS ? episode : null;
  if (!isSpiking(input)) return { detected: false, episode: running };
  if (running === null) return { detected: true, episode: { lastTrueAtMs: atMs } };
  // Signals may come out of order; the end of an episode never moves back.
  return { detected: false, episode: { lastTrueAtMs: Math.max(running.lastTrueAtMs, atMs) } };
}

/** No spike rule can be true below this count of the whole incident. */
const SPIKE_COUNT_MIN = 10;

/**
 * Judges the rule after signals were counted. Counts only grow, so it is enough to ask once for each minute of the
 * signals, at its last one.
 * @param minuteCounts of the incident, the signals included
 * @returns effective times at which an episode began, and the episode after them
 */
export function judgeSpikes(
  incident: {
    firstSeenAtMs: number;
    occurrenceCount: number;
    isResolved: boolean;
    episode: SpikeEpisode | null;
  },
  signals: readonly Pick<SpikeInput, 'atMs' | 'receivedAtMs'>[],
  minuteCounts: SpikeInput['minuteCounts'],
): { detectedAtMs: number[]; episode: SpikeEpisode | null } {
  const { firstSeenAtMs } = incident;
  let { episode } = incident;
  if (incident.isResolved || incident.occurrenceCount < SPIKE_COUNT_MIN) return { detectedAtMs: [], episode };
  const lastOfMinute = new Map<number, Pick<SpikeInput, 'atMs' | 'receivedAtMs'>>();
  for (const signal of signals) {
    const minute = minuteIndex(signal.atMs);
    const known = lastOfMinute.get(minute);
    if (known === undefined || known.atMs <= signal.atMs) lastOfMinute.set(minute, signal);
  }
  const detectedAtMs: number[] = [];
  for (const { atMs, receivedAtMs } of [...lastOfMinute.values()].sort((a, b) => a.atMs - b.atMs)) {
    const judged = detectSpike({ firstSeenAtMs, atMs, receivedAtMs, minuteCounts, episode });
    episode = judged.episode;
    if (judged.detected) detectedAtMs.push(atMs);
  }
  return { detectedAtMs, episode };
}

/** Occurrences by minute index. */
export function countMinutes(timesMs: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const timeMs of timesMs) {
    const minute = minuteIndex(timeMs);
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  return counts;
}

/**
 * The figures of a detected spike, as its ledger row keeps them (docs/contract/notifications.md 1.8,
 * docs/contract/incidents.md 5.7).
 */
export interface SpikeFacts {
  /** ISO 8601. */
  spike_detected_at: string;
  events_5m: number;
  /** Per five minutes of the hour before, to two decimals. */
  baseline_5m: number;
  /** Events by baseline, which counts as 1 at least; to two decimals. */
  ratio: number;
}

/** The figures at the signal that showed the spike. */
export function spikeFacts(
  minuteCounts: SpikeInput['minuteCounts'],
  atMs: number,
  detectedAtMs: number,
): SpikeFacts {
  const { recentCount, baseCount } = windowsAt(minuteCounts, atMs);
  const baseline = baseCount / BASE_WINDOWS;
  return {
    spike_detected_at: new Date(detectedAtMs).toISOString(),
    events_5m: recentCount,
    baseline_5m: toHundredths(baseline),
    ratio: toHundredths(recentCount / Math.max(baseline, 1)),
  };
}

function toHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Minutes since the epoch, UTC. */
export function minuteIndex(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS);
}

function isSpiking({ firstSeenAtMs, atMs, minuteCounts }: SpikeInput): boolean {
  const { recentCount, baseCount } = windowsAt(minuteCounts, atMs);
  if (atMs - firstSeenAtMs < WARM_UP_MS) return recentCount >= BURST_COUNT_MIN;
  // recent / max(base / 12, 1) >= 3, without a division.
  return (
    recentCount >= RATIO_COUNT_MIN &&
    recentCount * BASE_WINDOWS >= RATIO_MIN * Math.max(baseCount, BASE_WINDOWS)
  );
}

/** Occurrences of the minutes of c5, and of those of its base. */
function windowsAt(
  minuteCounts: SpikeInput['minuteCounts'],
  atMs: number,
): { recentCount: number; baseCount: number } {
  const minute = minuteIndex(atMs);
  return {
    recentCount: sumOfMinutes(minuteCounts, minute - RECENT_MINUTES + 1, minute),
    baseCount: sumOfMinutes(minuteCounts, minute - SPIKE_WINDOW_MINUTES + 1, minute - RECENT_MINUTES),
  };
}

function sumOfMinutes(
  minuteCounts: ReadonlyMap<number, number>,
  fromMinute: number,
  toMinute: number,
): number {
  let count = 0;
  for (let minute = fromMinute; minute <= toMinute; minute++) count += minuteCounts.get(minute) ?? 0;
  return count;
}
