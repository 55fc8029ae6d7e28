import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { charactersRead } from '../../evidence/test/support/characters-read.ts';
import { captureException, close, flush, init } from '../src/index.ts';
import { type RecordingEndpoint, startRecordingEndpoint, TEST_TOKEN } from './support/recording-endpoint.ts';

/** C-45 of docs/contract/clients.md: a value of any size costs a host next to nothing. Its time is a row of the benchmark. */

const READ_MEMBERS_MAX = 500;
const READ_CHARS_MAX = 300_000;
const EVENT_BYTES_MAX = 128 * 1024;
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

/** How many members of objects the library looks at: each with this function, which runs no code of the host. */
function membersRead(work: () => void): number {
  const { getOwnPropertyDescriptor } = Object;
  let members = 0;
  Object.getOwnPropertyDescriptor = (...given) => {
    members += 1;
    return getOwnPropertyDescriptor(...given);
  };
  try {
    work();
  } finally {
    Object.getOwnPropertyDescriptor = getOwnPropertyDescriptor;
  }
  return members;
}

describe('a captured value is read within bounds, and its event has 128 KiB at most', () => {
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
    const capture = () => captureException(new Error(what), { context: { value } });
    let members = 0;
    const characters = charactersRead(() => {
      members = membersRead(capture);
    });
    expect(members).toBeLessThan(READ_MEMBERS_MAX);
    expect(characters).toBeLessThan(READ_CHARS_MAX);
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
