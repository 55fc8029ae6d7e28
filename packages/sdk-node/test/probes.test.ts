import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  captureException,
  close,
  flush,
  getDiagnostics,
  init,
  probe,
  withRequest,
  withScope,
} from '../src/index.ts';
import { until } from './support/moved-clock.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';

/** C-42 and C-43 of docs/contract/clients.md through the client: probes, directives and trigger tokens. */

const KEY = '0123456789abcdef'.repeat(4);
const ID = '550e8400-e29b-41d4-a716-446655440000';

let endpoint: RecordingEndpoint;
let calls: string[];
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  endpoint.config.trigger_token_key = KEY;
  const policy = endpoint.config.capture_policy;
  endpoint.config.capture_policy = { ...Object(policy), capture_probe_events: 'standalone_when_activated' };
  calls = [];
});
afterEach(async () => {
  await close(0);
  await endpoint.close();
});

async function started(): Promise<void> {
  const capture = { requests: false, outgoing: false, console: 'off', warnings: false } as const;
  const facts = { service: 'shop', environment: 'production', spool: false, capture };
  init({ token: TEST_TOKEN, endpoint: endpoint.url, ...facts });
  await until(() => getDiagnostics().policyPreset !== null);
}

const inAMinute = () => new Date(Date.now() + 60_000).toISOString();
const directive = (more: object = {}) => ({
  activation_id: `act_${ID}`,
  id: ID,
  label_pattern: 'cart.*',
  service: '*',
  environment: 'production',
  expires_at: inAMinute(),
  ...more,
});

function token(more: object = {}, key = KEY, prefix = 'svc_probe_'): string {
  const facts = { activation_id: ID, label_pattern: 'cart.*', service: 'shop', environment: '*' };
  const text = JSON.stringify({ ...facts, trigger_expires_at: inAMinute(), ...more });
  const payload = Buffer.from(text).toString('base64url');
  return `${prefix}${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`;
}

/** A heavy probe, and whether it was called. */
function isCalled(label = 'cart.total'): boolean {
  const before = calls.length;
  probe(label, () => ({ call: calls.push(label) }), { heavy: true });
  return calls.length > before;
}

const asked = (headers: Record<string, string>, url = '/') => withRequest({ url, headers }, () => isCalled());

async function probeEvents() {
  await flush();
  expect(endpoint.faults).toEqual([]);
  return endpoint.events('probe_event').map(({ payload }) => payload);
}

describe('a directive', () => {
  it('of the configuration asks every matching probe of this service, until it is over', async () => {
    endpoint.config.active_probes = [
      directive(),
      directive({ label_pattern: 'over.*', expires_at: '2020-01-01T00:00:00Z' }),
      directive({ label_pattern: 'theirs.*', service: 'billing' }),
      directive({ label_pattern: 'staged.*', environment: 'staging' }),
    ];
    expect(isCalled()).toBe(false);
    await started();
    expect(['cart', 'cart.total', 'cartoon', 'over.a', 'theirs.a', 'staged.a'].map(isCalled)).toEqual([
      ...[true, true, false],
      ...[false, false, false],
    ]);
    expect(getDiagnostics().activeProbes).toBe(1);
    expect(await probeEvents()).toMatchObject([
      { label: 'cart', data: { call: 1 }, activation_id: `act_${ID}`, probe_label_pattern: 'cart.*' },
      { label: 'cart.total', data: { call: 2 } },
    ]);
  });

  it('in the answer to a batch is in force from the next call on, and each answer replaces it', async () => {
    await started();
    const answer = (...active_probes: object[]) => ({
      status: 202,
      body: JSON.stringify({ accepted: 1, rejected: 0, errors: [], probe_directives: { active_probes } }),
    });
    endpoint.answerWith(({ method }) =>
      method === 'POST' ? answer(directive({ activation_id: ID })) : undefined,
    );
    expect(isCalled()).toBe(false);
    captureException(new Error('carrier'));
    await flush();
    expect(isCalled()).toBe(true);
    endpoint.answerWith(({ method }) => (method === 'POST' ? answer() : undefined));
    await flush();
    expect(isCalled()).toBe(false);
    expect(endpoint.arrivals.flatMap(({ events }) => events).at(-1)?.payload).toMatchObject({
      activation_id: `act_${ID}`,
    });
  });
});

describe('a trigger token', () => {
  it('asks the probes of its request alone, by either header, prefix or the query', async () => {
    await started();
    const header = 'x-service-probe-trigger';
    expect(asked({ [header]: token() })).toBe(true);
    expect(asked({ 'x-debugbundle-probe-trigger': token({}, KEY, 'dbundle_probe_') })).toBe(true);
    expect(asked({}, `/orders?_debug_probe=${token()}&x=1`)).toBe(true);
    expect(asked({})).toBe(false);
    expect(isCalled()).toBe(false);
    const nested = withRequest({ headers: { [header]: token() } }, () => withScope(() => isCalled()));
    expect(nested).toBe(true);
    expect(await probeEvents()).toHaveLength(4);
  });

  it('that is bad asks nothing, and a bad header wins over a good query', async () => {
    await started();
    const header = 'x-service-probe-trigger';
    for (const bad of [
      token({}, 'other key'),
      token({ trigger_expires_at: '2020-01-01T00:00:00Z' }),
      token({ service: 'billing' }),
      token({ environment: 'staging' }),
      token({ label_pattern: 7 }),
      `${token()}x`,
      `svc_probe_${'a'.repeat(3_000)}`,
      'rubbish',
    ]) {
      expect(asked({ [header]: bad }), bad).toBe(false);
    }
    expect(asked({ [header]: 'rubbish' }, `/?_debug_probe=${token()}`)).toBe(false);
    expect(asked({ [header]: 'rubbish', 'x-debugbundle-probe-trigger': token() })).toBe(false);
    expect(await probeEvents()).toEqual([]);
  });

  it('is checked at most 20 times a second, so a flood of bad ones keeps a good one out at most that long', async () => {
    await started();
    const header = 'x-service-probe-trigger';
    for (let i = 0; i < 1_000; i++) asked({ [header]: token({ label_pattern: `x${i}` }, 'other key') });
    await until(() => asked({ [header]: token() }));
    expect(calls.length).toBeGreaterThan(0);
  });
});

describe('a dormant probe', () => {
  it('gives its value to the next exception of its scope, a heavy one never', async () => {
    await started();
    probe('outside', { at: 'process' });
    withRequest({ url: '/a' }, () => {
      probe('order', { id: 7 });
      probe('lazy', () => ({ computed: 'late' }));
      expect(isCalled()).toBe(false);
    });
    withRequest({ url: '/b' }, () => {
      probe('order', { id: 8 });
      captureException(new Error('b'));
    });
    await flush();
    const items = Object(endpoint.events('backend_exception')[0]?.payload).probe_data.items;
    expect(items).toMatchObject([
      { label: 'outside', data: { at: 'process' }, activation_id: null },
      { label: 'order', data: { id: 8 } },
    ]);
    expect(items).toHaveLength(2);
    expect(calls).toEqual([]);
  });
});
