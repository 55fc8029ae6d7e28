import type { SeededRandom } from '../support/seeded-random.ts';

/** Above this, two classes of measurements differ by more than chance (docs/contract/reliability.md test 41). */
export const T_MAX = 4.5;

/** Measurements above this share of all are the machine's, not the function's. */
const KEPT_SHARE = 0.9;

/**
 * Welch's t of how long a function takes for two classes of inputs, which take turns at random so that whatever the
 * machine does meets both alike. The slowest tenth is left out.
 */
export async function timingDifference(
  random: SeededRandom,
  classes: readonly [() => unknown, () => unknown],
  samples: number,
): Promise<number> {
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < 2 * samples; i += 1) {
    const which = random.chance(0.5) ? 0 : 1;
    const start = process.hrtime.bigint();
    const result = classes[which]();
    if (result instanceof Promise) await result;
    times[which].push(Number(process.hrtime.bigint() - start));
  }
  const bound = percentile([...times[0], ...times[1]], KEPT_SHARE);
  return welch(
    times[0].filter((time) => time <= bound),
    times[1].filter((time) => time <= bound),
  );
}

/** The smallest |t| of several attempts: a difference that is really there is there every time. */
export async function leastDifference(attempt: () => Promise<number>, attempts: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < attempts && least >= T_MAX; i += 1) least = Math.min(least, Math.abs(await attempt()));
  return least;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

function welch(a: readonly number[], b: readonly number[]): number {
  const [first, second] = [moments(a), moments(b)];
  return (first.mean - second.mean) / Math.sqrt(first.variance / a.length + second.variance / b.length);
}

function moments(values: readonly number[]): { mean: number; variance: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, variance: squares / (values.length - 1) };
}
