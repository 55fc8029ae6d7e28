import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { processorMs } from '../../evidence/test/support/processor-time.ts';
import { captureException, close, flush, init } from '../src/index.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';

/** C-45 of docs/contract/clients.md: a value of any size costs a host next to nothing. */

const TIME_MS_MAX = 10;
const EVENT_BYTES_MAX = 128 * 1024;
/** The first calls compile what they run, and a collection of garbage may fall into any of them. */
const CALLS = 8;

let endpoint: RecordingEndpoint;
beforeEach(async () => {
  endpoint = await startRecordingEndpoint();
  init({
    token: TEST_TOKEN,
    endpoint: endpoint.url,
    environment: 'production',
    capture: { requests: false, outgoing: false, console: 'off', warnings: false },
  });
});
afterEach(async () => {
  await close(0);
  await endpoint.close();
});

function nested(levels: number): object {
  let value: object = { end: true };
  for (let level = 0; level < levels; level += 1) value = { in: value };
  return value;
}

describe(`a captured value takes ${TIME_MS_MAX} ms of the host at most, and its event 128 KiB`, () => {
  it.each<[string, () => unknown]>([
    ['a list of 1,000,000 items', () => Array.from({ length: 1_000_000 }, (_, index) => ({ index }))],
    ['an object of 100 levels', () => nested(100)],
    ['a text of 50 MB', () => 'ab '.repeat((50 * 1024 * 1024) / 3)],
    [
      'an object of 10,000 properties',
      () =>
        Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name${index}`, `value ${index}`])),
    ],
  ])('%s', async (what, make) => {
    const value = make();
    let leastMs = Number.POSITIVE_INFINITY;
    for (let call = 0; call < CALLS; call += 1) {
      const error = new Error(`${what} ${call}`);
      leastMs = Math.min(
        leastMs,
        processorMs(() => captureException(error, { context: { value } })),
      );
    }
    expect(leastMs).toBeLessThanOrEqual(TIME_MS_MAX);
    await flush();
    const events = endpoint.events('backend_exception');
    expect(events.length).toBeGreaterThan(0);
    for (const event of events) {
      expect(JSON.stringify(event)).toContain('[Truncated]');
      expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(EVENT_BYTES_MAX);
    }
    expect(endpoint.faults).toEqual([]);
  });
});
