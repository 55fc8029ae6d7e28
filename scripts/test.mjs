// npm test [-- arguments of vitest]: every check, then the tests. The last line counts them for CI.
// npm run test:long: the same with everything random at full length, and the table of what was proven.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';
import { exitLike, runNode } from './node24.mjs';

const isLong = process.argv[2] === '--long';
const vitestArguments = process.argv.slice(isLong ? 3 : 2);

process.chdir(ROOT);
await ensureInstalled({ withDev: true });

const CHECKS = [
  ['Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
  ['Types', ['node_modules/typescript/bin/tsc', '--noEmit']],
  ['Generated files', ['packages/server/src/generate/main.ts', '--check']],
];
for (const [title, command] of CHECKS) {
  heading(title);
  const ending = await runNode(command);
  if (ending.code !== 0) {
    console.error(`\n${title}: failed. Nothing after it was run.`);
    await exitLike(ending.signal === null ? { code: 1, signal: null } : ending);
  }
}

heading(isLong ? 'Tests, the long lane' : 'Tests');
const reportDir = mkdtempSync(join(tmpdir(), 'culprit-tests-'));
const reportFile = join(reportDir, 'report.json');
const figuresDir = join(reportDir, 'figures');
mkdirSync(figuresDir);
process.env.CULPRIT_TEST_FIGURES = figuresDir;
if (isLong) process.env.CULPRIT_TEST_LONG = '1';
const ending = await runNode([
  'node_modules/vitest/vitest.mjs',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${reportFile}`,
  ...vitestArguments,
]);
// A run of some files says nothing about the others.
if (isLong && vitestArguments.length === 0) {
  await runNode(['packages/server/test/proof/write-table.ts', reportFile, figuresDir]);
}
console.log(summaryLine(reportFile));
rmSync(reportDir, { recursive: true, force: true });
await exitLike(ending);

function heading(title) {
  console.log(`\n== ${title}`);
}

function summaryLine(path) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // Vitest did not get as far as a report, which is a failure of everything.
    return '0 passed, 1 failed, 0 skipped';
  }
  // A file that cannot be loaded has no tests to count and is one failure.
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + brokenFiles.length;
  const skipped = report.numPendingTests + report.numTodoTests;
  return `${report.numPassedTests} passed, ${failed} failed, ${skipped} skipped`;
}
