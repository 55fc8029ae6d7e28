import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { describe, expect, it } from 'vitest';
import type { RuntimeFact } from '../../src/capture/rule-facts.ts';
import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';
import { fixture } from '../events/event-fixtures.ts';
import { factsOf, isMatch } from './facts-of.ts';

type Sets = Record<string, JsonValue>;

const withRequest = (request: JsonObject, response: JsonObject | null = null) =>
  fixture('W', { 'payload.request': request, 'payload.response': response });
const withTarget = (source_url: string | null, file_name: string | null = null) =>
  fixture('FE', {
    'payload.browser_event.target.source_url': source_url,
    'payload.browser_event.file_name': file_name,
  });
const network = (data: JsonObject, type = 'network_request') =>
  fixture('CRUMB', { 'payload.breadcrumb_type': type, 'payload.data': data });
const userAgent = (text: string | null): Sets => ({ 'payload.device': { user_agent: text } });

type Line = [name: string, matcher: CaptureMatcher, event: JsonObject, expected: boolean];

describe('a matcher key (docs/contract/ingestion.md 5.2)', () => {
  it.each<Line>([
    ['one of several types', { event_types: ['log_event', 'request_event'] }, fixture('REQ'), true],
    ['another type', { event_types: ['log_event'] }, fixture('REQ'), false],
    ['one of several services', { services: ['web', 'api-server'] }, fixture('A'), true],
    ['a service in other letters', { services: ['API-server'] }, fixture('A'), false],
    [
      'a service that was sent with blanks around it',
      { services: ['api'] },
      fixture('A', { 'service.name': ' api ' }),
      true,
    ],
    ['one of several environments', { environments: ['staging', 'production'] }, fixture('A'), true],
    ['another environment', { environments: ['Production'] }, fixture('A'), false],
  ])('services, environments, event_types: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<[JsonValue, RuntimeFact]>([
    ['node', 'node'],
    ['nodejs', 'node'],
    ['golang', 'go'],
    ['go', 'go'],
    ['browser', 'browser'],
    ['ruby', 'ruby'],
    ['dotnet', 'unknown'],
    ['Node', 'unknown'],
    ['constructor', 'unknown'],
    [null, 'unknown'],
  ])('runtime: %s reads as %s', (sent, runtime) => {
    expect(factsOf(fixture('A', { 'service.runtime': sent })).runtime).toBe(runtime);
  });

  it.each<Line>([
    ['the only one', { runtime: ['node'] }, fixture('A', { 'service.runtime': 'nodejs' }), true],
    ['one of several', { runtime: ['python', 'node'] }, fixture('A', { 'service.runtime': 'node' }), true],
    ['none of several', { runtime: ['python', 'go'] }, fixture('A', { 'service.runtime': 'node' }), false],
    ['none at all', { runtime: ['unknown'] }, fixture('A', { 'service.runtime': null }), true],
  ])('runtime: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<Line>([
    ['of a backend exception', { error_name: 'TypeError' }, fixture('A'), true],
    ['of a frontend exception', { error_name: 'ResourceLoadError' }, fixture('FE'), true],
    ['in other letters', { error_name: 'typeerror' }, fixture('A'), false],
    ['a part of it', { error_name: 'Type' }, fixture('A'), false],
    [
      'as it is shown, without PHP’s backslash',
      { error_name: 'App\\Bad' },
      fixture('A', { 'payload.error_class': '\\App\\Bad' }),
      true,
    ],
    ['of a log, which has none', { error_name: 'Error' }, fixture('LOG'), false],
  ])('error_name: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<Line>([
    ['whole', { message_equals: 'total is undefined' }, fixture('A'), true],
    ['a part', { message_equals: 'total' }, fixture('A'), false],
    ['of a log', { message_equals: 'payment failed' }, fixture('LOG'), true],
    ['contained', { message_contains: 'is unde' }, fixture('A'), true],
    ['contained in other letters', { message_contains: 'Is unde' }, fixture('A'), false],
    ['nothing is a pattern', { message_contains: 't.*d' }, fixture('A'), false],
    [
      'nothing is a pattern, so this is text',
      { message_contains: 't.*d' },
      fixture('A', { 'payload.message': 'at.*d(' }),
      true,
    ],
    ['of a request, which has none', { message_contains: 'a' }, fixture('REQ'), false],
    [
      'that only the stack tells',
      { message_equals: 'total is undefined' },
      fixture('A', { 'payload.message': null }),
      true,
    ],
    [
      'with its secrets redacted, as it is shown',
      { message_contains: 'Bearer [REDACTED]' },
      fixture('A', { 'payload.message': 'got Bearer abc.def.123' }),
      true,
    ],
  ])('message: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<Line>([
    [
      'kind',
      { browser_event_kind: 'resource_error', resource_url: { path_prefix: '/' } },
      fixture('FE'),
      true,
    ],
    ['other kind', { browser_event_kind: 'window_error' }, fixture('FE'), false],
    ['opaque', { browser_event_opaque: true }, fixture('FE'), true],
    ['not opaque', { browser_event_opaque: false }, fixture('FE'), false],
    [
      'of an event without one',
      { browser_event_opaque: false },
      fixture('FE', { 'payload.browser_event': null }),
      false,
    ],
    ['of a backend exception', { browser_event_opaque: false }, fixture('A'), false],
    [
      'of an older library’s hidden error',
      { browser_event_kind: 'window_error', browser_event_opaque: true },
      fixture('FE', {
        'payload.browser_event': null,
        'payload.message': 'Script error.',
        'payload.stack': null,
      }),
      true,
    ],
    [
      'of an error that only sounds hidden',
      { browser_event_kind: 'window_error' },
      fixture('FE', {
        'payload.browser_event': null,
        'payload.message': 'Script error.',
        'payload.stack': 'Error: Script error.\n    at pay (https://shop.example/app.js:1:2)',
      }),
      false,
    ],
  ])('browser event: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<Line>([
    ['host', { resource_url: { host: 'cdn.ads.example' } }, fixture('FE'), true],
    [
      'host in any letters',
      { resource_url: { host: 'CDN.Ads.Example' } },
      withTarget('https://cdn.ADS.example/x.js'),
      true,
    ],
    ['another host', { resource_url: { host: 'ads.example' } }, fixture('FE'), false],
    [
      'host, whatever its port',
      { resource_url: { host: 'localhost' } },
      withTarget('http://localhost:3000/x.js'),
      true,
    ],
    [
      'host and port',
      { resource_url: { host: 'localhost:3000' } },
      withTarget('http://localhost:3000/x.js'),
      true,
    ],
    [
      'another port',
      { resource_url: { host: 'localhost:3001' } },
      withTarget('http://localhost:3000/x.js'),
      false,
    ],
    ['suffix', { resource_url: { host_suffix: '.Ads.example' } }, fixture('FE'), true],
    [
      'suffix with a port',
      { resource_url: { host_suffix: '.ads.example' } },
      withTarget('https://c.ads.example:8443/'),
      true,
    ],
    ['other suffix', { resource_url: { host_suffix: '.ad.example' } }, fixture('FE'), false],
    [
      'path',
      { resource_url: { path_equals: '/x.js' } },
      withTarget('https://cdn.example/x.js?v=1#top'),
      true,
    ],
    ['path in other letters', { resource_url: { path_equals: '/X.js' } }, fixture('FE'), false],
    ['path prefix', { resource_url: { path_prefix: '/assets/' } }, withTarget('/assets/app.js'), true],
    ['path of a bare host', { resource_url: { path_equals: '/' } }, withTarget('https://cdn.example'), true],
    ['relative path', { resource_url: { path_equals: '/app.js' } }, withTarget('app.js'), true],
    ['host and path', { resource_url: { host: 'cdn.ads.example', path_prefix: '/x' } }, fixture('FE'), true],
    [
      'host but not path',
      { resource_url: { host: 'cdn.ads.example', path_prefix: '/y' } },
      fixture('FE'),
      false,
    ],
    [
      'file when there is no target',
      { resource_url: { path_equals: '/main.js' } },
      withTarget(null, 'https://a.example/main.js'),
      true,
    ],
    [
      'target before file',
      { resource_url: { path_equals: '/main.js' } },
      withTarget('/t.js', '/main.js'),
      false,
    ],
    ['no address at all', { resource_url: { path_prefix: '/' } }, withTarget(null), false],
    ['of a backend exception', { resource_url: { path_prefix: '/' } }, fixture('W'), false],
    [
      'user-info is no host',
      { resource_url: { host: 'cdn.example' } },
      withTarget('https://user:pass@cdn.example/x'),
      true,
    ],
    ['protocol-relative', { resource_url: { host: 'cdn.example' } }, withTarget('//cdn.example/x.js'), true],
    ['blob', { resource_url: { host: 'shop.example' } }, withTarget('blob:https://shop.example/1-2'), true],
    ['IPv6', { resource_url: { host: '[::1]' } }, withTarget('http://[::1]:80/x'), true],
  ])('resource_url: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<Line>([
    ['of a backend exception', { request_url: { path_equals: '/cart' } }, fixture('W'), true],
    [
      'of its context',
      { request_url: { path_equals: '/pay' } },
      fixture('A', { 'context.request': { path: '/pay' } }),
      true,
    ],
    [
      'of a request event',
      { request_url: { path_equals: '/orders/7' } },
      fixture('REQ', { 'payload.path': '/orders/7?x=1' }),
      true,
    ],
    [
      'host of a full URL',
      { request_url: { host: 'api.example' } },
      fixture('REQ', { 'payload.path': 'https://api.example/v1' }),
      true,
    ],
    ['host of a path', { request_url: { host: 'api.example' } }, fixture('REQ'), false],
    [
      'path decides, not the url beside it',
      { request_url: { host: 'api.example' } },
      withRequest({ path: '/v1', url: 'https://api.example/v1' }),
      false,
    ],
    [
      'url alone',
      { request_url: { host: 'api.example' } },
      withRequest({ url: 'https://api.example/v1' }),
      true,
    ],
    [
      'of a network breadcrumb',
      { request_url: { host: 'api.example' } },
      network({ url: 'https://api.example/v1' }),
      true,
    ],
    [
      'of a mobile network breadcrumb',
      { request_url: { path_prefix: '/v' } },
      network({ url: '/v1' }, 'network'),
      true,
    ],
    ['of another breadcrumb', { request_url: { path_prefix: '/' } }, network({ url: '/v1' }, 'click'), false],
    ['of a frontend exception', { request_url: { path_prefix: '/' } }, fixture('FE'), false],
  ])('request_url: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<Line>([
    ['one of several', { status_codes: [404, 500] }, fixture('REQ'), true],
    ['another', { status_codes: [404] }, fixture('REQ'), false],
    ['start of a range', { status_ranges: [{ start: 500, end: 599 }] }, fixture('REQ'), true],
    ['end of a range', { status_ranges: [{ start: 400, end: 500 }] }, fixture('REQ'), true],
    [
      'one of several ranges',
      {
        status_ranges: [
          { start: 100, end: 101 },
          { start: 500, end: 500 },
        ],
      },
      fixture('REQ'),
      true,
    ],
    ['outside', { status_ranges: [{ start: 501, end: 599 }] }, fixture('REQ'), false],
    ['of a backend exception', { status_codes: [500] }, fixture('W'), true],
    ['of a breadcrumb', { status_codes: [502] }, network({ url: '/v1', status_code: 502 }), true],
    ['of a breadcrumb’s other key', { status_codes: [502] }, network({ url: '/v1', status: 502 }), true],
    [
      'that was not answered',
      { status_ranges: [{ start: 100, end: 599 }] },
      fixture('REQ', { 'payload.response_status': null }),
      false,
    ],
    ['of an exception without response', { status_ranges: [{ start: 100, end: 599 }] }, fixture('A'), false],
  ])('status: %s', (_name, matcher, event, expected) => {
    expect(isMatch(matcher, event)).toBe(expected);
  });

  it.each<[string, JsonObject, boolean | null]>([
    ['a resource by its path', withTarget('/app.js'), true],
    ['a resource by its URL', fixture('FE'), false],
    ['a protocol-relative resource', withTarget('//cdn.example/x.js'), false],
    ['a data URL', withTarget('data:text/javascript,1'), false],
    ['a frontend exception without address', withTarget(null), null],
    ['a request by its path', fixture('REQ'), true],
    ['a request by its URL', fixture('REQ', { 'payload.path': 'https://api.example/' }), false],
    ['a backend exception without request', fixture('A'), true],
    ['a backend exception with a URL', withRequest({ url: 'https://api.example/' }), false],
    ['a network breadcrumb by its URL', network({ url: 'https://api.example/' }), false],
    ['a network breadcrumb by its path', network({ url: '/v1' }), true],
    ['a click', fixture('CRUMB'), null],
    ['a log', fixture('LOG'), null],
  ])('first_party: %s is %s', (_name, event, expected) => {
    for (const first_party of [true, false]) {
      expect(isMatch({ first_party }, event)).toBe(expected === first_party);
    }
  });

  it.each<[string, JsonObject, ReturnType<typeof factsOf>['client']]>([
    ['a person', fixture('FE', userAgent('Mozilla/5.0 Chrome/140')), { kind: 'human', family: null }],
    [
      'a device that says nothing',
      fixture('FE', { 'payload.device': { os_name: 'x' } }),
      { kind: 'unknown', family: null },
    ],
    ['a user agent of blanks', fixture('FE', userAgent(' ')), { kind: 'unknown', family: null }],
    [
      'a known bot',
      fixture('FE', userAgent('Mozilla/5.0 (compatible; Googlebot/2.1)')),
      { kind: 'bot', family: 'Googlebot' },
    ],
    ['a bot in other letters', fixture('A', userAgent('BINGBOT')), { kind: 'bot', family: 'Bingbot' }],
    ['Facebook', fixture('A', userAgent('facebookexternalhit/1.1')), { kind: 'bot', family: 'FacebookBot' }],
    [
      'a word that names a bot',
      fixture('A', userAgent('my crawler 1.0')),
      { kind: 'bot', family: 'OtherBot' },
    ],
    ['Slurp', fixture('A', userAgent('Yahoo! Slurp')), { kind: 'bot', family: 'OtherBot' }],
    [
      'a word that only holds one',
      fixture('A', userAgent('Cubot robotics spiders')),
      { kind: 'human', family: null },
    ],
    [
      'the envelope’s device',
      fixture('A', { device: { user_agent: 'Applebot' } }),
      { kind: 'bot', family: 'Applebot' },
    ],
    [
      'a browser event’s own field',
      fixture('FE', { 'payload.user_agent': 'Slackbot 1.0' }),
      { kind: 'bot', family: 'Slackbot' },
    ],
    [
      'the header of a request',
      fixture('REQ', { 'payload.headers': { 'User-Agent': 'YandexBot' } }),
      { kind: 'bot', family: 'YandexBot' },
    ],
    [
      'the header of an exception’s request',
      withRequest({ path: '/', headers: { 'user-agent': ['Twitterbot'] } }),
      { kind: 'bot', family: 'TwitterBot' },
    ],
    ['no device and no user agent', fixture('A'), null],
  ])('client: %s', (_name, event, expected) => {
    expect(factsOf(event).client).toEqual(expected);
    for (const client_kind of ['human', 'bot', 'unknown'] as const) {
      expect(isMatch({ client_kind }, event)).toBe(expected?.kind === client_kind);
    }
    expect(isMatch({ bot_family: 'Googlebot' }, event)).toBe(expected?.family === 'Googlebot');
  });

  it('fingerprint: version and value, and only one the server derived', () => {
    const event = fixture('A', { fingerprint: 'f', 'payload.fingerprint': 'f' });
    const matcher = { fingerprint: { version: 'v2', value: 'f' } };
    expect(isMatch(matcher, event, 'v2:f')).toBe(true);
    expect(isMatch(matcher, event, 'v3:f')).toBe(false);
    expect(isMatch(matcher, event, 'v2:g')).toBe(false);
    expect(isMatch(matcher, event, null)).toBe(false);
  });

  it('matches only together with all the others', () => {
    const whole: CaptureMatcher = {
      event_types: ['backend_exception'],
      services: ['api-server'],
      error_name: 'TypeError',
      message_contains: 'total',
    };
    expect(isMatch(whole, fixture('A'))).toBe(true);
    expect(isMatch({ ...whole, services: ['web'] }, fixture('A'))).toBe(false);
    expect(isMatch({ ...whole, error_name: 'RangeError' }, fixture('A'))).toBe(false);
    expect(isMatch({ ...whole, message_contains: 'none' }, fixture('A'))).toBe(false);
    expect(isMatch({ ...whole, event_types: ['log_event'] }, fixture('A'))).toBe(false);
  });
});
