import { describe, expect, it } from 'vitest';
import { chooseSeed, seededRandom } from '../../server/test/support/seeded-random.ts';
import { createJudge, presetPolicy } from '../src/policy.ts';
import {
  acceptAll,
  acknowledge,
  exception,
  fakeClient,
  fakeHost,
  logLine,
  requestEvent,
  sentEvents,
} from './support/fake-host.ts';

/** docs/contract/clients.md 7 and 8.4, docs/contract/ingestion.md 8.6. */

const same = () => exception({ name: 'Same', message: 'same' });
const reportsOf = (host: ReturnType<typeof fakeHost>) =>
  sentEvents(host).flatMap(({ event_type, payload }) => (event_type === 'error_suppressed' ? [payload] : []));
const sumOf = (counts: object) =>
  Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);

describe('suppression over time', () => {
  it('of five equal exceptions sends three and one report that names the last of them', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    const ids = Array.from({ length: 5 }, () => client.capture(same()));
    const flushed = client.flush(2000);
    await host.advance(1);
    expect(await flushed).toBe(true);
    expect(sentEvents(host).map(({ event_type }) => event_type)).toEqual([
      'backend_exception',
      'backend_exception',
      'backend_exception',
      'error_suppressed',
    ]);
    expect(reportsOf(host)).toMatchObject([
      {
        suppressed_count: 2,
        window_seconds: 30,
        loop_mode: false,
        first_seen: '2030-01-01T00:00:00.000Z',
        sample_event_id: ids[2],
        event_type: 'backend_exception',
      },
    ]);
  });

  it('sends three more in the next window', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    for (let i = 0; i < 5; i += 1) client.capture(same());
    await host.advance(30_000);
    for (let i = 0; i < 5; i += 1) client.capture(same());
    await host.advance(30_000);
    expect(reportsOf(host).map(({ suppressed_count }) => suppressed_count)).toEqual([2, 2]);
    expect(client.diagnostics()).toMatchObject({ sent: 8, dropped: { suppressed: 4 } });
  });

  it('in a loop of 1,000 a second sends nothing but one report in 30 s, until a minute without it', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    for (let i = 0; i < 1000; i += 1) {
      client.capture(same());
      await host.advance(1);
    }
    await host.advance(120_000);
    const reports = reportsOf(host);
    expect(reports.length).toBeLessThanOrEqual(4);
    expect(reports.some(({ loop_mode }) => loop_mode === true)).toBe(true);
    const exceptions = sentEvents(host).filter(({ event_type }) => event_type === 'backend_exception').length;
    expect(exceptions + sumOf(reports.map(({ suppressed_count }) => suppressed_count))).toBe(1000);
    client.capture(same());
    await host.advance(250);
    expect(sentEvents(host).at(-1)?.event_type).toBe('backend_exception');
  });

  it('lets 30 of a class pass whose messages differ, and reports the rest under the class', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    const stack = 'Error\n    at f (/app/a.js:1:2)\n    at g (/app/b.js:3:4)';
    for (let i = 0; i < 10_000; i += 1) {
      client.capture({
        type: 'backend_exception',
        payload: { name: 'E', message: `id ${i}`, stack, handled: true },
      });
    }
    await host.advance(5000);
    const reports = reportsOf(host);
    expect(sentEvents(host).length - reports.length).toBe(30);
    expect(sumOf(reports.map(({ suppressed_count }) => suppressed_count))).toBe(9970);
    expect(reports[0]).toHaveProperty('sample_event_id');
  });

  it('beyond 300 of the process shows the first of 100 more classes, and reports the rest without a sample', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    for (let i = 0; i < 10_000; i += 1) {
      const place = `${String.fromCharCode(97 + (i % 26))}${String.fromCharCode(97 + (Math.floor(i / 26) % 26))}${String.fromCharCode(97 + Math.floor(i / 676))}`;
      const stack = `Error\n    at ${place} (/app/${place}.js:1:2)`;
      client.capture({
        type: 'backend_exception',
        payload: { name: 'E', message: 'm', stack, handled: true },
      });
    }
    await host.advance(10_000);
    const reports = reportsOf(host);
    expect(sentEvents(host).length - reports.length).toBe(400);
    expect(sumOf(reports.map(({ suppressed_count }) => suppressed_count))).toBe(9600);
    expect(reports.every((report) => !('sample_event_id' in report))).toBe(true);
    const { captured, sent, waiting, dropped } = client.diagnostics();
    expect(captured).toBe(sent + waiting + sumOf(dropped));
  });

  it('captures the same object once, under its first id', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    const source = new Error('once');
    const ids = [1, 2, 3].map(() => client.capture({ ...exception(), source }));
    expect(new Set(ids).size).toBe(1);
    await host.advance(1000);
    expect(client.diagnostics()).toMatchObject({ captured: 3, sent: 1, dropped: { duplicate: 2 } });
  });
});

describe('what is only known when a batch is formed', () => {
  it('tells the loss on the next signal, once', async () => {
    const host = fakeHost();
    const client = fakeClient(host, { judge: createJudge(() => presetPolicy('balanced')) });
    for (let i = 0; i < 3; i += 1) client.capture(logLine('info'));
    client.drop('noise');
    host.answers = [() => ({ status: 503 }), acceptAll];
    client.capture(exception());
    await host.advance(5000);
    client.capture(exception());
    client.drop('noise');
    client.capture(logLine('error'));
    await host.advance(5000);
    client.capture(exception());
    await host.advance(5000);
    expect(sentEvents(host).map(({ context }) => context.capture_loss)).toEqual([
      { policy: 3, noise: 1 },
      { policy: 3, noise: 1 },
      { noise: 1 },
      undefined,
      undefined,
    ]);
  });

  it('tells it again when the event that told it was refused', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    client.drop('noise');
    host.answers = [(batch) => acknowledge(batch, [{ index: 0, reason: 'capture_rule_dropped' }]), acceptAll];
    client.capture(exception());
    await host.advance(1000);
    client.capture(exception());
    await host.advance(1000);
    expect(sentEvents(host).map(({ context }) => context.capture_loss)).toEqual([
      { noise: 1 },
      { noise: 1, rejected: 1 },
    ]);
  });

  it('corrects the time by the clock of the service, and says by how much', async () => {
    const host = fakeHost();
    const client = fakeClient(host);
    client.capture({
      ...exception(),
      hostContext: { mine: 1, clock_skew_ms: 'forged', capture_loss: 'forged' },
    });
    client.setClockOffset(600_000);
    await host.advance(250);
    expect(sentEvents(host)[0]).toMatchObject({
      occurred_at: '2030-01-01T00:10:00.000Z',
      context: { mine: 1, clock_skew_ms: 600_000 },
    });
    expect(sentEvents(host)[0]?.context).not.toHaveProperty('capture_loss');
    expect(client.now() - host.now()).toBe(600_000);
  });
});

it('captured = sent + waiting + dropped at every moment of a random life', async () => {
  const seed = chooseSeed();
  const random = seededRandom(seed);
  for (let life = 0; life < 40; life += 1) {
    const host = fakeHost();
    let isOnline = true;
    const client = fakeClient(Object.assign(host, { isOnline: () => isOnline }), {
      maxEvents: random.integer(3, 40),
      maxBytes: 20_000,
      batchEvents: random.integer(1, 10),
      staleMs: 60_000,
      eventBytes: 4000,
      judge: createJudge(() => presetPolicy(random.pick(['minimal', 'balanced', 'investigative']))),
      steps: [
        (event) => (random.chance(0.1) ? random.pick(['filtered', 'rule', 'sampled'] as const) : event),
      ],
    });
    host.answers = [
      (batch) => {
        const errors = batch.list.flatMap((_, index) =>
          random.chance(0.2)
            ? [{ index, reason: random.pick(['rate_limited', 'capture_policy_rejected']) }]
            : [],
        );
        const answer = random.pick([
          acknowledge(batch, errors),
          acknowledge(batch, errors),
          { status: random.pick([400, 413, 429, 503, 500, 0, 200, 401]) },
        ]);
        return random.chance(0.1) ? Promise.reject(new Error('cut')) : answer;
      },
    ];
    for (let step = 0; step < 150; step += 1) {
      random.pick([
        () => client.capture(exception()),
        () => client.capture(same()),
        () => client.capture(exception({ huge: Array.from({ length: 40 }, () => 'x'.repeat(500)) })),
        () => client.capture(logLine(random.pick(['info', 'warning', 'error']))),
        () => client.capture(requestEvent(random.pick([200, 404, 429, 500]))),
        () => client.drop('noise'),
        () => {
          const made = client.prepare(exception());
          if (made !== null && typeof made !== 'string') {
            if (random.chance(0.5)) client.discard(made, 'filtered');
            else client.submit(made);
          }
        },
        () => random.chance(0.1) && client.drain(2000),
        () => random.chance(0.3) && client.resume(),
        () => void client.flush(random.integer(0, 3000)),
        () => (isOnline = random.chance(0.8)),
        () => client.wake(0),
      ])();
      await host.advance(random.pick([0, 1, 50, 300, 2000, 40_000]));
      const { captured, sent, waiting, dropped } = client.diagnostics();
      expect(captured, `seed ${seed}, life ${life}, step ${step}`).toBe(sent + waiting + sumOf(dropped));
    }
    expect(host.timers).toBeLessThan(200);
  }
});
