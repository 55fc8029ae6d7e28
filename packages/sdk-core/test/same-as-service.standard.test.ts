import type { CaptureMatcher } from '@culprit/contract/capture/capture';
import { evaluateCapturePolicy } from '@culprit/evidence/capture/capture-policy';
import { type ActiveRule, compileRules } from '@culprit/evidence/capture/evaluate-rules';
import { RuleFacts } from '@culprit/evidence/capture/rule-facts';
import { readEventFacts } from '@culprit/evidence/events/normalize/read-event-facts';
import { redactText } from '@culprit/evidence/events/redact/redact-values';
import { expect, it, vi } from 'vitest';
import { runSize } from '../../server/test/support/run-size.ts';
import { chooseSeed, type SeededRandom, seededRandom } from '../../server/test/support/seeded-random.ts';
import { createJudge, presetPolicy } from '../src/policy.ts';
import { createRedaction } from '../src/redaction/redact.ts';
import { SERVER_PATTERNS } from '../src/redaction/redact-node.ts';
import { isDroppedByRules } from '../src/rules.ts';
import type { CapturePolicy, CaptureRule, JsonObject, WireEvent } from '../src/wire.ts';

/**
 * The core shares no code with the service, so that it is small; it must decide the same (docs/contract/clients.md
 * 11.5). `CULPRIT_TEST_SEED` repeats a run.
 */

const SEED = chooseSeed();
const EVENTS = runSize('CULPRIT_SAME_EVENTS', { standard: 100_000, long: 1_000_000 });
const NOW_MS = Date.UTC(2030, 0, 1);
const PROJECT = 'proj_00000000-0000-4000-8000-000000000001';
const hint = `seed ${SEED}`;
// The long lane has a million of each, beside other tests.
vi.setConfig({ testTimeout: 120_000 });

it(`judges ${EVENTS} events by the policy as the service does`, () => {
  const random = seededRandom(SEED);
  for (let i = 0; i < EVENTS; i += 1) {
    const event = randomEvent(random, i);
    const policy: CapturePolicy = {
      ...presetPolicy(random.pick(['minimal', 'balanced', 'investigative'] as const)),
      ...(random.chance(0.3)
        ? { capture_logs: random.pick(['off', 'error', 'warning', 'info'] as const) }
        : {}),
      ...(random.chance(0.3)
        ? { capture_request_events: random.pick(['off', 'filtered', 'all'] as const) }
        : {}),
      ...(random.chance(0.3) ? { immediate_client_error_statuses: [404, 410] } : {}),
      ...(random.chance(0.3)
        ? {
            immediate_client_error_path_rules: [
              {
                status_code: 404,
                path_pattern: random.pick(['/a*', '/a/b', '/*']),
                methods: random.chance(0.5) ? [] : ['GET'],
              },
            ],
          }
        : {}),
    };
    const served = evaluateCapturePolicy(
      {
        ...policy,
        capture_messages: 'error',
        immediate_client_error_statuses: [...policy.immediate_client_error_statuses],
        immediate_client_error_path_rules: policy.immediate_client_error_path_rules.map((rule) => ({
          ...rule,
          methods: rule.methods.map((method) => (method === 'GET' ? method : 'POST')),
        })),
      },
      readEventFacts(plain(event)),
    );
    const own = createJudge(() => policy)(event.event_type, event.payload);
    expect(own.wanted, `${hint}: ${JSON.stringify([policy, event])}`).toBe(served.accepted);
  }
});

it(`drops by rules what the service drops, and nothing else, of ${EVENTS} pairs`, () => {
  const random = seededRandom(SEED);
  let dropped = 0;
  for (let i = 0; i < EVENTS / 10; i += 1) {
    const rules = Array.from({ length: random.integer(1, 3) }, (_, n) => randomRule(random, n));
    const active = rules.map(
      (rule): ActiveRule => ({
        ruleId: rule.id,
        action: rule.action,
        matcher: rule.matcher as CaptureMatcher,
        sampleRate: rule.sample_rate,
        sampleEventClass: rule.action === 'sample' ? 'preserve' : null,
        expiresAtMs: rule.expires_at === null ? null : Date.parse(rule.expires_at),
        updatedAtMs: 0,
      }),
    );
    const compiled = compileRules(PROJECT, active);
    // The answer lists them in the order of their evaluation.
    const ordered = orderOf(active)
      .map((id) => rules.find((rule) => rule.id === id))
      .filter((rule) => rule !== undefined);
    for (let n = 0; n < 10; n += 1) {
      const event = randomEvent(random, i * 10 + n);
      const json = plain(event);
      const decision = compiled.decide(new RuleFacts(readEventFacts(json), () => json, null), NOW_MS);
      const isServed = decision?.outcome === 'dropped' || decision?.outcome === 'sampled_out';
      const isOwn = isDroppedByRules(ordered, event, NOW_MS);
      // Fingerprints, hidden messages and hidden browser errors are left to the service.
      const { message, browser_event } = event.payload;
      const isLeft =
        rules.some((rule) => 'fingerprint' in rule.matcher) ||
        message === '' ||
        (message === 'Script error.' && browser_event === null);
      const said = `${hint}: ${JSON.stringify([ordered, event])}`;
      if (isOwn) expect(isServed, said).toBe(true);
      if (isServed && !isLeft) expect(isOwn, said).toBe(true);
      if (isOwn) dropped += 1;
    }
  }
  expect(dropped).toBeGreaterThan(EVENTS / 100);
});

it(`redacts ${EVENTS} texts as the service does`, () => {
  const random = seededRandom(SEED);
  const own = createRedaction([], SERVER_PATTERNS);
  let changed = 0;
  for (let i = 0; i < EVENTS; i += 1) {
    const given = Array.from({ length: random.integer(1, 8) }, () => randomPiece(random)).join(
      random.pick([' ', '', '\n', ', ', '-', '.']),
    );
    const served = redactText(given);
    expect(own.text(given), `${hint}: ${JSON.stringify(given)}`).toBe(served);
    if (served !== given) changed += 1;
  }
  expect(changed).toBeGreaterThan(EVENTS / 10);
});

function plain(event: WireEvent): JsonObject {
  return JSON.parse(JSON.stringify(event));
}

function orderOf(rules: readonly ActiveRule[]): string[] {
  // The service says which rule decides when all of them match: ask it again without that one.
  const left = [...rules];
  const order: string[] = [];
  const all = compileAlways(left);
  for (let rule = all(); rule !== undefined; rule = all()) order.push(rule);
  return order;
}

/** Gives the rules in evaluation order, one a call, by their scores as the service adds them up. */
function compileAlways(rules: ActiveRule[]): () => string | undefined {
  const scored = rules
    .map((rule) => ({ rule, score: scoreOf(rule.matcher) }))
    .sort((a, b) => b.score - a.score || (a.rule.ruleId < b.rule.ruleId ? -1 : 1));
  return () => scored.shift()?.rule.ruleId;
}

/** docs/contract/ingestion.md 5.2. */
const SCORES: Readonly<Record<string, number>> = {
  fingerprint: 1000,
  host: 250,
  path_equals: 200,
  status_codes: 150,
  host_suffix: 90,
  browser_event_kind: 100,
  browser_event_opaque: 100,
  path_prefix: 80,
  error_name: 70,
  message_equals: 60,
  message_contains: 50,
  bot_family: 45,
  first_party: 40,
  client_kind: 35,
  services: 30,
  environments: 20,
  runtime: 10,
  event_types: 5,
};

function scoreOf(matcher: object): number {
  return Object.entries(matcher).reduce(
    (sum, [key, value]) => sum + (key.endsWith('_url') ? scoreOf(value) : (SCORES[key] ?? 0)),
    0,
  );
}

function randomRule(random: SeededRandom, n: number): CaptureRule {
  const action = random.pick(['drop', 'drop', 'sample', 'demote'] as const);
  const url = () =>
    random.pick([
      { host: 'cdn.example.com' },
      { host_suffix: 'example.com' },
      { path_prefix: '/a' },
      { path_equals: '/a/b' },
      { host: 'CDN.example.com', path_prefix: '/' },
    ]);
  const choices: (() => JsonObject)[] = [
    () => ({
      event_types: [random.pick(['backend_exception', 'frontend_exception', 'log_event', 'request_event'])],
    }),
    () => ({ services: [random.pick(['api', 'web'])] }),
    () => ({ environments: ['production'] }),
    () => ({ runtime: [random.pick(['node', 'browser', 'unknown'])] }),
    () => ({ error_name: 'TypeError' }),
    () => ({ message_equals: 'boom' }),
    () => ({ message_contains: 'oo' }),
    () => ({ status_codes: [random.pick([404, 500])] }),
    () => ({ status_ranges: [{ start: 400, end: 499 }] }),
    () => ({ browser_event_kind: random.pick(['window_error', 'resource_error']) }),
    () => ({ browser_event_opaque: random.chance(0.5) }),
    () => ({ resource_url: url() }),
    () => ({ request_url: url() }),
    () => ({ first_party: random.chance(0.5) }),
    () => ({ client_kind: random.pick(['human', 'bot', 'unknown']) }),
    () => ({ bot_family: random.pick(['Googlebot', 'OtherBot', 'FacebookBot']) }),
    () => ({ fingerprint: { version: 'v2', value: 'x' } }),
  ];
  const keys = Array.from({ length: random.integer(1, 3) }, () => random.pick(choices)());
  return {
    id: `7d0f4f0e-6b1c-4c55-9a53-0b6f3c1f2a1${n}`,
    project_id: PROJECT,
    action,
    matcher: Object.assign({}, ...keys),
    sample_rate: action === 'sample' ? random.pick([0, 0.3, 1]) : null,
    expires_at: random.pick([null, null, '2029-01-01T00:00:00Z', '2031-01-01T00:00:00Z']),
  };
}

function randomEvent(random: SeededRandom, i: number): WireEvent {
  const type = random.pick([
    'backend_exception',
    'frontend_exception',
    'request_event',
    'log_event',
    'frontend_breadcrumb',
    'probe_event',
    'deploy_metadata',
    'error_suppressed',
  ] as const);
  return {
    occurred_at: '2030-01-01T00:00:00.000Z',
    event_id: `0000-${i}-${random.integer(0, 1e9)}`,
    event_type: type,
    schema_version: '2026-03-01',
    sdk_name: '@culprit/node',
    sdk_version: '0.1.0',
    service: {
      name: random.pick(['api', 'web']),
      environment: random.pick(['production', 'staging']),
      runtime: random.pick(['node', 'browser', 'nodejs', 'deno', null]),
      framework: null,
    },
    correlation: { request_id: null, trace_id: null, session_id: null, user_id_hash: null },
    payload: randomPayload(random, type),
    context: {},
  };
}

function randomPayload(random: SeededRandom, type: WireEvent['event_type']): JsonObject {
  const agent = () =>
    random.pick([
      'Mozilla/5.0 Chrome/120',
      'Googlebot/2.1',
      'facebookexternalhit/1.1',
      'my crawler 1',
      'robot',
      '',
    ]);
  const address = () =>
    random.pick([
      '/a/b',
      '/a',
      '/z?x=/a',
      'https://cdn.example.com/a/b?q#f',
      'http://u:p@cdn.example.com:8080/',
      '//x.example.com/a',
      'blob:https://cdn.example.com/a',
    ]);
  const message = random.pick(['boom', 'foo', 'Script error.', 'x', '']);
  const name = random.pick(['TypeError', 'Error']);
  switch (type) {
    case 'backend_exception':
      return {
        name,
        message,
        stack: null,
        handled: true,
        request: random.pick([null, { method: 'GET', path: address(), headers: { 'User-Agent': agent() } }]),
        response: random.pick([null, { status_code: random.pick([404, 500]) }]),
      };
    case 'frontend_exception':
      return {
        name,
        message,
        stack: random.pick([null, `${name}: ${message}\n    at f (https://cdn.example.com/a.js:1:2)`]),
        device: random.pick([null, { user_agent: agent() }, { language: 'de' }]),
        browser_event: random.pick([
          null,
          { kind: 'window_error', opaque: true, file_name: address() },
          { kind: 'resource_error', opaque: true, target: { tag_name: 'img', source_url: address() } },
        ]),
      };
    case 'request_event':
      return {
        method: random.pick(['GET', 'post']),
        path: address(),
        response_status: random.pick([0, 200, 302, 401, 404, 409, 410, 422, 429, 500, 503]),
        headers: random.pick([{}, { 'user-agent': agent() }]),
      };
    case 'log_event':
      return {
        level: random.pick(['debug', 'info', 'warning', 'error', 'fatal', 'notice', 'ALERT']),
        message,
        attributes: {},
      };
    case 'frontend_breadcrumb':
      return {
        breadcrumb_type: random.pick(['network_request', 'click', 'network']),
        route: null,
        data: random.pick([{}, { url: address(), status_code: random.pick([404, 500]) }]),
      };
    case 'probe_event':
      return { label: 'l', data: {} };
    case 'deploy_metadata':
      return { version: '1' };
    default:
      return { suppressed_count: 1 };
  }
}

function randomPiece(random: SeededRandom): string {
  const text = (alphabet: string, least: number, most: number) =>
    Array.from({ length: random.integer(least, most) }, () =>
      alphabet.charAt(random.integer(0, alphabet.length - 1)),
    ).join('');
  const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=';
  return random.pick([
    () => text('0123456789', 1, 22),
    () =>
      `${text('0123456789', 4, 4)} ${text('0123456789', 4, 4)} ${text('0123456789', 4, 4)} ${text('0123456789', 1, 7)}`,
    () =>
      random.pick([
        '4111111111111111',
        '4111 1111 1111 1111',
        '378282246310005',
        '20300101000000',
        '1700000000000',
      ]),
    () =>
      `${random.pick(['Bearer', 'bearer', 'Basic', 'BASIC'])}${random.pick([' ', '%20', '+', '\t'])}${text(base64, 1, 30)}`,
    () => `Basic ${Buffer.from(text('abc:12', 1, 12)).toString('base64')}`,
    () => random.pick(['Bearer token', 'Visual Basic 6.0', 'basic auth', 'Bearer realm=x']),
    () => `eyJ${text('abcDEF012_-', 0, 12)}${text('.ab', 0, 6)}`,
    () => `svc_${random.pick(['proj', 'mem', 'probe'])}_${text('abcDEF-_0', 0, 10)}`,
    () => `${random.pick(['https', 'postgres', 'a+b', ''])}://${text('ab:@/?#.', 0, 12)}`,
    () =>
      `-----BEGIN ${random.pick(['PRIVATE KEY', 'RSA PRIVATE KEY', 'CERTIFICATE'])}-----\n${text('abc\n', 0, 9)}`,
    () => `-----END ${random.pick(['PRIVATE KEY', 'CERTIFICATE'])}-----`,
    () => text('abc xyz.:/', 1, 10),
  ])();
}
