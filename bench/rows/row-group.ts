import type { LoadGenerator } from '../load/load-generator.ts';
import type { Measured } from '../report/measured.ts';

/** The context that every group of rows gets. */
export interface BenchContext {
  generator: LoadGenerator;
  /** A directory of this run, on the disk that is measured. */
  directory: string;
  runs: number;
  /** Lengths of measured loads: the whole number in a full run, a part of it in a quick one. */
  scaled(amount: number): number;
  progress(text: string): void;
}

/** Rows that share a running service. */
export interface RowGroup {
  /** Ids of the rows, for `--only`. */
  rows: readonly string[];
  measure(context: BenchContext): Promise<Measured[]>;
}

/** Runs something the number of times this benchmark repeats everything. */
export async function repeated<Result>(
  context: BenchContext,
  what: string,
  once: (run: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let run = 1; run <= context.runs; run += 1) {
    context.progress(`${what}, run ${run} of ${context.runs}`);
    results.push(await once(run));
  }
  return results;
}
