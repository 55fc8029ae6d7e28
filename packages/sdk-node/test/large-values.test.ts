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

describe('an exception arrives', () => {
  const refuse = () => {
    throw new Error('refused');
  };
  const refusing = new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
  );
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const long = 'reason '.repeat(12_000);
  const deep = (levels: number): Error =>
    levels === 0 ? new Error(long) : new RangeError(long, { cause: deep(levels - 1) });
  const cyclic: Error & { errors?: unknown } = new RangeError('cyclic');
  cyclic.cause = cyclic;
  cyclic.errors = [cyclic];

  it.each<[string, unknown]>([
    ['with a message of 80 KB', new RangeError(long)],
    ['with 80,000 Chinese characters', new RangeError('订单'.repeat(40_000))],
    [
      'with a stack of 300 KB',
      Object.assign(new RangeError('x'), {
        stack: `RangeError: x\n${'    at work (/app/work.js:1:2)\n'.repeat(9000)}`,
      }),
    ],
    ['with ten causes of 80 KB', deep(10)],
    [
      'of many errors of 80 KB',
      Object.assign(
        new AggregateError(
          Array.from({ length: 40 }, () => new Error(long)),
          'all',
        ),
        { name: 'RangeError' },
      ),
    ],
    ['that is its own cause', cyclic],
    ['that is frozen', Object.freeze(new RangeError('frozen'))],
  ])('%s, with frames', async (_, error) => {
    captureException(error);
    await flush();
    const [event] = endpoint.events('backend_exception');
    expect(event?.payload).toMatchObject({
      name: 'RangeError',
      stack: expect.stringMatching(/^RangeError: [\s\S]+\n {4}at .*:\d+:\d+/),
    });
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThanOrEqual(EVENT_BYTES_MAX);
    expect(endpoint.faults).toEqual([]);
  });

  it.each<[string, unknown, unknown]>([
    ['that is a proxy that refuses everything', refusing, {}],
    ['that is a revoked proxy', revoked, {}],
    ['that is a symbol', Symbol('s'), {}],
    [
      'that has accessors',
      {
        get message() {
          return refuse();
        },
      },
      {},
    ],
    ['with a hint that refuses everything', new Error('x'), refusing],
    [
      'with a hint whose members throw',
      new Error('x'),
      {
        get context() {
          return refuse();
        },
      },
    ],
    [
      'with a context that throws',
      new Error('x'),
      {
        context: {
          get order() {
            return refuse();
          },
        },
      },
    ],
    ['with a tag that is no text', new Error('x'), { tags: { a: Object.create(null) } }],
    ['with a user that refuses everything', new Error('x'), { user: refusing }],
  ])('%s', async (_, error, hint) => {
    expect(captureException(error, hint as Parameters<typeof captureException>[1])).not.toBeNull();
    await flush();
    expect(endpoint.events('backend_exception')).toHaveLength(1);
    expect(endpoint.faults).toEqual([]);
  });
});
