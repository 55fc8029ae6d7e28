import type { CaptureMatcher, CaptureRule } from '@culprit/contract/capture/capture';
import { describe, expect, it } from 'vitest';
import { deliverableRules, type RuleReader } from '../../src/capture/deliverable-rules.ts';

/** Which rules a library is given: docs/contract/ingestion.md 7.3. */

function rule(name: string, matcher: CaptureMatcher, action: CaptureRule['action'] = 'drop'): CaptureRule {
  return {
    id: name,
    project_id: 'proj_1',
    name,
    description: null,
    enabled: true,
    action,
    matcher,
    sample_rate: action === 'sample' ? 0.5 : null,
    sample_event_class: action === 'sample' ? 'preserve' : null,
    created_by_user_id: null,
    created_from_incident_id: null,
    created_from_event_id: null,
    expires_at: null,
    hit_count: 0,
    last_matched_at: null,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
  };
}

function delivered(rules: readonly CaptureRule[], reader: RuleReader): string[] {
  return deliverableRules(rules, reader).map(({ name }) => name);
}

const READERS: readonly RuleReader[] = ['published_server', 'published_browser', 'own'];
const EVERYBODY = [true, true, true] as const;
const OWN_ONLY = [false, false, true] as const;

describe('a rule alone', () => {
  it.each<[string, CaptureMatcher, readonly boolean[]]>([
    [
      'of keys that every library compares',
      {
        event_types: ['backend_exception'],
        services: ['api'],
        environments: ['production'],
        runtime: ['node', 'python'],
        error_name: 'TypeError',
        message_equals: 'x',
        message_contains: 'x',
        request_url: {
          host: 'api.example',
          host_suffix: '.example',
          path_equals: '/a/b',
          path_prefix: '/a',
        },
        status_codes: [500],
        status_ranges: [{ start: 400, end: 499 }],
        first_party: true,
      },
      EVERYBODY,
    ],
    ['about a resource', { resource_url: { host: 'cdn.example' } }, [false, true, true]],
    ['by fingerprint', { fingerprint: { version: 'v2', value: 'f' } }, OWN_ONLY],
    ['by fingerprint and more', { services: ['a'], fingerprint: { version: 'v2', value: 'f' } }, OWN_ONLY],
    ['by kind of client', { client_kind: 'bot' }, OWN_ONLY],
    ['by bot', { bot_family: 'Googlebot' }, OWN_ONLY],
    ['by kind of browser event', { browser_event_kind: 'window_error' }, OWN_ONLY],
    ['by opaque browser event', { services: ['a'], browser_event_opaque: true }, OWN_ONLY],
    ['of a service with a space at its end', { services: ['a', 'b '] }, OWN_ONLY],
    ['of a blank environment', { environments: [' '] }, OWN_ONLY],
    ['of a blank part of a message', { services: ['a'], message_contains: ' ' }, OWN_ONLY],
    ['of a message that ends in a space', { message_equals: 'x ' }, OWN_ONLY],
    ['of an error name that begins with a tab', { error_name: '\tE' }, OWN_ONLY],
    ['of a host with its port', { request_url: { host: 'api.example:8443' } }, OWN_ONLY],
    ['of the end of a host with its port', { request_url: { host_suffix: '.example:80' } }, OWN_ONLY],
    ['of a path without a slash', { request_url: { path_prefix: 'a' } }, OWN_ONLY],
    ['of a path with a query', { request_url: { path_equals: '/a?b' } }, OWN_ONLY],
    ['of a path with a fragment', { resource_url: { path_prefix: '/a#b' } }, OWN_ONLY],
    ['of a blank host', { resource_url: { host: ' ' } }, OWN_ONLY],
  ])('%s', (_name, matcher, expected) => {
    expect(READERS.map((reader) => delivered([rule('r', matcher)], reader).length === 1)).toEqual(expected);
  });
});

describe('a rule after one that is left out', () => {
  const bots = { client_kind: 'bot' } as const satisfies CaptureMatcher;

  it.each(['demote', 'sample'] as const)(
    'is left out too when the first would %s what it drops',
    (action) => {
      const rules = [rule('bots', bots, action), rule('wide', { services: ['api'] })];
      expect(delivered(rules, 'published_server')).toEqual([]);
      expect(delivered(rules, 'own')).toEqual(['bots', 'wide']);
    },
  );

  it('is delivered when the first drops its events anyway', () => {
    const rules = [rule('bots', bots), rule('wide', { services: ['api'] }, 'sample')];
    expect(delivered(rules, 'published_server')).toEqual(['wide']);
  });

  it('is delivered when it comes first', () => {
    const rules = [rule('narrow', { error_name: 'E' }), rule('bots', bots, 'demote')];
    expect(delivered(rules, 'published_browser')).toEqual(['narrow']);
  });

  it('is left out also when what would keep its events was itself left out for another', () => {
    const rules = [
      rule('bots', { ...bots, services: ['a'] }, 'demote'),
      rule('sampled', { services: ['a', 'b'] }, 'sample'),
      rule('wide', { services: ['b'] }),
    ];
    expect(delivered(rules, 'published_server')).toEqual([]);
  });

  it.each<[string, CaptureMatcher, CaptureMatcher]>([
    ['service', { services: ['web', 'app'] }, { services: ['api'] }],
    ['environment', { environments: ['staging'] }, { environments: ['production'] }],
    ['runtime', { runtime: ['browser'] }, { runtime: ['node', 'go'] }],
    ['event type', { event_types: ['log_event'] }, { event_types: ['request_event'] }],
    ['fact', { error_name: 'E' }, { services: ['api'], event_types: ['log_event'] }],
    ['fact of each', { message_contains: 'm' }, { status_codes: [404], event_types: ['request_event'] }],
    ['fact of resources', { resource_url: { host: 'cdn' } }, { request_url: { host: 'api' } }],
  ])('is delivered when no event can meet both, by %s', (_name, first, second) => {
    const rules = [rule('bots', { ...bots, ...first }, 'demote'), rule('other', second)];
    expect(delivered(rules, 'published_server')).toEqual(['other']);
  });

  it('is left out when one event may meet both', () => {
    const rules = [
      rule('bots', { ...bots, services: ['web', 'api'], error_name: 'E' }, 'demote'),
      rule('other', { services: ['api', 'job'], message_contains: 'm' }),
    ];
    expect(delivered(rules, 'published_server')).toEqual([]);
  });

  it('is left out without a comparison of long lists', () => {
    const names = (prefix: string) => Array.from({ length: 500 }, (_, index) => `${prefix}${index}`);
    const rules = [
      rule('bots', { ...bots, services: names('a') }, 'demote'),
      rule('other', { services: names('b') }),
    ];
    expect(delivered(rules, 'published_server')).toEqual([]);
  });
});
