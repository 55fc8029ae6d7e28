import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { describe, expect, it } from 'vitest';
import { inEvaluationOrder, matcherScore } from '../../src/capture/capture-rule.ts';
import { type ActiveRule, compileRules } from '../../src/capture/evaluate-rules.ts';
import { fixture } from '../events/event-fixtures.ts';
import { factsOf } from './facts-of.ts';

const PROJECT = 'proj_0190a5b0-0000-7000-8000-000000000001';

function rule(ruleId: string, changes: Partial<ActiveRule> = {}): ActiveRule {
  return {
    ruleId,
    action: 'drop',
    matcher: { services: ['api-server'] },
    sampleRate: null,
    sampleEventClass: null,
    expiresAtMs: null,
    updatedAtMs: 0,
    ...changes,
  };
}

function decide(rules: readonly ActiveRule[], nowMs = 0, event = fixture('A', { event_id: 'evt_1' })) {
  return compileRules(PROJECT, rules).decide(factsOf(event), nowMs);
}

describe('the score of a matcher (docs/contract/ingestion.md 5.2)', () => {
  it.each<[CaptureMatcher, number]>([
    [{}, 0],
    [{ fingerprint: { version: 'v2', value: 'f' } }, 1000],
    [{ resource_url: { host: 'a' } }, 250],
    [{ request_url: { path_equals: '/' } }, 200],
    [{ resource_url: { host_suffix: 'a' } }, 90],
    [{ request_url: { path_prefix: '/' } }, 80],
    [{ resource_url: { host: 'a', path_prefix: '/' }, request_url: { host: 'a', path_equals: '/' } }, 780],
    [{ status_codes: [500, 501, 502] }, 150],
    [{ status_ranges: [{ start: 400, end: 499 }] }, 0],
    [{ browser_event_kind: 'window_error' }, 100],
    [{ browser_event_opaque: false }, 100],
    [{ error_name: 'E' }, 70],
    [{ message_equals: 'm' }, 60],
    [{ message_contains: 'm' }, 50],
    [{ bot_family: 'Googlebot' }, 45],
    [{ first_party: false }, 40],
    [{ client_kind: 'bot' }, 35],
    [{ services: ['a', 'b'] }, 30],
    [{ environments: ['a'] }, 20],
    [{ runtime: ['node'] }, 10],
    [{ event_types: ['log_event', 'request_event'] }, 5],
    [{ services: ['a'], environments: ['b'], event_types: ['log_event'] }, 55],
  ])('of %j is %i', (matcher, score) => {
    expect(matcherScore(matcher)).toBe(score);
  });
});

describe('the order of rules (docs/contract/ingestion.md 5.3)', () => {
  it('is score, then the later update, then the id', () => {
    const rules = [
      rule('d', { updatedAtMs: 5 }),
      rule('b', { updatedAtMs: 9 }),
      rule('c', { updatedAtMs: 9 }),
      rule('a', { matcher: { error_name: 'TypeError' }, updatedAtMs: 1 }),
    ];
    expect(inEvaluationOrder(rules).map(({ ruleId }) => ruleId)).toEqual(['a', 'b', 'c', 'd']);
    expect(inEvaluationOrder(rules.toReversed()).map(({ ruleId }) => ruleId)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('decides by the first rule that matches, and asks no other', () => {
    const rules = [
      rule('a', { matcher: { error_name: 'RangeError' } }),
      rule('b', { matcher: { error_name: 'TypeError' }, action: 'demote' }),
      rule('c'),
    ];
    expect(decide(rules)).toEqual({ ruleId: 'b', outcome: 'demoted' });
    expect(decide([])).toBeNull();
    expect(decide([rule('a', { matcher: { services: ['web'] } })])).toBeNull();
  });

  it('passes over rules that have expired, to the millisecond', () => {
    const rules = [rule('a', { expiresAtMs: 1000, matcher: { error_name: 'TypeError' } }), rule('b')];
    expect(decide(rules, 999)?.ruleId).toBe('a');
    expect(decide(rules, 1000)?.ruleId).toBe('b');
  });
});

describe('what a rule does', () => {
  it('drops or demotes', () => {
    expect(decide([rule('a')])).toEqual({ ruleId: 'a', outcome: 'dropped' });
    expect(decide([rule('a', { action: 'demote' })])).toEqual({ ruleId: 'a', outcome: 'demoted' });
  });

  it.each([
    [1, 'preserve', 'kept'],
    [1, 'context', 'demoted'],
    [0, 'preserve', 'sampled_out'],
    [0, 'context', 'sampled_out'],
  ] as const)('samples at rate %d with class %s: %s', (sampleRate, sampleEventClass, outcome) => {
    for (const event of [fixture('A'), fixture('A', { event_id: 'evt_1' })]) {
      expect(decide([rule('a', { action: 'sample', sampleRate, sampleEventClass })], 0, event)).toEqual({
        ruleId: 'a',
        outcome,
      });
    }
  });

  it('samples events with an id by it, and those without by chance', () => {
    const sampled = [rule('a', { action: 'sample', sampleRate: 0.5, sampleEventClass: 'preserve' })];
    const outcomes = (event: Parameters<typeof factsOf>[0]) =>
      new Set(Array.from({ length: 200 }, () => decide(sampled, 0, event)?.outcome));
    expect(outcomes(fixture('A', { event_id: 'evt_1' })).size).toBe(1);
    expect(outcomes(fixture('A')).size).toBe(2);
  });
});

describe('the need of fingerprints', () => {
  const exact = { fingerprint: { version: 'v2', value: 'f' } };
  it.each([
    ['no rule', [], false],
    ['other rules', [rule('a')], false],
    ['an exact rule', [rule('a'), rule('b', { matcher: exact })], true],
    ['one that has expired', [rule('b', { matcher: exact, expiresAtMs: 5 })], false],
    [
      'one of an unknown version',
      [rule('b', { matcher: { fingerprint: { version: 'v9', value: 'f' } } })],
      false,
    ],
  ])('with %s: %s', (_name, rules, expected) => {
    expect(compileRules(PROJECT, rules).needsFingerprints(5)).toBe(expected);
  });
});
