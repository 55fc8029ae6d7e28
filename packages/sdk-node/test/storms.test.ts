import { afterEach, describe, expect, it } from 'vitest';
import { captureException, close, getDiagnostics, init, type NodeOptions } from '../src/index.ts';

/** A loop that fails with texts of its own: docs/contract/clients.md 7.1 to 7.3. */

interface Sent {
  event_id: string;
  event_type: string;
  payload: { [key: string]: unknown };
}

let sent: Sent[] = [];
afterEach(() => close(2_000));

function start(options: NodeOptions = {}): void {
  sent = [];
  const isStarted = init({
    service: 'shop',
    environment: 'production',
    capture: { requests: false, outgoing: false, console: 'off', warnings: false },
    async transport({ body, events }) {
      sent.push(...JSON.parse(body).events);
      return {
        status: 202,
        headers: {},
        body: JSON.stringify({ accepted: events, rejected: 0, errors: [] }),
      };
    },
    ...options,
  });
  expect(isStarted).toBe(true);
}

function failMany(count: number): void {
  for (let i = 0; i < count; i++) captureException(new TypeError(`order ${i} was refused`));
}

const exceptions = () => sent.filter(({ event_type }) => event_type === 'backend_exception');
const reports = () => sent.filter(({ event_type }) => event_type === 'error_suppressed');
const reported = () => reports().reduce((sum, { payload }) => sum + Number(payload.suppressed_count), 0);

describe('failures of one class with texts of their own', () => {
  it('are counted each, and reported by the class with an event of it that was sent', async () => {
    start();
    failMany(1_000);
    const before = getDiagnostics();
    expect(before.captured).toBe(1_000);
    expect(before.dropped?.suppressed).toBe(970);
    expect(await close(5_000)).toBe(true);
    expect(exceptions()).toHaveLength(30);
    expect(reported()).toBe(970);
    const last = exceptions().find(({ payload }) => payload.message === 'order 29 was refused');
    expect(reports().map(({ payload }) => payload.sample_event_id)).toContain(last?.event_id);
  });

  it('of which one that was sent three times keeps a count of its own', async () => {
    start();
    const others = Array.from({ length: 100 }, (_, i) => `order ${i} was refused`);
    for (const text of ['known', 'known', 'known', ...others, 'known', 'known']) {
      captureException(new TypeError(text));
    }
    await close(5_000);
    expect(exceptions()).toHaveLength(30);
    const known = exceptions().filter(({ payload }) => payload.message === 'known');
    expect(known).toHaveLength(3);
    const own = reports().filter(({ payload }) => payload.sample_event_id === known[2]?.event_id);
    expect(own.map(({ payload }) => payload.suppressed_count)).toEqual([2]);
    expect(reported()).toBe(75);
  });

  it('are still looked at by ignoreErrors', async () => {
    start({ ignoreErrors: ['order 400 '] });
    failMany(500);
    const { dropped } = getDiagnostics();
    expect(dropped).toMatchObject({ filtered: 1, suppressed: 469 });
    await close(5_000);
    expect(reported()).toBe(469);
  });
});
