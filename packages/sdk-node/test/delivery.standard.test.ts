import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  captureException,
  captureLog,
  close,
  flush,
  getDiagnostics,
  init,
  isEnabled,
  type NodeOptions,
} from '../src/index.ts';
import { moveClock, quiet, stopClock, until } from './support/moved-clock.ts';
import {
  type Answer,
  type Arrival,
  isRecord,
  type RecordingEndpoint,
  startRecordingEndpoint,
  TEST_TOKEN,
} from './support/recording-endpoint.ts';

/** C-29 to C-40 of docs/contract/clients.md over real connections; what takes minutes happens by a moved clock. */

let endpoint: RecordingEndpoint;
let codes: string[];
let lines: string[];
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  codes = [];
  lines = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  stopClock();
});
afterEach(async () => {
  vi.useRealTimers();
  await close(0);
  vi.restoreAllMocks();
  await endpoint.close();
});

function start(options: NodeOptions = {}) {
  return init({
    token: TEST_TOKEN,
    endpoint: endpoint.url,
    service: 'shop',
    environment: 'production',
    capture: { requests: false, outgoing: false, console: 'off' },
    spool: false,
    onDiagnostic: ({ code }) => codes.push(code),
    ...options,
  });
}

async function started(options: NodeOptions = {}) {
  expect(start(options)).toBe(true);
  await until(() => getDiagnostics().policyPreset !== null);
  // What waited for the policy is judged now.
  await moveClock(1);
}

const batches = () => endpoint.arrivals.filter(({ method }) => method === 'POST');
const configs = () => endpoint.arrivals.filter(({ method }) => method === 'GET');
const idsOf = ({ events }: Arrival) => events.map(({ event_id }) => event_id);
/** Answers batches only. */
const answerBatches = (answer: (arrival: Arrival) => Answer | undefined) =>
  endpoint.answerWith((arrival) => (arrival.method === 'POST' ? answer(arrival) : undefined));

/** Flushes, and moves the clock until nothing waits. */
async function emptied(): Promise<boolean> {
  let isEnded = false;
  const isEmpty = flush(600_000).finally(() => {
    isEnded = true;
  });
  for (let step = 0; step < 200 && !isEnded; step++) {
    await quiet(5);
    await moveClock(250);
  }
  return isEmpty;
}

/** Moves the clock in steps that are shorter than the timeout of a request. */
async function moveUntil(holds: () => boolean): Promise<void> {
  for (let step = 0; step < 1_000 && !holds(); step++) {
    await moveClock(3_000);
    await quiet(3);
  }
  expect(holds()).toBe(true);
}

/** Failures of different classes, so that nothing is held back. */
function captureMany(count: number, text = ''): void {
  for (let i = 0; i < count; i++) {
    const error = new Error(text);
    error.name = `Failure${i}`;
    captureException(error);
  }
}

/** Failures of about 60 KB each. */
function captureLarge(count: number): void {
  for (let i = 0; i < count; i++) {
    const error = new Error('large');
    error.name = `Large${i}`;
    error.stack = `Large${i}: large\n${'    at work (/srv/app.js:1:1)\n'.repeat(2_000)}`;
    captureException(error);
  }
}

describe('batches', () => {
  it('hold 50 events and 512 KiB at most', async () => {
    await started();
    captureMany(120);
    expect(await emptied()).toBe(true);
    expect(batches().map(({ events }) => events.length)).toEqual([50, 50, 20]);
    captureLarge(20);
    expect(await emptied()).toBe(true);
    expect(endpoint.events()).toHaveLength(140);
    expect(batches().length).toBeGreaterThan(4);
    for (const { events } of batches()) expect(JSON.stringify(events).length).toBeLessThanOrEqual(524_288);
    expect(endpoint.faults).toEqual([]);
  });

  it('resend only what was limited, under the same id', async () => {
    await started();
    answerBatches(() => {
      const errors = [
        { index: 1, reason: 'rate_limited' },
        { index: 2, reason: 'capture_policy_rejected' },
      ];
      answerBatches(() => undefined);
      return { status: 202, body: JSON.stringify({ accepted: 1, rejected: 2, errors }) };
    });
    captureMany(3);
    const isEmpty = flush(60_000);
    await until(() => batches().length === 1);
    await quiet();
    await moveClock(1_000);
    expect(await isEmpty).toBe(true);
    const [first, second] = batches().map(idsOf);
    expect(second).toEqual([first?.[1]]);
    expect(getDiagnostics()).toMatchObject({ sent: 2, dropped: { rejected: 1 }, waiting: 0 });
  });

  it('wait as long as the service asks, and keep their ids when a connection breaks', async () => {
    await started();
    const answers: Answer[] = [{ status: 503, headers: { 'retry-after': '5' } }, 'cut', { status: 503 }];
    answerBatches(() => answers.shift());
    captureException(new Error('kept'));
    await moveClock(250);
    await until(() => getDiagnostics().retries === 1);
    await moveClock(4_900);
    expect(batches()).toHaveLength(1);
    await moveClock(200);
    await until(() => getDiagnostics().retries === 2);
    expect(getDiagnostics().state).toBe('degraded');
    // 2 s, then 4 s, each times 0.5 to 1.
    await moveClock(2_000);
    await until(() => getDiagnostics().retries === 3);
    expect(getDiagnostics().state).toBe('disconnected');
    await moveClock(1_900);
    expect(batches()).toHaveLength(3);
    await moveClock(2_200);
    await until(() => getDiagnostics().sent === 1);
    expect(new Set(batches().flatMap(idsOf)).size).toBe(1);
    expect(getDiagnostics().state).toBe('healthy');
  });

  it('wait after a 429, and come half as often then', async () => {
    await started();
    const answers: Answer[] = [{ status: 429, headers: { 'retry-after': '7' } }];
    answerBatches(() => answers.shift());
    captureLog('first', 'warning');
    await moveClock(2_000);
    await until(() => getDiagnostics().retries === 1);
    await moveClock(6_900);
    expect(batches()).toHaveLength(1);
    await moveClock(200);
    await until(() => getDiagnostics().sent === 1);
    captureLog('second', 'warning');
    await moveClock(3_900);
    await quiet();
    expect(batches()).toHaveLength(2);
    await moveClock(200);
    await until(() => getDiagnostics().sent === 2);
  });

  it('lose one poisoned event and no other', async () => {
    await started();
    const isPoisoned = ({ payload }: Record<string, unknown>) =>
      isRecord(payload) && payload.name === 'Failure17';
    answerBatches(({ events }) => (events.some(isPoisoned) ? { status: 400 } : undefined));
    captureMany(50);
    expect(await emptied()).toBe(true);
    expect(endpoint.events()).toHaveLength(49);
    expect(getDiagnostics()).toMatchObject({ sent: 49, dropped: { rejected: 1 } });
  });

  it('carry the time of the service when the clock of the host is wrong', async () => {
    const beganMs = Date.now();
    vi.setSystemTime(beganMs - 600_000);
    await started();
    captureException(new Error('learns'));
    await flush();
    captureException(new Error('knows'));
    await flush();
    const event = endpoint.events().at(-1);
    vi.useRealTimers();
    // The service says its time in whole seconds.
    expect(Date.parse(String(event?.occurred_at))).toBeGreaterThanOrEqual(beganMs - 1_000);
    expect(Date.parse(String(event?.occurred_at))).toBeLessThanOrEqual(Date.now() + 1_000);
    expect(Math.abs(Number(Object(event?.context).clock_skew_ms) - 600_000)).toBeLessThan(5_000);
    expect(codes).toContain('clock_skew');
  });
});

describe('a dead endpoint', () => {
  it('lets 1,000 events wait, exceptions last to go, counts the rest, and the next signal tells it', async () => {
    await started({ maxBufferedEvents: 100 });
    answerBatches(() => ({ status: 503 }));
    for (let i = 0; i < 200; i++) captureLog(`line ${i}`, i % 2 ? 'error' : 'warning');
    captureMany(150);
    const counts = getDiagnostics();
    const lost = Object.values(counts.dropped).reduce((sum, count) => sum + count, 0);
    expect(counts.captured).toBe(counts.sent + counts.waiting + lost);
    expect(counts.waiting).toBeLessThanOrEqual(100);
    answerBatches(() => undefined);
    expect(await emptied()).toBe(true);
    expect(endpoint.events('backend_exception').length).toBeGreaterThanOrEqual(100);
    expect(endpoint.events('log_event')).toEqual([]);
    const told = endpoint.events().map(({ context }) => Object(context).capture_loss?.overflow ?? 0);
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(getDiagnostics().dropped.overflow);
  });
});

describe('a refused token', () => {
  it('stops every event request with one line, and capture resumes when the token works again', async () => {
    await started();
    const refusal = { status: 401, body: '{"error":"invalid_project_token"}' };
    endpoint.answerWith(() => refusal);
    captureMany(3);
    await moveClock(250);
    await until(() => !isEnabled());
    expect(batches()).toHaveLength(1);
    expect(captureException(new Error('while stopped'))).toBeNull();
    await moveClock(14 * 60_000);
    await quiet();
    expect(batches()).toHaveLength(1);
    expect(getDiagnostics()).toMatchObject({ state: 'disconnected', reason: 'unauthorized', waiting: 0 });
    // Still refused: asked again after another quarter of an hour.
    await moveClock(120_000);
    await until(() => configs().length === 2);
    await quiet();
    endpoint.answerWith(() => undefined);
    await moveClock(14 * 60_000);
    expect(isEnabled()).toBe(false);
    await moveUntil(() => isEnabled());
    captureException(new Error('again'));
    await flush();
    expect(endpoint.events()).toHaveLength(1);
    // The clock of this test is half an hour ahead of the service's by now.
    const told = lines.filter((line) => !line.includes('clock'));
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(/^\[culprit\] .+ svc_\S+ .+\. Create a new project token\.\n$/);
    expect(told[0]).not.toContain(TEST_TOKEN);
  });
});

describe('the configuration', () => {
  it('is asked for without content type and query, and with the tag of the last answer', async () => {
    const config = JSON.stringify(endpoint.config);
    endpoint.answerWith(({ method, headers }) => {
      if (method !== 'GET') return undefined;
      if (headers['if-none-match'] === '"tag"') return { status: 304, headers: { etag: '"tag"' } };
      return { status: 200, headers: { etag: '"tag"' }, body: config };
    });
    await started();
    await moveUntil(() => configs().length === 14);
    const [first, second] = configs();
    expect(first).toMatchObject({ path: '/v1/sdk/config' });
    expect(first?.headers).toMatchObject({
      authorization: `Bearer ${TEST_TOKEN}`,
      'x-service-sdk': '@culprit/node',
    });
    expect(Object.keys(first?.headers ?? {}).join()).not.toMatch(/content-type|debugbundle|origin|if-none/);
    expect(second?.headers['if-none-match']).toBe('"tag"');
    // More than ten minutes of 304 keep the policy.
    expect(getDiagnostics().policyPreset).toBe('balanced');
  });

  it('judges what was captured before it, and is minimal when it fails at the start', async () => {
    endpoint.answerWith(({ method }) => (method === 'GET' ? 'hang' : undefined));
    start();
    captureLog('early warning', 'warning');
    captureException(new Error('early'));
    await moveClock(2_000);
    await until(() => getDiagnostics().sent === 1);
    expect(getDiagnostics()).toMatchObject({ policyPreset: null, waiting: 1 });
    await moveClock(3_100);
    expect(getDiagnostics().policyPreset).toBe('minimal');
    expect(await flush()).toBe(true);
    expect(endpoint.events().map(({ event_type }) => event_type)).toEqual(['backend_exception']);
    expect(getDiagnostics().dropped.policy).toBe(1);
  });

  it('lets a warning of before it pass when the policy wants warnings', async () => {
    start();
    captureLog('early warning', 'warning');
    expect(await emptied()).toBe(true);
    expect(endpoint.events().map(({ event_type }) => event_type)).toEqual(['log_event']);
  });

  it('stays for ten minutes when the service is gone, then it is minimal', async () => {
    await started();
    endpoint.answerWith(() => ({ status: 503 }));
    for (let minute = 0; minute < 9; minute++) {
      await moveClock(66_000);
      await quiet(5);
    }
    expect(getDiagnostics().policyPreset).toBe('balanced');
    await moveClock(300_000);
    expect(getDiagnostics().policyPreset).toBe('minimal');
    captureLog('warning', 'warning');
    expect(getDiagnostics().dropped.policy).toBe(1);
  });
});
