import { describe, expect, it } from 'vitest';
import { createJudge, presetPolicy } from '../src/policy.ts';
import type { Answer } from '../src/sending/host.ts';
import {
  acceptAll,
  acknowledge,
  exception,
  fakeClient,
  fakeHost,
  logLine,
  requestEvent,
  START_MS,
  sentEvents,
} from './support/fake-host.ts';

/** docs/contract/clients.md 8.1 and 8.2. */

const at = (host: ReturnType<typeof fakeHost>) => host.batches.map(({ atMs }) => atMs - START_MS);
const answer =
  (status: number, more: Partial<Answer> = {}) =>
  (): Answer => ({ status, ...more });
const idsOf = (host: ReturnType<typeof fakeHost>, i: number) => host.batches[i]?.list.map((e) => e.event_id);

describe('batches', () => {
  it('leave after 2 s, after 250 ms with an exception, and at once when one is full', async () => {
    const host = fakeHost();
    const client = fakeClient(host, { judge: createJudge(() => presetPolicy('balanced')) });
    client.capture(logLine('error'));
    await host.advance(1999);
    expect(host.batches).toHaveLength(0);
    await host.advance(1);
    expect(at(host)).toEqual([2000]);
    client.capture(exception());
    await host.advance(250);
    expect(at(host)).toEqual([2000, 2250]);
    for (let i = 0; i < 50; i += 1) client.capture(exception());
    await host.advance(0);
    expect(at(host)).toEqual([2000, 2250, 2250]);
  });

  it('stay below their bytes, and one larger event goes alone', async () => {
    const host = fakeHost();
    const client = fakeClient(host, { batchBytes: 2000 });
    for (let i = 0; i < 6; i += 1) client.capture(exception({ text: 'x'.repeat(500) }));
    client.capture(exception({ text: 'x'.repeat(2000), more: 'y'.repeat(1000) }));
    void client.flush(1000);
    await host.advance(1000);
    expect(host.batches.map(({ events }) => events)).toEqual([2, 2, 2, 1]);
  });

  it('go out one at a time', async () => {
    const host = fakeHost();
    let release = () => {};
    host.answers = [(batch) => new Promise((resolve) => (release = () => resolve(acceptAll(batch))))];
    const client = fakeClient(host);
    client.capture(exception());
    await host.advance(250);
    client.capture(exception());
    await host.advance(5000);
    expect(host.batches).toHaveLength(1);
    host.answers = [];
    release();
    await host.advance(250);
    expect(host.batches).toHaveLength(2);
  });

  it('of a page leave with an exception although another request has no answer yet, two at a time', async () => {
    const host = fakeHost();
    const releases: (() => void)[] = [];
    host.answers = [(batch) => new Promise((resolve) => releases.push(() => resolve(acceptAll(batch))))];
    const client = fakeClient(host, { isUrgent: true, judge: createJudge(() => presetPolicy('balanced')) });
    client.capture(exception());
    await host.advance(250);
    client.capture(logLine('error'));
    await host.advance(5000);
    expect(at(host)).toEqual([250]);
    client.capture(exception());
    await host.advance(250);
    // What waited goes along.
    expect(at(host)).toEqual([250, 5500]);
    expect(host.batches.map(({ events }) => events)).toEqual([1, 2]);
    client.capture(exception());
    await host.advance(10_000);
    expect(host.batches).toHaveLength(2);
    for (const release of releases.splice(0)) release();
    await host.advance(250);
    for (const release of releases) release();
    await host.advance(10_000);
    expect(host.batches.map(({ events }) => events)).toEqual([1, 2, 1]);
    expect(client.diagnostics()).toMatchObject({ captured: 4, sent: 4, waiting: 0 });
  });
});

describe('answers', () => {
  it('resend only what was rate limited, with the same id; a context event once', async () => {
    const host = fakeHost();
    host.answers = [
      (batch) =>
        acknowledge(batch, [
          { index: 1, reason: 'rate_limited' },
          { index: 2, reason: 'capture_policy_rejected' },
        ]),
      (batch) => acknowledge(batch, [{ index: 0, reason: 'rate_limited' }]),
      acceptAll,
    ];
    const client = fakeClient(host);
    for (let i = 0; i < 3; i += 1) client.capture(exception());
    await host.advance(60_000);
    expect(host.batches.map(({ events }) => events)).toEqual([3, 1, 1]);
    expect(idsOf(host, 1)).toEqual([idsOf(host, 0)?.[1]]);
    expect(idsOf(host, 2)).toEqual(idsOf(host, 1));
    expect(client.diagnostics()).toMatchObject({
      captured: 3,
      sent: 2,
      waiting: 0,
      dropped: { rejected: 1 },
    });

    const other = fakeHost();
    other.answers = [(batch) => acknowledge(batch, [{ index: 0, reason: 'rate_limited' }])];
    const context = fakeClient(other, { judge: () => ({ wanted: true, rank: 0 }) });
    context.capture(logLine('info'));
    await other.advance(60_000);
    expect(other.batches).toHaveLength(2);
    expect(context.diagnostics()).toMatchObject({ sent: 0, dropped: { rejected: 1 } });
  });

  it.each([
    ['seconds', '7', 7000],
    ['a date', new Date(START_MS + 250 + 9000).toUTCString(), 8750],
    ['nothing', undefined, 1000],
    ['rubbish', 'soon', 1000],
    ['too long', '4000', 300_000],
  ])('wait as long as a 429 says in %s, and keep the events', async (_, retryAfter, waitMs) => {
    const host = fakeHost();
    host.answers = [answer(429, { headers: { 'retry-after': retryAfter } }), acceptAll];
    const client = fakeClient(host);
    client.capture(exception());
    await host.advance(250);
    await host.advance(waitMs - 1);
    expect(host.batches).toHaveLength(1);
    await host.advance(1);
    expect(host.batches).toHaveLength(2);
    expect(idsOf(host, 1)).toEqual(idsOf(host, 0));
    expect(client.diagnostics()).toMatchObject({ sent: 1, waiting: 0, retries: 1 });
  });

  it('double the interval after a rate limit, to 30 s at most, and halve it after five quiet minutes', async () => {
    const host = fakeHost();
    host.answers = [answer(429), acceptAll];
    const client = fakeClient(host, { judge: createJudge(() => presetPolicy('balanced')) });
    client.capture(logLine('error'));
    await host.advance(10_000);
    const send = async () => {
      const before = host.batches.length;
      const startMs = host.now();
      client.capture(logLine('error'));
      while (host.batches.length === before) await host.advance(1000);
      return (host.batches[before]?.atMs ?? 0) - startMs;
    };
    expect(await send()).toBe(4000);
    await host.advance(300_000);
    expect(await send()).toBe(4000);
    expect(await send()).toBe(2000);
  });

  it('climb a ladder of 1 to 60 s with jitter while the service fails, and tell it once it is at the top', async () => {
    const host = fakeHost();
    host.answers = [answer(503)];
    const client = fakeClient(host, { staleMs: 3_600_000 });
    client.capture(exception());
    await host.advance(600_000);
    const times = at(host);
    const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    // Ten attempts.
    expect(waits).toHaveLength(9);
    [1, 2, 4, 8, 16, 32, 60, 60, 60].forEach((seconds, i) => {
      expect(waits[i]).toBeGreaterThanOrEqual(seconds * 500);
      expect(waits[i]).toBeLessThanOrEqual(seconds * 1000);
    });
    expect(host.diagnostics.map(({ code }) => code)).toEqual(['unreachable']);
    expect(client.diagnostics()).toMatchObject({
      state: 'disconnected',
      waiting: 0,
      dropped: { stale: 1 },
    });
  });

  it('prefer a Retry-After that is longer than the ladder', async () => {
    const host = fakeHost();
    host.answers = [answer(503, { headers: { 'retry-after': '5' } }), acceptAll];
    const client = fakeClient(host);
    client.capture(exception());
    await host.advance(250 + 5000);
    expect(at(host)).toEqual([250, 5250]);
    expect(client.diagnostics()).toMatchObject({ state: 'healthy', sent: 1 });
  });

  it.each([
    [0, 'healthy'],
    [1, 'degraded'],
    [2, 'degraded'],
    [3, 'disconnected'],
  ])('make %i failures in a row the state %s', async (failures, state) => {
    const host = fakeHost();
    let seen = 0;
    host.answers = [() => Promise.reject(new Error('ECONNREFUSED'))];
    const client = fakeClient(host);
    if (failures === 0) host.answers = [];
    client.capture(exception());
    while (seen < failures) {
      await host.advance(250);
      seen = host.batches.length;
    }
    expect(client.diagnostics().state).toBe(state);
  });

  it.each([408, 500, 502, 503, 504, 0])('keep the events after %i', async (status) => {
    const host = fakeHost();
    host.answers = [answer(status), acceptAll];
    const client = fakeClient(host);
    client.capture(exception());
    await host.advance(5000);
    expect(client.diagnostics()).toMatchObject({ sent: 1, waiting: 0 });
    expect(idsOf(host, 1)).toEqual(idsOf(host, 0));
  });

  it('give up after 30 minutes', async () => {
    const host = fakeHost();
    host.answers = [() => ({ status: 429, headers: { 'retry-after': '300' } })];
    const client = fakeClient(host);
    client.capture(exception());
    await host.advance(1_800_001);
    client.wake(0);
    await host.advance(300_000);
    expect(host.batches.length).toBeLessThan(10);
    expect(client.diagnostics()).toMatchObject({ dropped: { stale: 1 }, waiting: 0, sent: 0 });
  });

  it.each([400, 413])(
    'halve a batch that is refused with %i until the one bad event is found',
    async (status) => {
      const host = fakeHost();
      host.answers = [(batch) => (batch.body.includes('poison') ? { status } : acceptAll(batch))];
      const client = fakeClient(host);
      for (let i = 0; i < 50; i += 1) client.capture(exception({ name: i === 31 ? 'poison' : `N${i}` }));
      await host.advance(30_000);
      expect(client.diagnostics()).toMatchObject({
        captured: 50,
        sent: 49,
        dropped: { rejected: 1 },
        waiting: 0,
      });
      expect(host.batches.length).toBeLessThan(25);
    },
  );

  it.each([
    [401, 'unauthorized'],
    [403, 'origin_refused'],
    [404, 'not_an_api'],
    [405, 'not_an_api'],
    [301, 'not_an_api'],
  ] as const)('stop on %i with one line, count what waits, and go on when told', async (status, code) => {
    const host = fakeHost();
    host.answers = [answer(status)];
    const stopped: number[] = [];
    const client = fakeClient(host, { onStopped: (each) => stopped.push(each) });
    for (let i = 0; i < 60; i += 1) client.capture(exception());
    await host.advance(60_000);
    expect(host.batches).toHaveLength(1);
    expect(stopped).toEqual([status]);
    expect(host.diagnostics).toEqual([{ code, data: { status } }]);
    expect(client.capture(exception())).toBeNull();
    expect(client.diagnostics()).toMatchObject({
      state: 'disconnected',
      reason: code,
      captured: 60,
      waiting: 0,
      dropped: { rejected: 60 },
    });
    host.answers = [];
    client.resume();
    client.capture(exception());
    await host.advance(250);
    expect(client.diagnostics()).toMatchObject({ state: 'healthy', sent: 1, reason: null });
  });

  it.each([
    ['an empty body', ''],
    ['HTML', '<html>'],
    ['a wrong sum', '{"accepted":0,"rejected":0,"errors":[]}'],
    ['an error without reason', '{"accepted":0,"rejected":1,"errors":[{"index":0}]}'],
    ['an index too high', '{"accepted":0,"rejected":1,"errors":[{"index":1,"reason":"x"}]}'],
    ['a null error', '{"accepted":0,"rejected":1,"errors":[null]}'],
    ['too few errors', '{"accepted":0,"rejected":1,"errors":[]}'],
    ['null', 'null'],
  ])('take a 202 with %s for none: the same ids again, and a line the second time', async (_, body) => {
    const host = fakeHost();
    host.answers = [answer(202, { body }), answer(202, { body }), acceptAll];
    const client = fakeClient(host);
    client.capture(exception());
    await host.advance(2000);
    expect(host.batches).toHaveLength(2);
    expect(host.diagnostics.map(({ code }) => code)).toEqual(['not_an_api']);
    expect(client.diagnostics()).toMatchObject({ state: 'disconnected', waiting: 1 });
    await host.advance(10_000);
    expect(new Set(sentEvents(host).map(({ event_id }) => event_id)).size).toBe(1);
    expect(client.diagnostics()).toMatchObject({ state: 'healthy', sent: 1, waiting: 0, reason: null });
  });

  it('of a relay that refuses some events end the batch', async () => {
    const host = fakeHost();
    host.answers = [
      answer(400, {
        body: '{"error":"invalid_event","accepted":1,"rejected":2,"errors":["batch[0]: x","batch[2]: y"]}',
      }),
    ];
    const client = fakeClient(host);
    for (let i = 0; i < 3; i += 1) client.capture(exception());
    await host.advance(60_000);
    expect(host.batches).toHaveLength(1);
    expect(client.diagnostics()).toMatchObject({ sent: 1, waiting: 0, dropped: { rejected: 2 } });
  });

  it('bring directives', async () => {
    const host = fakeHost();
    const body =
      '{"accepted":1,"rejected":0,"errors":[],"probe_directives":{"active_probes":[{"activation_id":"a"}]}}';
    host.answers = [answer(202, { body })];
    const seen: unknown[] = [];
    const client = fakeClient(host, { onDirectives: (list) => seen.push(list) });
    client.capture(exception());
    await host.advance(250);
    expect(seen).toEqual([[{ activation_id: 'a' }]]);
  });
});

describe('the queue', () => {
  it('evicts context first, then other signals, then exceptions; a newcomer of lower class is the one dropped', async () => {
    const host = fakeHost();
    const client = fakeClient(Object.assign(host, { isOnline: () => false }), {
      maxEvents: 3,
      judge: (type, { level }) => ({
        wanted: true,
        rank: type === 'backend_exception' ? 2 : level === 'error' ? 1 : 0,
      }),
    });
    const names = () => client.drain(1e6, { keep: true }).map((text) => JSON.parse(text).payload.message);
    client.capture(logLine('info', 'c1'));
    client.capture(logLine('info', 'c2'));
    client.capture(logLine('error', 's1'));
    client.capture(exception({ message: 'e1' }));
    expect(names()).toEqual(['e1', 's1', 'c2']);
    client.capture(exception({ message: 'e2' }));
    expect(names()).toEqual(['e2', 'e1', 's1']);
    client.capture(logLine('info', 'c3'));
    expect(names()).toEqual(['e2', 'e1', 's1']);
    client.capture(exception({ message: 'e3' }));
    client.capture(exception({ message: 'e4' }));
    expect(names()).toEqual(['e4', 'e3', 'e2']);
    client.capture(logLine('error', 's2'));
    expect(names()).toEqual(['e4', 'e3', 'e2']);
    expect(client.diagnostics()).toMatchObject({ captured: 9, waiting: 3, dropped: { overflow: 6 } });
  });

  it('keeps within 8 MiB and 1,000 events of a dead endpoint, exceptions last', async () => {
    const host = fakeHost();
    host.answers = [answer(0)];
    const client = fakeClient(host, {
      judge: (type) => ({ wanted: true, rank: type === 'log_event' ? 0 : 2 }),
      stormMax: 1e9,
    });
    for (let i = 0; i < 3000; i += 1) {
      client.capture(
        i % 3 === 0
          ? exception({ a: 'x'.repeat(2000), b: 'y'.repeat(2000) })
          : logLine('info', `line ${'a'.repeat(i % 97)}${i}`),
      );
    }
    await host.advance(100);
    const { captured, sent, waiting, waitingBytes, dropped } = client.diagnostics();
    expect(waiting).toBeLessThanOrEqual(1000);
    expect(waitingBytes).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(captured).toBe(sent + waiting + Object.values(dropped).reduce((a, b) => a + b, 0));
    expect(
      client.drain(1e9, { keep: true }).filter((text) => text.includes('backend_exception')).length,
    ).toBeGreaterThan(900);
  });

  it('is sent although the host says that it is offline', async () => {
    const host = fakeHost();
    const client = fakeClient(Object.assign(host, { isOnline: () => false }));
    client.capture(exception());
    await host.advance(2000);
    expect(client.diagnostics()).toMatchObject({ requests: 1, sent: 1 });
  });

  it('tries once a minute while the host is offline, and at once when it is back', async () => {
    const host = fakeHost();
    let isOnline = false;
    const client = fakeClient(Object.assign(host, { isOnline: () => isOnline }));
    host.answers = [
      () => (isOnline ? { status: 202, body: '{"accepted":1,"rejected":0,"errors":[]}' } : { status: 0 }),
    ];
    client.capture(exception());
    await host.advance(65_000);
    expect(client.diagnostics()).toMatchObject({ requests: 2, state: 'degraded', waiting: 1 });
    isOnline = true;
    client.wake(1000, true);
    await host.advance(1000);
    expect(client.diagnostics()).toMatchObject({ requests: 3, sent: 1, waiting: 0 });
  });
});

describe('a flush', () => {
  it('is true when nothing waits any more, and false when its time is over', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    expect(await client.flush(10)).toBe(true);
    host.answers = [answer(0)];
    client.capture(exception());
    const flushed = client.flush(2000);
    await host.advance(2000);
    expect(await flushed).toBe(false);
    expect(host.timers).toBe(1);
  });

  it('at close sends the rest with every report, and later captures have no effect', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    for (let i = 0; i < 5; i += 1) client.capture({ ...exception({ name: 'N', message: 'm' }) });
    const closed = client.close(2000);
    await host.advance(1);
    expect(await closed).toBe(true);
    expect(
      sentEvents(host)
        .map(({ event_type }) => event_type)
        .sort(),
    ).toEqual([...Array(3).fill('backend_exception'), 'error_suppressed']);
    expect(client.capture(exception())).toBeNull();
    expect(client.isActive).toBe(false);
    expect(client.diagnostics()).toMatchObject({ state: 'disabled', captured: 6, sent: 4 });
  });

  it.each([
    ['judges what waited for it when it is known', 'minimal', 0],
    ['sends what waited for it when it never came', null, 1],
  ] as const)('at close with the policy %s', async (_when, preset, sent) => {
    const host = fakeHost();
    let known: ReturnType<typeof presetPolicy> | null = null;
    const client = fakeClient(host, { judge: createJudge(() => known) });
    client.capture(logLine('warning'));
    if (preset !== null) known = presetPolicy(preset);
    const closed = client.close(2000);
    await host.advance(1);
    expect(await closed).toBe(true);
    expect(sentEvents(host)).toHaveLength(sent);
    expect(client.diagnostics().dropped.policy).toBe(1 - sent);
  });
});

describe('draining', () => {
  it('takes exceptions first and newest first, counts what does not fit, and ignores the answer in flight', async () => {
    const host = fakeHost();
    let release = () => {};
    host.answers = [(batch) => new Promise((resolve) => (release = () => resolve(acceptAll(batch))))];
    const client = fakeClient(host, {
      judge: (type) => ({ wanted: true, rank: type === 'request_event' ? 1 : 2 }),
    });
    client.capture(exception({ message: 'in flight' }));
    await host.advance(250);
    client.capture(requestEvent(500));
    client.capture(exception({ message: 'newest' }));
    const size = client.drain(1e6, { keep: true }).map((text) => text.length);
    const texts = client.drain((size[0] ?? 0) + (size[1] ?? 0) + 3);
    expect(texts.map((text) => JSON.parse(text).payload.message)).toEqual(['newest', 'in flight']);
    release();
    await host.advance(5000);
    expect(client.diagnostics()).toMatchObject({ captured: 3, sent: 2, waiting: 0, dropped: { unload: 1 } });
  });
});
