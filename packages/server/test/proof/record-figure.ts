import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a run collects figures; set by the test command. */
const FIGURES_VARIABLE = 'CULPRIT_TEST_FIGURES';

export interface Figure {
  /** Number of the test in the catalogue (`proofs.ts`). */
  number: number;
  text: string;
}

/**
 * Tells the test command what a reliability test measured. Not a verdict: that is the test's own.
 * @param text one line, with the seed where there was one
 */
export function recordFigure(number: number, text: string): void {
  const directory = process.env[FIGURES_VARIABLE];
  if (directory === undefined) return;
  const figure: Figure = { number, text };
  // A file for each process: they write at the same time.
  appendFileSync(join(directory, `${process.pid}.jsonl`), `${JSON.stringify(figure)}\n`);
}
