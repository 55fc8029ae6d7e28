import type { Proof } from './proofs.ts';
import type { Figure } from './record-figure.ts';

/** What a run said of one test file, by its path from the root of the repository. */
export interface FileResult {
  passed: number;
  failed: number;
}

/**
 * The table of a run as Markdown.
 * @param results by path; files that did not run are absent
 * @param heading when it was and on what
 */
export function proofTable(
  proofs: readonly Proof[],
  results: ReadonlyMap<string, FileResult>,
  figures: readonly Figure[],
  heading: string,
): string {
  const rows = proofs.map((proof) => {
    const measured = figures.filter(({ number }) => number === proof.number).map(({ text }) => text);
    const notes = [...measured, ...(proof.missing === undefined ? [] : [proof.missing])];
    const cells = [
      String(proof.number),
      proof.title,
      proof.lane,
      proof.pass,
      outcome(proof, results),
      notes.join('; '),
    ];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  return [
    '# Reliability',
    '',
    'What is proven, and what the last run showed. This file is written by `npm run test:long`: what it promises is in',
    '`packages/server/test/proof/proofs.ts`, and a test file says itself what it proves. `npm test` runs the quick lane, `npm run test:standard` and CI the',
    'standard lane too. Random tests print their seed, which is new in the long lane and the same in every run of the',
    'others; `CULPRIT_TEST_SEED` repeats one.',
    '',
    heading,
    '',
    '| No | What | Lane | Required | Tests | Figures |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

function outcome(proof: Proof, results: ReadonlyMap<string, FileResult>): string {
  if (proof.files.length === 0) return 'none yet';
  const ran = proof.files.map((file) => results.get(file));
  if (ran.some((result) => result === undefined)) return 'not run';
  const failed = ran.reduce((sum, result) => sum + (result?.failed ?? 0), 0);
  const passed = ran.reduce((sum, result) => sum + (result?.passed ?? 0), 0);
  return failed === 0 ? `${passed} passed` : `**${failed} failed**, ${passed} passed`;
}

/** A pipe would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
