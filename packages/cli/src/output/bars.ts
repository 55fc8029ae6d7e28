const BARS = ' ▁▂▃▄▅▆▇█';

/** Counts as bars, the highest as a full block. */
export function barsOf(counts: readonly number[]): string {
  const highest = Math.max(1, ...counts);
  return counts.map((count) => BARS[Math.ceil((count / highest) * (BARS.length - 1))] ?? ' ').join('');
}
