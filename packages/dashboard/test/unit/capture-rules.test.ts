import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { describe, expect, it } from 'vitest';
import {
  conditionsOf,
  FACT_NAMES,
  factsBeside,
  faultOfCondition,
  matcherOf,
} from '../../src/capture/rule-conditions.ts';
import { ruleSentence } from '../../src/capture/rule-sentence.ts';
import { endOf, faultOfRule, NEW_RULE, newRuleOf, patchOf } from '../../src/capture/rule-values.ts';
import { sentenceText } from '../../src/ui/sentence.tsx';

/** docs/contract/dashboard.md 4.16: rules in words, and only combinations that some event can meet. */

const MATCHERS: readonly CaptureMatcher[] = [
  { client_kind: 'bot', bot_family: 'Googlebot' },
  { browser_event_kind: 'resource_error', resource_url: { host: 'cdn.example.com', path_prefix: '/js' } },
  {
    request_url: { path_equals: '/healthz', host_suffix: '.eu' },
    status_codes: [404, 410],
    status_ranges: [{ start: 500, end: 599 }],
  },
  { event_types: ['log_event'], services: ['shop', 'mail'], environments: ['eu'], message_contains: 'noise' },
  { fingerprint: { version: 'v2', value: 'abc' }, error_name: 'TypeError', runtime: ['node', 'unknown'] },
  { browser_event_opaque: true, first_party: false, message_equals: 'Script error.' },
];

describe('the conditions of a rule', () => {
  it.each(MATCHERS)('are those of its matcher, there and back: %j', (matcher) => {
    expect(matcherOf(conditionsOf(matcher))).toEqual(matcher);
  });

  it('are offered only where some event could meet all of them', () => {
    expect(factsBeside([])).toEqual(FACT_NAMES);
    expect(factsBeside(['resource_host'])).not.toContain('statuses');
    expect(factsBeside(['statuses'])).toContain('error_name');
    expect(factsBeside(['message_contains', 'statuses'])).toContain('error_name');
    expect(factsBeside(['browser_event_kind', 'message_contains'])).not.toContain('request_host');
    expect(factsBeside(['services'])).not.toContain('services');
  });

  it.each([
    ['statuses', '404, 500-599', null],
    ['statuses', '599-500', 'Statuses or ranges, such as: 404, 500-599'],
    ['statuses', 'many', 'Statuses or ranges, such as: 404, 500-599'],
    ['runtime', 'node, cobol', 'cobol is not one of them'],
    ['services', ' ', 'Fill it in, or remove the line'],
    ['message_contains', 'x, y', null],
  ] as const)('%s "%s" has the fault %s', (fact, value, fault) => {
    expect(faultOfCondition({ fact, value })).toBe(fault);
  });
});

describe('the sentence of a rule', () => {
  const say = (change: object) =>
    sentenceText(
      ruleSentence({
        action: 'demote',
        matcher: { client_kind: 'bot' },
        sampleRate: null,
        sampleEventClass: null,
        until: null,
        ...change,
      }),
    );

  it.each([
    [{}, 'Keeps events caused by bots, but opens no incident with them.'],
    [
      { action: 'drop', matcher: MATCHERS[3], until: '23 Dec 2026' },
      'Discards log lines whose message contains noise, of shop or mail, in eu, until 23 Dec 2026.',
    ],
    [
      { action: 'sample', sampleRate: 0.1, sampleEventClass: 'context' },
      'Keeps 10 % of events caused by bots, opens no incident with them and discards the rest.',
    ],
    [
      { action: 'sample', sampleRate: 0.001, sampleEventClass: 'preserve' },
      'Keeps 0.1 % of events caused by bots, and discards the rest.',
    ],
    [
      { matcher: { message_contains: 'a\u202eb' } },
      'Keeps events whose message contains a⟨U+202E⟩b, but opens no incident with them.',
    ],
  ])('%j', (change, words) => {
    expect(say(change)).toBe(words);
  });
});

describe('the values of a rule', () => {
  const values = { ...NEW_RULE, name: 'Noise', conditions: [{ fact: 'client_kind' as const, value: 'bot' }] };
  const now = Date.parse('2026-11-23T00:00:00.000Z');

  it('name the share only where there is one, and an end by days', () => {
    expect(newRuleOf(values, null, now)).toEqual({
      name: 'Noise',
      description: null,
      enabled: true,
      action: 'demote',
      matcher: { client_kind: 'bot' },
      expires_at: '2026-12-23T00:00:00.000Z',
    });
    expect(newRuleOf({ ...values, action: 'sample' }, null, now)).toMatchObject({
      sample_rate: 0.1,
      sample_event_class: 'context',
    });
    expect(endOf({ ...values, lifetime: 'never' }, null, now)).toBeNull();
  });

  it.each([
    [{ name: ' ' }, 'A rule needs a name.'],
    [{ conditions: [] }, 'A rule needs a condition: without one it would match everything.'],
    [
      { conditions: [{ fact: 'event_types', value: 'log_event' }] },
      'The event type alone is too broad. Add another condition.',
    ],
    [
      { conditions: [{ fact: 'browser_event_kind', value: 'resource_error' }] },
      'Resources that did not load also need a host or a path.',
    ],
    [{ action: 'sample', sampleRate: '101' }, 'The share is a percentage from 0 to 100.'],
    [{}, null],
  ] as const)('%j has the fault %s', (change, fault) => {
    expect(faultOfRule({ ...values, ...change } as typeof values)).toBe(fault);
  });

  it('send only what was changed', () => {
    const stored = {
      id: 'r',
      project_id: 'proj_1',
      name: 'Noise',
      description: null,
      enabled: true,
      action: 'demote' as const,
      matcher: { client_kind: 'bot' as const },
      sample_rate: null,
      sample_event_class: null,
      created_by_user_id: null,
      created_from_incident_id: null,
      created_from_event_id: null,
      expires_at: null,
      hit_count: 0,
      last_matched_at: null,
      created_at: '',
      updated_at: '',
    };
    const same = { ...values, lifetime: 'never' };
    expect(patchOf(same, stored, now)).toEqual({});
    expect(patchOf({ ...same, action: 'drop', isEnabled: false }, stored, now)).toEqual({
      action: 'drop',
      enabled: false,
    });
    expect(patchOf({ ...same, action: 'sample' }, stored, now)).toEqual({
      action: 'sample',
      sample_rate: 0.1,
      sample_event_class: 'context',
    });
  });
});
