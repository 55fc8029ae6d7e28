/** Measured times in milliseconds, kept one by one: the longest runs have some 100,000 of them. */
interface Latencies {
  add(milliseconds: number): void;
  summary(): LatencySummary;
}

export interface LatencySummary {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export function createLatencies(): Latencies {
  const values: number[] = [];
  return {
    add: (milliseconds) => void values.push(milliseconds),
    summary: () => summarize(values),
  };
}

export function summarize(values: readonly number[]): LatencySummary {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}
