// npm test [-- arguments of vitest]: the static checks beside the tests of the quick lane; with CI=true those of the
// standard lane. With files or a part of their names, those files alone, whatever their lane, and no checks. The last
// line counts for CI.
// npm run test:standard and npm run test:long: that lane. The long one also writes the table of what was proven.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './install.mjs';
import { exitLike, readArguments, runNode } from './node24.mjs';
import { ensureServerBuilt } from './server-build.mjs';
import { countResults, filesToRunAgain, passedLater, readReport, withLaterRun } from './test-report.mjs';

/** The runs of a file that fails, in the standard and the long lane. */
const RUNS_MAX = 3;
/** A whole lane leaves some 5,000, of 50 MB. */
const COMPILED_FILES_MAX = 20_000;

const CHECKS = [
  ['Format and lint', ['node_modules/@biomejs/biome/bin/biome', 'check', '.']],
  ['Types', ['node_modules/typescript/bin/tsc', '--noEmit']],
  ['Generated files', ['packages/server/src/generate/main.ts', '--check']],
  ['Figures', ['scripts/figures.ts'], { isShown: true }],
];

/** The minutes of a lane on one core, and the least on any number of cores: `LEAST_MINUTES`. */
const CORE_MINUTES = { quick: 8, standard: 60, long: 240 };
const LEAST_MINUTES = { quick: 2, standard: 15, long: 75 };

const args = readArguments();
const named = ['standard', 'long'].find((lane) => args[0] === `--${lane}`);
const vitestArguments = args.slice(named === undefined ? 0 : 1);
const isOfSomeFiles = vitestArguments.some((argument) => !argument.startsWith('-'));
const lane = named ?? laneOfTestCommand();

if (args.includes('--help')) {
  console.log(
    'Usage: npm test runs the checks and the tests of the quick lane, with CI=true of the standard lane;',
  );
  console.log('       npm test -- FILE... runs the tests of these files, whatever their lane;');
  console.log('       npm run test:standard and npm run test:long run that lane.');
  process.exit(0);
}
process.chdir(ROOT);
await ensureInstalled({ withDev: true });

console.log(`\n== Tests, ${isOfSomeFiles ? 'the files that were asked for' : `the ${lane} lane`}`);
if (!isOfSomeFiles) console.log(expectedDuration());
const reportDir = mkdtempSync(join(tmpdir(), 'culprit-tests-'));
const figuresDir = join(reportDir, 'figures');
mkdirSync(figuresDir);
process.env.CULPRIT_TEST_FIGURES = figuresDir;
process.env.CULPRIT_TEST_LANE = lane;
// Hundreds of processes and threads load the same sources: Node compiles each once, and each change of it.
process.env.NODE_COMPILE_CACHE ??= compiledFolder();
// Tests start the server as operators do, where they do not put modules of their own into it.
const server = await ensureServerBuilt({
  programs: ['impatient-main', 'worker-child', 'api-child'].map(
    (name) => `packages/server/test/support/${name}.ts`,
  ),
});
if (server !== null) process.env.CULPRIT_TEST_SERVER = server;
// Checks of the whole tree take longer than most files.
const [{ ending, report }, failedChecks] = await Promise.all([
  runTests(),
  isOfSomeFiles ? [] : runChecks(),
  // Files that need the hosts wait for them, and try it themselves where it failed.
  isOfSomeFiles || lane === 'quick'
    ? null
    : runNode(['packages/sdk-test-hosts/install.ts'], { isCaptured: true }),
]);
// A run of some files says nothing about the others.
if (lane === 'long' && vitestArguments.length === 0) {
  const reportFile = join(reportDir, 'report.json');
  writeFileSync(reportFile, JSON.stringify(report));
  await runNode(['packages/server/test/proof/write-table.ts', reportFile, figuresDir]);
}
rmSync(reportDir, { recursive: true, force: true });
for (const title of failedChecks) console.log(`\n${title}: failed, see above.`);
const { passed, failed, skipped } = countResults(report, failedChecks.length);
if (isOfSomeFiles && passed + failed + skipped === 0) {
  const names = vitestArguments.filter((argument) => !argument.startsWith('-'));
  console.log(
    `\nNo path of a test file contains ${names.join(' or ')}. Name a part of a path, such as events/check-event.`,
  );
}
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
await exitLike(ending.code === 0 && failed > 0 ? { code: 1, signal: null } : ending);

/**
 * Runs the tests. By hand a failure is a failure; in the standard and the long lane, files that failed run again, alone
 * on a machine that is then quiet, so that an accident of timing in one of ten thousand tests does not hide the verdict
 * on a commit. Tests that passed only then are named: each such test is a defect to fix.
 */
async function runTests() {
  const first = await runVitest(vitestArguments);
  if (lane === 'quick' || isOfSomeFiles || first.report === null || first.hasUnhandledErrors) return first;
  let { ending, report } = first;
  for (let run = 2; run <= RUNS_MAX; run += 1) {
    const files = filesToRunAgain(report);
    if (files.length === 0 || ending.signal !== null) break;
    console.log(`\n== Run ${run} of what failed, one file after the other\n${files.join('\n')}`);
    const again = await runVitest([...vitestArguments, '--maxWorkers=1', ...files]);
    ending = again.ending;
    if (again.report !== null) report = withLaterRun(report, again.report);
    if (again.report === null || again.hasUnhandledErrors) break;
  }
  for (const text of passedLater(first.report, report)) console.log(`Passed in a later run only: ${text}`);
  return { ending, report };
}

async function runVitest(args) {
  const reportFile = join(reportDir, 'run.json');
  const unhandledFile = join(reportDir, 'unhandled');
  for (const path of [reportFile, unhandledFile]) rmSync(path, { force: true });
  process.env.CULPRIT_TEST_UNHANDLED = unhandledFile;
  const ending = await runNode([
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    '--reporter=./scripts/unhandled-errors-reporter.mjs',
    `--outputFile.json=${reportFile}`,
    ...args,
  ]);
  const isClean = existsSync(unhandledFile) && readFileSync(unhandledFile, 'utf8') === '0';
  return { ending, report: readReport(reportFile), hasUnhandledErrors: !isClean };
}

function expectedDuration() {
  const cores = availableParallelism();
  const minutes = Math.max(LEAST_MINUTES[lane], Math.ceil(CORE_MINUTES[lane] / cores));
  const busy = loadavg()[0] > cores ? ', and longer now, because other programs keep them busy' : '';
  return `About ${minutes} minutes on ${cores} ${cores === 1 ? 'core' : 'cores'}${busy}.`;
}

function laneOfTestCommand() {
  if (vitestArguments.some((argument) => argument.endsWith('.long.ts'))) return 'long';
  const isCi = process.env.CI !== undefined && !['', '0', 'false'].includes(process.env.CI);
  return isCi || isOfSomeFiles ? 'standard' : 'quick';
}

/**
 * Returns the folder in which Node caches compiled code. Node deletes nothing there, so a folder that grew too large is
 * emptied.
 */
function compiledFolder() {
  const folder = join(ROOT, 'node_modules', '.cache', 'compiled');
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true }).length : 0;
  if (files > COMPILED_FILES_MAX) rmSync(folder, { recursive: true, force: true });
  return folder;
}

/** One after the other, so that they leave a core to the tests. Resolves to the titles of those that failed. */
async function runChecks() {
  const failed = [];
  for (const [title, command, { isShown = false } = {}] of CHECKS) {
    const { code, output } = await runNode(command, { isCaptured: true });
    if (code === 0) {
      console.log(`\n== ${title}: passed${isShown ? `\n${output.trimEnd()}` : ''}`);
    } else {
      failed.push(title);
      console.log(`\n== ${title}: failed\n${output.trimEnd()}`);
    }
  }
  return failed;
}
