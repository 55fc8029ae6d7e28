// The facts in the reports of the test runner that `npm test` needs. Their form is that of the runner's JSON reporter:
// `testResults` has an entry for each file and project, and that one its tests as `assertionResults`.
import { readFileSync } from 'node:fs';

/** More broken files than this are no accident of timing, and are not run again. */
const AGAIN_FILES_MAX = 12;

/** The report in this file, or null where the test runner did not get as far as one. */
export function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** The files with a failure that are worth a run by themselves: none when there are too many. */
export function filesToRunAgain(report) {
  const failed = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  const names = [...new Set(failed.map(({ name }) => name))];
  return names.length > AGAIN_FILES_MAX ? [] : names;
}

/** The report with the results of a later run in place of the earlier ones of the same files. */
export function withLaterRun(report, later) {
  const names = new Set(later.testResults.map(({ name }) => name));
  return {
    ...report,
    testResults: [...report.testResults.filter(({ name }) => !names.has(name)), ...later.testResults],
  };
}

/** Each test that failed in `earlier` and passed in `final`, with the first lines of why it had failed. */
export function passedLater(earlier, final) {
  const [passed, failed] = ['passed', 'failed'].map(
    (status) => new Set(testsOf(final, status).map(identity)),
  );
  return testsOf(earlier, 'failed')
    .filter((test) => passed.has(identity(test)) && !failed.has(identity(test)))
    .map(({ fullName, failureMessages }) =>
      [fullName, ...(failureMessages[0] ?? '').split('\n').slice(0, 3)].join('\n  '),
    );
}

/**
 * Returns the numbers of passed, failed and skipped tests; failed checks and files that could not be loaded are
 * failures.
 */
export function countResults(report, checksFailed) {
  // No report is a failure of everything.
  if (report === null) return { passed: 0, failed: 1, skipped: 0 };
  const all = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const passed = all.filter(({ status }) => status === 'passed').length;
  const failed = all.filter(({ status }) => status === 'failed').length;
  // Such a file has no failed test to count: it could not be loaded, or a hook around its tests failed.
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return {
    passed,
    failed: failed + brokenFiles + checksFailed,
    skipped: all.length - passed - failed,
  };
}

function testsOf(report, status) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.filter((test) => test.status === status).map((test) => ({ ...test, file: name })),
  );
}

function identity({ file, fullName }) {
  return `${file}\n${fullName}`;
}
