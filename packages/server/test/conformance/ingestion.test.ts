import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { readCaseFile } from './case-notation.ts';
import { GIVENS } from './ingestion-givens.ts';
import { NOTES } from './ingestion-notes.ts';
import { runCase } from './run-case.ts';

/**
 * The acceptance checklist of docs/contract/ingestion.md, 9.1 to 9.4, but for what the management API answers (T035,
 * T059 to T061, T072 to T075): see `ingestion-capture.test.ts`.
 */
const { fixtures, cases } = readCaseFile(fileURLToPath(new URL('ingestion-cases.jsonl', import.meta.url)));

describe('the acceptance checklist of ingestion', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED });
  });
  afterAll(() => culprit.stop());

  it.each(cases.map((each) => [each.id, each.title, each] as const))('%s %s', async (_id, _title, each) => {
    await runCase(culprit, fixtures, each, { givens: GIVENS, notes: NOTES });
  });
});
