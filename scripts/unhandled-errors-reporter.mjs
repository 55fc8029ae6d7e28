import { writeFileSync } from 'node:fs';

/**
 * A reporter of the test runner: writes how many errors belonged to no test, which the JSON report does not say, to
 * the file that `CULPRIT_TEST_UNHANDLED` names.
 */
export default class UnhandledErrorsReporter {
  onTestRunEnd(_testModules, unhandledErrors) {
    writeFileSync(process.env.CULPRIT_TEST_UNHANDLED, String(unhandledErrors.length));
  }
}
