import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chooseLane, ROOT } from '../lanes/test-files.ts';
import { type FileResult, proofTable } from './proof-table.ts';
import { readProofs } from './proofs.ts';
import type { Figure } from './record-figure.ts';

/** Called by the test command: `write-table.ts REPORT FIGURES_DIRECTORY` writes `docs/reliability.md`. */

const DOCUMENT = fileURLToPath(new URL('../../../../docs/reliability.md', import.meta.url));

const [reportFile = '', figuresDirectory = ''] = process.argv.slice(2);
const startedAt = new Date();
const lane = `the ${chooseLane()} lane`;
const heading = `Last run: ${startedAt.toISOString().slice(0, 10)}, ${lane}, ${availableParallelism()} cores, Node ${process.versions.node}.`;
writeFileSync(
  DOCUMENT,
  proofTable(readProofs(), readResults(reportFile), readFigures(figuresDirectory), heading),
);

function readResults(path: string): Map<string, FileResult> {
  const report: { testResults: { name: string; assertionResults: { status: string }[] }[] } = JSON.parse(
    readFileSync(path, 'utf8'),
  );
  return new Map(
    report.testResults.map(({ name, assertionResults }) => {
      const passed = assertionResults.filter(({ status }) => status === 'passed').length;
      const failed = assertionResults.filter(({ status }) => status === 'failed').length;
      // A file that could not be loaded has no tests, and is a failure.
      return [relative(ROOT, name), { passed, failed: assertionResults.length === 0 ? 1 : failed }];
    }),
  );
}

function readFigures(directory: string): Figure[] {
  return readdirSync(directory).flatMap((file) =>
    readFileSync(join(directory, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Figure => JSON.parse(line)),
  );
}
