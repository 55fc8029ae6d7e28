import type { ProcessorTime } from '../service/processor-time.ts';

/** One line of the table. */
export interface Measured {
  /** For `--only`. */
  row: string;
  figure: string;
  unit: string;
  /** One value for each run. */
  values: readonly number[];
  /** The floor of the same runs, where the target is a share of it. */
  floorValues: readonly number[] | null;
  /** Another product measured in the same runs, or why there is none. */
  peer?: Peer;
  target: Target;
  /** Processor time of all processes, where the figure is one; shown by process below the table. */
  time?: MeasuredTime;
  /** Details for the result file. */
  details: Record<string, unknown>;
}

export interface MeasuredTime {
  runs: readonly ProcessorTime[];
  /** Null where there is no floor. */
  floorUs: readonly number[] | null;
}

export type Peer = { name: string; values: readonly number[] } | { missing: string };

export type Target =
  | { kind: 'at_least'; value: number }
  | { kind: 'at_most'; value: number }
  /** For what is spent. */
  | { kind: 'times_floor'; value: number }
  | { kind: 'none' };

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

/** Null where there is nothing to reach. */
export function isMet(measured: Measured): boolean | null {
  const value = median(measured.values);
  const { target } = measured;
  if (target.kind === 'at_least') return value >= target.value;
  if (target.kind === 'at_most') return value <= target.value;
  return target.kind === 'times_floor' ? floorShare(measured) <= target.value : null;
}

/**
 * Returns the share over the pairs measured one after the other, because the machine may be busier in one minute than
 * in the next.
 */
export function floorShare({ values, floorValues }: Measured): number {
  return shareOf(values, floorValues ?? []);
}

/** The same beside other values of the same runs. */
export function shareOf(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, index) => value / (others[index] ?? Number.POSITIVE_INFINITY)));
}
