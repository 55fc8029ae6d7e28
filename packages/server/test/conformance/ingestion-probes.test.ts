import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { triggerSignature } from '../../src/probes/trigger-token.ts';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { type CaseFile, readCaseFile } from './case-notation.ts';
import { PROBE_GIVENS, PROBE_NOTES } from './ingestion-probe-givens.ts';
import { runCase } from './run-case.ts';

/** The acceptance checklist of docs/contract/ingestion.md, 9.6 and 9.7. */

function read(name: string): CaseFile {
  return readCaseFile(fileURLToPath(new URL(name, import.meta.url)));
}

const { fixtures } = read('ingestion-cases.jsonl');
const { cases } = read('ingestion-probe-cases.jsonl');

describe('the acceptance checklist of probes and client configuration', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED });
  });
  afterAll(() => culprit.stop());

  it.each(cases.map((each) => [each.id, each.title, each] as const))('%s %s', async (_id, _title, each) => {
    await runCase(culprit, fixtures, each, { givens: PROBE_GIVENS, notes: PROBE_NOTES });
  });
});

// T106
it('trigger token check value', () => {
  const payload = {
    activation_id: '550e8400-e29b-41d4-a716-446655440000',
    label_pattern: 'auth.*',
    service: '*',
    environment: 'production',
    trigger_expires_at: '2030-01-01T00:00:00Z',
  };
  const segment = Buffer.from(JSON.stringify(payload)).toString('base64url');
  expect(triggerSignature('0123456789abcdef'.repeat(4), segment)).toBe(
    'zriVsKjfog8o7-51ma5cwf6YZIExcnTKQ8wb-LZluCY',
  );
});
