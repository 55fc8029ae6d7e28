import { describe, expect, it } from 'vitest';
import { createConfig, pollDelayOf, readConfig, rulesOf, triggerKeyOf } from '../src/config.ts';
import { createJudge, isImmediateFailure, levelName, levelRank, presetPolicy } from '../src/policy.ts';
import type { Answer } from '../src/sending/host.ts';
import type { CapturePolicy, EventType } from '../src/wire.ts';
import { exception, fakeClient, fakeHost, logLine, requestEvent, sentEvents } from './support/fake-host.ts';

/** docs/contract/ingestion.md 4.3 and 4.4, docs/contract/clients.md 9.1. */

const PRESETS = ['minimal', 'balanced', 'investigative'] as const;

describe('the policy matrix', () => {
  it.each<[EventType, { level?: string; response_status?: number }, boolean[], number]>([
    ['backend_exception', {}, [true, true, true], 2],
    ['frontend_exception', {}, [true, true, true], 2],
    ['deploy_metadata', {}, [true, true, true], 2],
    ['error_suppressed', {}, [true, true, true], 1],
    ['log_event', { level: 'error' }, [true, true, true], 1],
    ['log_event', { level: 'critical' }, [true, true, true], 1],
    ['log_event', { level: 'fatal' }, [true, true, true], 1],
    ['log_event', { level: 'warning' }, [false, true, true], 0],
    ['log_event', { level: 'info' }, [false, false, true], 0],
    ['log_event', {}, [false, false, true], 0],
    ['log_event', { level: 'debug' }, [false, false, false], 0],
    ['request_event', { response_status: 500 }, [true, true, true], 1],
    ...[408, 423, 424, 425, 429].map(
      (status): [EventType, { response_status: number }, boolean[], number] => [
        'request_event',
        { response_status: status },
        [false, true, true],
        1,
      ],
    ),
    ['request_event', { response_status: 404 }, [false, false, true], 0],
    ['request_event', { response_status: 200 }, [false, false, true], 0],
    ['request_event', { response_status: 0 }, [false, false, true], 0],
    ['frontend_breadcrumb', {}, [false, false, true], 0],
    ['probe_event', {}, [false, false, true], 0],
  ])('judges %s %o', (type, facts, wanted, rank) => {
    const verdicts = PRESETS.map((preset) => createJudge(() => presetPolicy(preset))(type, facts));
    expect(verdicts.map((verdict) => verdict.wanted)).toEqual(wanted);
    expect(verdicts[1]?.rank).toBe(rank);
  });

  it.each([401, 403, 409, 422])('takes %i for a failure only in the investigative preset', (status) => {
    expect(
      PRESETS.map((preset) => isImmediateFailure(presetPolicy(preset), { response_status: status })),
    ).toEqual([false, false, true]);
  });

  it.each([
    ['/a/b', 404, 'POST', true],
    ['https://host/a/b?x#y', 404, 'post', true],
    ['/a/b/c', 404, 'POST', false],
    ['/a/b', 404, 'GET', false],
    ['/a/b', 410, 'POST', false],
    ['/wild/x', 418, 'GET', true],
    ['/WILD/x', 418, 'GET', false],
  ])('matches path rules: %s %i %s', (path, response_status, method, expected) => {
    const policy: CapturePolicy = {
      ...presetPolicy('minimal'),
      immediate_client_error_path_rules: [
        { status_code: 404, path_pattern: '/a/b', methods: ['POST'] },
        { status_code: 418, path_pattern: '/wild/*', methods: [] },
      ],
    };
    expect(isImmediateFailure(policy, { path, response_status, method })).toBe(expected);
  });

  it('ranks every word of a level', () => {
    expect(['trace', 'VERBOSE', 'Debug'].map(levelRank)).toEqual([0, 0, 0]);
    expect(['info', 'information', 'notice'].map(levelRank)).toEqual([1, 1, 1]);
    expect(['warn', 'warning', 'error', 'critical', 'alert', 'emergency', 'fatal'].map(levelRank)).toEqual([
      2, 2, 3, 4, 4, 4, 4,
    ]);
    expect([undefined, 'loud', 3, null].map(levelRank)).toEqual([-1, -1, -1, -1]);
    expect(['fatal', 'warn', 'alert', 'x'].map(levelName)).toEqual(['fatal', 'warning', 'critical', 'info']);
  });
});

function configAnswer(policy: unknown, more: object = {}): Answer {
  return {
    status: 200,
    headers: { etag: '"1"' },
    body: JSON.stringify({ poll_interval_ms: 60_000, capture_policy: policy, ...more }),
  };
}

function clientWithConfig(answers: ((etag: string | null) => Answer | Promise<Answer>)[]) {
  const host = fakeHost();
  const asked: { atMs: number; etag: string | null }[] = [];
  const startMs = host.now();
  const config = createConfig(host, {
    async fetch(etag) {
      asked.push({ atMs: host.now() - startMs, etag });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) throw new Error('no network');
      return answer(etag);
    },
    polls: true,
    onDecided: () => client.judgeWaiting(),
    onRefused: (status) => client.stop(status),
    onAccepted: () => client.resume(),
  });
  const client = fakeClient(host, { judge: createJudge(config.policy), onStopped: config.recheck });
  return { host, client, config, asked };
}

const typesOf = (host: ReturnType<typeof fakeHost>) =>
  sentEvents(host).map(({ event_type, payload }) => payload.level ?? payload.response_status ?? event_type);

describe('the configuration', () => {
  it('judges by the first answer what was captured before it', async () => {
    let release = () => {};
    const { host, client, config } = clientWithConfig([
      () => new Promise((resolve) => (release = () => resolve(configAnswer(presetPolicy('balanced'))))),
    ]);
    config.start();
    client.capture(logLine('warning'));
    client.capture(logLine('info'));
    client.capture(requestEvent(404));
    client.capture(requestEvent(503));
    client.capture(exception());
    await host.advance(4000);
    expect(typesOf(host).sort()).toEqual([503, 'backend_exception']);
    expect(client.diagnostics()).toMatchObject({ waiting: 3, dropped: { policy: 0 } });
    release();
    await host.advance(2000);
    expect(typesOf(host)).toContain('warning');
    expect(client.diagnostics()).toMatchObject({ captured: 5, sent: 3, waiting: 0, dropped: { policy: 2 } });
  });

  it('is minimal when the first request fails, and after five seconds without an answer', async () => {
    for (const answers of [[], [() => new Promise<Answer>(() => {})]]) {
      const { host, client, config } = clientWithConfig(answers);
      config.start();
      client.capture(logLine('warning'));
      client.capture(logLine('error'));
      await host.advance(8000);
      expect(typesOf(host)).toEqual(['error']);
      expect(config.policy()).toMatchObject({ preset: 'minimal' });
    }
  });

  it('is asked for again soon when the start of the process was too busy for the first answer', async () => {
    const fails = () => Promise.reject(new Error('timeout'));
    const { host, config, asked } = clientWithConfig([
      ...[fails, fails, fails],
      () => configAnswer(presetPolicy('balanced')),
    ]);
    config.start();
    await host.advance(6000);
    expect(asked).toHaveLength(2);
    await host.advance(34_000);
    expect(config.policy()).toMatchObject({ preset: 'balanced' });
    await host.advance(50_000);
    expect(asked).toHaveLength(4);
    const dead = clientWithConfig([]);
    dead.config.start();
    await dead.host.advance(600_000);
    expect(dead.asked.length).toBeLessThan(16);
  });

  it('keeps the last good answer for ten minutes, and a 304 renews it', async () => {
    const { host, config, asked } = clientWithConfig([
      () => configAnswer(presetPolicy('investigative')),
      () => ({ status: 304 }),
      () => ({ status: 503 }),
    ]);
    config.start();
    await host.advance(70_000);
    expect(asked[1]?.etag).toBe('"1"');
    await host.advance(590_000);
    expect(config.policy()).toMatchObject({ preset: 'investigative' });
    await host.advance(20_000);
    expect(config.policy()).toMatchObject({ preset: 'minimal' });
  });

  it('asks every poll interval, ten percent more or less, and no more when it is 0', async () => {
    const { host, config, asked } = clientWithConfig([() => configAnswer(undefined)]);
    config.start();
    await host.advance(600_000);
    const waits = asked.slice(1).map(({ atMs }, i) => atMs - (asked[i]?.atMs ?? 0));
    expect(waits.length).toBeGreaterThan(8);
    for (const wait of waits) {
      expect(wait).toBeGreaterThanOrEqual(54_000);
      expect(wait).toBeLessThanOrEqual(66_000);
    }
    const once = clientWithConfig([() => configAnswer(undefined, { poll_interval_ms: 0 })]);
    once.config.start();
    await once.host.advance(600_000);
    expect(once.asked).toHaveLength(1);
  });

  it('asks every 15 minutes after a refusal, and capture goes on when the token works again', async () => {
    let status = 200;
    const { host, client, config, asked } = clientWithConfig([
      () => (status === 200 ? configAnswer(undefined, { poll_interval_ms: 0 }) : { status }),
    ]);
    config.start();
    await host.advance(1000);
    status = 401;
    host.answers = [() => ({ status: 401 })];
    client.capture(exception());
    await host.advance(1000);
    expect(client.isActive).toBe(false);
    await host.advance(901_000);
    expect(asked).toHaveLength(2);
    expect(client.isActive).toBe(false);
    status = 200;
    host.answers = [];
    await host.advance(901_000);
    expect(client.isActive).toBe(true);
    client.capture(exception());
    await host.advance(250);
    expect(client.diagnostics()).toMatchObject({ state: 'healthy', sent: 1 });
    expect(host.diagnostics.map(({ code }) => code)).toEqual(['unauthorized']);
  });

  it.each<[string, unknown]>([
    ['an unknown preset', { ...presetPolicy('balanced'), preset: 'all' }],
    ['a missing control', { preset: 'balanced' }],
    ['a wrong control', { ...presetPolicy('balanced'), capture_logs: 'loud' }],
    ['null', null],
    ['a broken path rule', { ...presetPolicy('balanced'), immediate_client_error_path_rules: [null] }],
  ])('has failed with %s', (_, policy) => {
    expect(readConfig(JSON.stringify({ capture_policy: policy }))).toBeNull();
  });

  it('is balanced without a policy, and ignores fields that it does not know', () => {
    const rawConfig = { more: 1 };
    expect(readConfig('{"more":1}')).toMatchObject({
      policy: { preset: 'balanced' },
      directives: [],
      rawConfig,
    });
    expect([rulesOf(rawConfig), triggerKeyOf(rawConfig), pollDelayOf(rawConfig)]).toEqual([[], null, 60_000]);
    expect(readConfig('[]')).toBeNull();
    expect(readConfig('<html>')).toBeNull();
  });
});
