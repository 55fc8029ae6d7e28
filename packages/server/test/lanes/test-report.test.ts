import { beforeAll, describe, expect, it } from 'vitest';

/** What `npm test` makes of the reports of the test runner: `scripts/test-report.mjs`. */

interface Test {
  fullName: string;
  status: 'passed' | 'failed' | 'skipped';
  failureMessages: string[];
}

interface Report {
  testResults: { name: string; status: 'passed' | 'failed'; assertionResults: Test[] }[];
}

interface TestReport {
  filesToRunAgain(report: Report | null): string[];
  withLaterRun(report: Report, later: Report): Report;
  passedLater(earlier: Report, final: Report): string[];
  countResults(report: Report | null, checksFailed: number): Record<'passed' | 'failed' | 'skipped', number>;
}

const SOURCE = new URL('../../../../scripts/test-report.mjs', import.meta.url).href;

const passes = (fullName: string): Test => ({ fullName, status: 'passed', failureMessages: [] });
const fails = (fullName: string, why = 'Error: why\n    at a\n    at b\n    at c'): Test => ({
  fullName,
  status: 'failed',
  failureMessages: [why],
});
const file = (name: string, ...assertionResults: Test[]): Report['testResults'][number] => ({
  name,
  status: assertionResults.every(({ status }) => status !== 'failed') ? 'passed' : 'failed',
  assertionResults,
});
const broken = (name: string) => ({ name, status: 'failed' as const, assertionResults: [] });

describe('the reports of the test runner', () => {
  let reports: TestReport;
  beforeAll(async () => {
    reports = await import(SOURCE);
  });

  const first = {
    testResults: [
      file('a.test.ts', passes('kept')),
      file('b.test.ts', passes('one'), fails('two')),
      file('b.test.ts', passes('one'), passes('two')),
      broken('c.test.ts'),
    ],
  };

  it('names each file that failed once, whatever project it failed in', () => {
    expect(reports.filesToRunAgain(first)).toEqual(['b.test.ts', 'c.test.ts']);
    expect(reports.filesToRunAgain(null)).toEqual([]);
  });

  it('runs nothing again when so much failed that it cannot be timing', () => {
    const many = (count: number) => ({
      testResults: Array.from({ length: count }, (_, at) => file(`${at}.test.ts`, fails('test'))),
    });
    expect(reports.filesToRunAgain(many(12))).toHaveLength(12);
    expect(reports.filesToRunAgain(many(13))).toEqual([]);
  });

  it('counts a later run of a file in place of the earlier one', () => {
    expect(reports.countResults(first, 0)).toEqual({ passed: 4, failed: 2, skipped: 0 });
    const later = {
      testResults: [
        file('b.test.ts', passes('one'), passes('two')),
        file('b.test.ts', passes('one'), passes('two')),
        file('c.test.ts', passes('three'), { ...passes('four'), status: 'skipped' as const }),
      ],
    };
    const final = reports.withLaterRun(first, later);
    expect(reports.countResults(final, 0)).toEqual({ passed: 6, failed: 0, skipped: 1 });
    expect(reports.passedLater(first, final)).toEqual(['two\n  Error: why\n      at a\n      at b']);
  });

  it('goes on counting what failed again, failed checks and a missing report as failures', () => {
    const later = { testResults: [file('b.test.ts', passes('one'), fails('two'))] };
    const final = reports.withLaterRun(first, later);
    expect(reports.passedLater(first, final)).toEqual([]);
    expect(reports.countResults(final, 1)).toEqual({ passed: 2, failed: 3, skipped: 0 });
    expect(reports.countResults(null, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
