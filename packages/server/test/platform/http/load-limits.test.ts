// Proves 24.
import { afterEach, describe, expect, it } from 'vitest';
import { createLateness, startLoadLimits } from '../../../src/platform/http/limits/load-limits.ts';
import { exchangeRaw } from './raw-http.ts';
import { listWidgets, type SampleServer, startSampleServer } from './sample-api.ts';

describe('lateness of the event loop', () => {
  it('begins when every sample of the span was late, and ends with one good sample', () => {
    const lateness = createLateness(250, 2000);
    for (const nowMs of [0, 500, 1000, 1500]) {
      lateness.add(300, nowMs);
      expect(lateness.isLate(nowMs)).toBe(false);
    }
    lateness.add(300, 2000);
    expect(lateness.isLate(2000)).toBe(true);
    lateness.add(250, 2500);
    expect(lateness.isLate(2500)).toBe(false);
  });

  it('begins anew after a good sample in between', () => {
    const lateness = createLateness(250, 2000);
    lateness.add(300, 0);
    lateness.add(10, 1000);
    lateness.add(300, 1500);
    lateness.add(300, 2500);
    expect(lateness.isLate(2500)).toBe(false);
  });

  it('lapses when nothing was measured for long', () => {
    const lateness = createLateness(250, 2000);
    lateness.add(300, 0);
    lateness.add(300, 2000);
    expect(lateness.isLate(6000)).toBe(true);
    expect(lateness.isLate(6001)).toBe(false);
  });

  it('is measured on a loop that is really blocked', async () => {
    const budgets = { requestsMax: 1, bytesMax: 1 };
    const load = startLoadLimits({
      ingestion: budgets,
      management: budgets,
      uploads: budgets,
      pendingAnswerBytesMax: 1,
      loopDelayMaxMs: 50,
      loopDelaySpanMs: 300,
    });
    // The second request begins the watch.
    for (const request of [1, 2]) expect(load.isLoopLate(), `request ${request}`).toBe(false);
    for (let round = 0; round < 12; round += 1) {
      const untilMs = performance.now() + 120;
      while (performance.now() < untilMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(load.isLoopLate()).toBe(true);
    await expect.poll(() => load.isLoopLate(), { timeout: 3000 }).toBe(false);
    load.stop();
  });
});

describe('an overloaded server', () => {
  let sample: SampleServer | null = null;
  afterEach(() => sample?.close());

  const refused = [503, '{"error":"service_unavailable"}'];
  const member = { authorization: 'Bearer member' };

  async function answer(response: Response) {
    return [response.status, await response.text()];
  }

  it('refuses requests over the count of their class, with Retry-After, and keeps probes and the other class', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    sample = await startSampleServer({
      limits: { management: { requestsMax: 1, bytesMax: 1000 } },
      prepare: ({ binder }) =>
        binder.bind({ ...listWidgets, id: 'gated', path: '/v1/gated' }).to(async () => {
          await gate;
          return { status: 200, body: { widgets: [], next_cursor: null } };
        }),
    });
    const { address, server } = sample;
    const held = fetch(`${address}/v1/gated`, { headers: member });
    await expect.poll(() => server.load.management.requestsInFlight).toBe(1);

    const second = await fetch(`${address}/v1/widgets`, { headers: member });
    expect(second.headers.get('retry-after')).toBe('5');
    expect(await answer(second)).toEqual(refused);
    for (const path of ['/live', '/health', '/ready']) expect((await fetch(address + path)).status).toBe(200);
    const events = await fetch(`${address}/v1/events`, {
      method: 'POST',
      headers: { authorization: 'x' },
      body: 'x',
    });
    expect(events.status).toBe(202);

    release();
    expect((await held).status).toBe(200);
    await expect.poll(() => server.load.management.requestsInFlight).toBe(0);
    expect((await fetch(`${address}/v1/widgets`, { headers: member })).status).toBe(200);
  });

  it('refuses bodies there is no room for, and has the room again afterwards', async () => {
    sample = await startSampleServer({ limits: { ingestion: { requestsMax: 10, bytesMax: 1000 } } });
    const send = (sizeBytes: number) =>
      fetch(`${sample?.address}/v1/events`, {
        method: 'POST',
        headers: { authorization: 'x' },
        body: 'a'.repeat(sizeBytes),
      });
    expect(await answer(await send(1001))).toEqual(refused);
    expect((await send(1000)).status).toBe(202);
    expect((await send(1000)).status).toBe(202);
    await expect.poll(() => sample?.server.load.ingestion.bytesInFlight).toBe(0);
  });

  it('gives room back when clients go away in the middle of a body', async () => {
    sample = await startSampleServer();
    const head = 'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: x\r\nContent-Length: 100000\r\n\r\n';
    await Promise.all(
      Array.from({ length: 20 }, () =>
        exchangeRaw(sample?.port ?? 0, [head, 'a'.repeat(5000)], { timeoutMs: 50 }),
      ),
    );
    await expect.poll(() => sample?.server.load.ingestion.bytesInFlight).toBe(0);
    expect(sample.server.load.ingestion.requestsInFlight).toBe(0);
  });

  it('refuses work while the event loop is late, but lives', async () => {
    sample = await startSampleServer();
    sample.server.load.isLoopLate = () => true;
    expect(await answer(await fetch(`${sample.address}/v1/widgets`, { headers: member }))).toEqual(refused);
    expect((await fetch(`${sample.address}/live`)).status).toBe(200);
  });
});
