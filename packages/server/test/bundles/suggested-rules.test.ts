import { newRuleSettings } from '@culprit/evidence/capture/capture-rule';
import { describe, expect, it } from 'vitest';
import { requireSoundRule } from '../../src/capture/require-sound-rule.ts';
import { suggestedRules } from '../../src/pipeline/bundles/suggestions/suggested-rules.ts';
import {
  readSuggestionEvidence,
  type SuggestionEvidence,
  type SuggestionIncident,
} from '../../src/pipeline/bundles/suggestions/suggestion-evidence.ts';

const INCIDENT: SuggestionIncident = {
  incidentId: 'inc_5f2a3a36-9b7c-4f63-8f44-2f0f6a1d7c02',
  fingerprint: 'ab'.repeat(32),
  fingerprintVersion: 'v2',
  fingerprintKind: 'exception',
  eventType: 'backend_exception',
  matchedPolicy: 'always_incident',
};

function evidence(changes: Partial<SuggestionEvidence> = {}): SuggestionEvidence {
  return {
    ...INCIDENT,
    primaryEventId: 'evt_1',
    occurrenceCount: 1,
    serviceName: 'web',
    environment: 'production',
    resource: null,
    userAgent: null,
    request: { method: null, path: null, routeTemplate: null },
    status: null,
    ...changes,
  };
}

function ids(changes: Partial<SuggestionEvidence>): string[] {
  return suggestedRules(evidence(changes)).map((suggestion) => suggestion.suggestion_id);
}

function matcherOf(id: string, changes: Partial<SuggestionEvidence>) {
  return suggestedRules(evidence(changes)).find((each) => each.suggestion_id === id)?.rule.matcher;
}

const NOISY: Partial<SuggestionEvidence> = {
  fingerprintKind: 'request',
  eventType: 'request_event',
  matchedPolicy: 'immediate_failure_preset',
  occurrenceCount: 10,
  request: { method: 'GET', path: '/orders/17/items', routeTemplate: null },
  status: 429,
};

describe('what is suggested', () => {
  it('is the exact fingerprint for everything, last, and only on confirmation', () => {
    const suggestions = suggestedRules(
      evidence({ resource: { host: 'cdn.example', isFirstParty: null }, userAgent: 'Googlebot' }),
    );
    expect(suggestions.map(({ suggestion_id }) => suggestion_id)).toEqual([
      'primary_resource_host_demote',
      'bot_client_demote',
      'exact_fingerprint_drop',
    ]);
    expect(suggestions.map(({ requires_confirmation }) => requires_confirmation)).toEqual([
      false,
      false,
      true,
    ]);
    expect(suggestions.at(-1)).toMatchObject({
      recommended_action: 'drop',
      confidence: 'low',
      rule: {
        action: 'drop',
        matcher: { fingerprint: { version: 'v2', value: INCIDENT.fingerprint } },
        created_from_incident_id: INCIDENT.incidentId,
        created_from_event_id: 'evt_1',
      },
    });
  });

  it.each<[string, Partial<SuggestionEvidence>, string[]]>([
    [
      'a resource of another site',
      { resource: { host: 'a.example', isFirstParty: false } },
      ['primary_resource_host_demote'],
    ],
    ['a resource of the page’s own site', { resource: { host: 'a.example', isFirstParty: true } }, []],
    ['a resource without host', { resource: { host: null, isFirstParty: null } }, []],
    ['a host longer than a matcher holds', { resource: { host: 'a'.repeat(256), isFirstParty: null } }, []],
    [
      'a hidden script error',
      { fingerprintKind: 'window', eventType: 'frontend_exception' },
      ['opaque_window_error_demote'],
    ],
    [
      'a hidden error of a service no matcher can name',
      { fingerprintKind: 'window', serviceName: 's'.repeat(121) },
      [],
    ],
    [
      'a hidden resource error',
      { fingerprintKind: 'window', resource: { host: null, isFirstParty: null } },
      [],
    ],
    ['a known bot', { userAgent: 'Mozilla/5.0 (compatible; bingbot/2.0)' }, ['bot_client_demote']],
    ['an unknown bot', { userAgent: 'my spider' }, ['bot_client_demote']],
    ['a person', { userAgent: 'Mozilla/5.0 Chrome' }, []],
    ['a noisy route', NOISY, ['noisy_request_route_sample']],
    ['a quiet route', { ...NOISY, occurrenceCount: 9 }, []],
    ['a route the project promoted', { ...NOISY, matchedPolicy: 'immediate_client_error_status' }, []],
    ['a failing server', { ...NOISY, matchedPolicy: 'immediate_failure_5xx', status: 500 }, []],
    [
      'a route whose path was redacted',
      { ...NOISY, request: { method: null, path: '/a/[REDACTED]', routeTemplate: null } },
      [],
    ],
  ])('for %s', (_name, changes, expected) => {
    expect(ids(changes)).toEqual([...expected, 'exact_fingerprint_drop']);
  });

  it('is nothing for an availability check, which sends no events', () => {
    expect(ids({ fingerprintKind: 'availability', eventType: 'request_event' })).toEqual([]);
  });

  it.each<[string, Partial<SuggestionEvidence>['request'], object]>([
    [
      'its fixed beginning',
      { method: 'GET', path: '/orders/17/items', routeTemplate: null },
      { path_prefix: '/orders/' },
    ],
    [
      'the whole path',
      { method: 'GET', path: '/health/live', routeTemplate: null },
      { path_equals: '/health/live' },
    ],
    [
      'the framework’s own beginning',
      { method: 'GET', path: '/users/anna', routeTemplate: '/users/:name' },
      { path_prefix: '/users/' },
    ],
    [
      'the path where the template is of a router below',
      { method: 'GET', path: '/api/users/anna', routeTemplate: '/users/:name' },
      { path_equals: '/api/users/anna' },
    ],
    [
      'no prefix that meets everything',
      { method: 'GET', path: '/17', routeTemplate: '/:id' },
      { path_equals: '/17' },
    ],
  ])('names a route by %s', (_name, request, place) => {
    expect(
      matcherOf('noisy_request_route_sample', { ...NOISY, ...(request === undefined ? {} : { request }) }),
    ).toEqual({
      event_types: ['request_event'],
      services: ['web'],
      request_url: place,
      status_codes: [429],
    });
  });

  it('is the same for the same bundle, sound, and within its bounds', () => {
    const long = 'ä'.repeat(255);
    const all = evidence({
      ...NOISY,
      serviceName: 's'.repeat(120),
      environment: 'e'.repeat(120),
      primaryEventId: 'x'.repeat(121),
      resource: { host: long, isFirstParty: false },
      userAgent: 'Slackbot',
      request: { method: 'GET', path: `/${'p'.repeat(1000)}`, routeTemplate: null },
    });
    const suggestions = suggestedRules(all);
    expect(suggestions).toHaveLength(4);
    expect(suggestedRules(structuredClone(all))).toEqual(suggestions);
    for (const { rule, label, reason, suggestion_id } of suggestions) {
      expect(() => requireSoundRule(newRuleSettings(rule))).not.toThrow();
      expect(rule.created_from_event_id).toBeNull();
      expect([...rule.name].length).toBeLessThanOrEqual(120);
      expect([...label].length).toBeLessThanOrEqual(200);
      expect([...reason].length).toBeLessThanOrEqual(500);
      expect([...(rule.description ?? '')].length).toBeLessThanOrEqual(500);
      expect(suggestion_id.length).toBeLessThanOrEqual(120);
    }
  });
});

describe('the evidence of a bundle', () => {
  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another document', '{"signal":{}}'],
  ])('is none where the document is %s', (_name, text) => {
    expect(readSuggestionEvidence(Buffer.from(text), INCIDENT)).toBeNull();
  });

  it('takes the user agent of the device before that of the request', () => {
    const document = {
      project: { environment: 'production' },
      service: { name: 'web' },
      signal: { signal_id: 'evt_1', occurrence_count: 3 },
      context: {
        device: null,
        request: { method: 'GET', path: '/a', headers: { 'User-Agent': 'Googlebot' } },
        response: { status_code: 404 },
      },
    };
    const read = (context: object) =>
      readSuggestionEvidence(
        Buffer.from(JSON.stringify({ ...document, context: { ...document.context, ...context } })),
        INCIDENT,
      );
    expect(read({})).toMatchObject({ userAgent: 'Googlebot', status: 404, occurrenceCount: 3 });
    expect(read({ device: { user_agent: 'Slackbot' } })).toMatchObject({ userAgent: 'Slackbot' });
  });
});
