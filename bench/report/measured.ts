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
  target: Target;
  /** Details for the result file. */
  details: Record<string, unknown>;
}

export type Target =
  | { kind: 'at_least'; value: number }
  | { kind: 'at_most'; value: number }
  | { kind: 'share_of_floor'; value: number }
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
  return target.kind === 'share_of_floor' ? floorShare(measured) >= target.value : null;
}

/** Of the pairs measured one after the other, because the machine may be busier in one minute than in the next. */
export function floorShare({ values, floorValues }: Measured): number {
  return median(values.map((value, index) => value / (floorValues?.[index] ?? Number.POSITIVE_INFINITY)));
}
