import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { EXPECTED_FACTS } from '../../../demo/expected-facts.ts';
import { EXPECTED_INCIDENTS } from '../../../demo/expected-incidents.ts';
import { incidentAnswer } from '../src/evidence/incident-answer.ts';
import { tokenBound } from '../src/tokens/token-bound.ts';
import { demoIncidents } from './demo-incidents.ts';

/** What an agent is shown of the incidents of the demo (docs/contract/command-line.md 5.11, C-42). */
const incidents = demoIncidents();

describe.each(incidents)('an answer about $name', ({ name, evidence }) => {
  const { least = [], more = [] } = EXPECTED_FACTS[name] ?? {};

  it.each([
    [4000, [...least, ...more]],
    [1000, [...least, ...more]],
    [500, least],
  ])('of %i tokens holds the facts that name its cause', (tokensMax, facts) => {
    const text = incidentAnswer(evidence, { kind: 'all' }, tokensMax);
    expect(countTokens(text)).toBeLessThanOrEqual(tokensMax);
    expect(facts.filter((fact) => !text.includes(fact))).toEqual([]);
  });

  it('says of a deploy when it was, and suspects none', () => {
    const text = incidentAnswer(evidence, { kind: 'all' }, 20_000);
    if (evidence.bundle?.context.deploy) expect(text).toMatch(/deploy .* min before the failure/);
    expect(text).not.toMatch(/suspected/i);
  });

  it('repeats no place of the failure where no rule gives a hint', () => {
    expect(incidentAnswer(evidence, { kind: 'all' }, 20_000)).not.toContain('The failure surfaces');
  });

  it('is not far below the tokens that it may have', () => {
    const text = incidentAnswer(evidence, { kind: 'all' }, 20_000);
    expect(tokenBound(text) / countTokens(text)).toBeLessThanOrEqual(1.4);
  });
});

it('the facts are those of the incidents of the demo', () => {
  const names = EXPECTED_INCIDENTS.map(({ name }) => name).sort();
  expect(incidents.map(({ name }) => name).sort()).toEqual(names);
  expect(Object.keys(EXPECTED_FACTS).sort()).toEqual(names);
  for (const { least, more } of Object.values(EXPECTED_FACTS)) {
    expect(least.length + more.length).toBeGreaterThanOrEqual(4);
    expect(least.length + more.length).toBeLessThanOrEqual(7);
  }
});
