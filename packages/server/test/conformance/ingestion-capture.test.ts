import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { compileRules } from '@culprit/evidence/capture/evaluate-rules';
import { samplingNumbers } from '@culprit/evidence/capture/sampling';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTED, startCulprit, type TestCulprit } from '../support/culprit.ts';
import { acknowledgement, sendEvents } from '../support/send-events.ts';
import { type CaseFile, readCaseFile } from './case-notation.ts';
import { createCaseWorld } from './case-world.ts';
import { CAPTURE_GIVENS, CAPTURE_NOTES, createdRule } from './ingestion-capture-givens.ts';
import { runCase } from './run-case.ts';

/** The acceptance checklist of docs/contract/ingestion.md, 9.5 and the management cases of 9.2 and 9.4. */

function read(name: string): CaseFile {
  return readCaseFile(fileURLToPath(new URL(name, import.meta.url)));
}

const { fixtures } = read('ingestion-cases.jsonl');
const { cases } = read('ingestion-capture-cases.jsonl');

describe('the acceptance checklist of capture policy and rules', () => {
  let culprit: TestCulprit;
  beforeAll(async () => {
    culprit = await startCulprit({ plans: HOSTED });
  });
  afterAll(() => culprit.stop());

  it.each(cases.map((each) => [each.id, each.title, each] as const))('%s %s', async (_id, _title, each) => {
    await runCase(culprit, fixtures, each, { givens: CAPTURE_GIVENS, notes: CAPTURE_NOTES });
  });

  // T079
  it('sampling is deterministic', async () => {
    const world = createCaseWorld(culprit, fixtures);
    const { projectId, projectToken } = await world.project('solo');
    const rule = await createdRule(world, {
      name: 'r',
      action: 'sample',
      matcher: { services: ['api-server'] },
      sample_rate: 0.5,
      sample_event_class: 'preserve',
    });
    const eventIds = Array.from({ length: 200 }, () => randomUUID());
    const events = eventIds.map((event_id) => world.event('A', { event_id }));
    const wanted = eventIds.flatMap((eventId, index) =>
      fnv1a(`${projectId}:${rule.id}:${eventId}`) / 2 ** 32 >= 0.5
        ? [{ index, reason: 'capture_rule_sampled_out' }]
        : [],
    );
    const first = acknowledgement(await sendEvents(culprit.url, projectToken, events));
    expect(first.errors).toEqual(wanted);
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.length).toBeLessThan(200);
  });
});

/** Written down once more, from the contract alone. */
function fnv1a(text: string): number {
  let hash = 2166136261n;
  for (let index = 0; index < text.length; index += 1) {
    hash = ((hash ^ BigInt(text.charCodeAt(index))) * 16777619n) & 0xffffffffn;
  }
  return Number(hash);
}

// T080
describe('sampling check values', () => {
  const RULE = '7d0f4f0e-6b1c-4c55-9a53-0b6f3c1f2a11';
  const PROJECT = 'proj_contract01';
  const VALUES = [
    ['evt_sample_a', 2940453553, '0.68462769', false],
    ['evt_sample_b', 2890120696, '0.67290866', true],
    ['3f2b8c1e-0d4a-4a6f-9b7e-5c1d2e3f4a5b', 2593207185, '0.60377810', true],
  ] as const;

  it.each(VALUES)('%s', (eventId, hash, text, isKept) => {
    const number = samplingNumbers(PROJECT, RULE)(eventId);
    expect(number * 2 ** 32).toBe(hash);
    expect(number.toFixed(8)).toBe(text);
    expect(fnv1a(`${PROJECT}:${RULE}:${eventId}`)).toBe(hash);
    expect(number < 0.68).toBe(isKept);
  });

  it('rate 0 keeps nothing and rate 1 everything', () => {
    expect(samplingNumbers(PROJECT, RULE)('')).toBeLessThan(1);
    expect(compileRules('p', []).needsFingerprints(0)).toBe(false);
  });
});
