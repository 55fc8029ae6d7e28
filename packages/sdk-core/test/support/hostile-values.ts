import { expect } from 'vitest';
import { type SeededRandom, seededRandom } from '../../../server/test/support/seeded-random.ts';
import { fakeClient, fakeHost } from './fake-host.ts';

/** What hosts pass to a library, at its worst. */
function hostileValue(random: SeededRandom, depth = 0): unknown {
  const deeper = () => hostileValue(random, depth + 1);
  const simple: (() => unknown)[] = [
    () => 'plain',
    () => '\ud800 lone \udfff',
    () => 'x'.repeat(random.integer(0, 5000)),
    () => 'eyJ'.repeat(random.integer(1, 500)),
    () => `${'1'.repeat(random.integer(1, 40))} `.repeat(30),
    () => random.integer(-1e9, 1e9) / 7,
    () => Number.NaN,
    () => 10n ** BigInt(random.integer(0, 400)),
    () => Symbol('\u0000'),
    () => undefined,
    () => null,
    () => () => 1,
    () => new Date(Number.NaN),
    () => new Date(),
    () => /x/y,
    () => new Error('with a message', { cause: 'and a cause' }),
    () => new Uint8Array(3),
    () => Promise.resolve(),
    () => new WeakSet(),
    () => throwing(),
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    () => JSON.parse('{"__proto__":{"a":1},"constructor":null,"toJSON":"x"}'),
    () => Object.create(null),
    () =>
      new (class extends Map<unknown, unknown> {})([
        [{}, 1],
        ['__proto__', 2],
      ]),
  ];
  if (depth > 4) return random.pick(simple)();
  return random.pick([
    ...simple,
    () => Array.from({ length: random.integer(0, 70) }, () => random.pick(simple)()),
    () => Array.from({ length: random.integer(0, 5) }, deeper),
    () => Object.fromEntries(Array.from({ length: random.integer(0, 6) }, (_, i) => [`k${i}`, deeper()])),
    () =>
      new Map([
        ['a', deeper()],
        ['token', deeper()],
      ]),
    () => new Set([deeper()]),
    () => {
      const loop: { [key: string]: unknown } = { a: deeper() };
      loop.b = [loop];
      return loop;
    },
    () => Array.from({ length: 100 }).reduce<unknown>((inner) => ({ inner }), 'deep'),
    () => new Proxy({ a: 1 }, { get: () => deeper(), getOwnPropertyDescriptor: () => undefined }),
  ])();
}

/** Everything that can be asked of it throws. */
function throwing(): unknown {
  const fail = () => {
    throw new Error('hostile');
  };
  return new Proxy(
    {},
    { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail, getOwnPropertyDescriptor: fail, set: fail },
  );
}

/** Captures that many events of hostile values: every one becomes sound JSON within all bounds, and nothing throws. */
export function captureHostileValues(events: number, seed: number): void {
  const random = seededRandom(seed);
  const host = fakeHost();
  const eventBytes = 20_000;
  const client = fakeClient(host, { eventBytes, stormMax: Number.POSITIVE_INFINITY });
  for (let i = 0; i < events; i += 1) {
    const said = `seed ${seed}, event ${i}`;
    const id = client.capture({
      type: 'probe_event',
      payload: {
        message: hostileValue(random),
        data: hostileValue(random),
        request: { body: hostileValue(random) },
      },
      hostContext: { mine: hostileValue(random) },
    });
    for (const text of client.drain(1e9)) {
      expect(new TextEncoder().encode(text).length, said).toBeLessThanOrEqual(eventBytes);
      const event: unknown = JSON.parse(text);
      expect(event, said).toMatchObject({ event_id: id, event_type: 'probe_event' });
      const { depth, values } = measure(event);
      expect(depth, said).toBeLessThanOrEqual(32);
      expect(values, said).toBeLessThanOrEqual(20_000);
    }
  }
  const { captured, sent, dropped } = client.diagnostics();
  expect({ captured, internal: dropped.internal, lost: captured - sent - dropped.too_large }).toEqual({
    captured: events,
    internal: 0,
    lost: 0,
  });
  expect(sent).toBeGreaterThan(events / 2);
}

function measure(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
  let depth = 0;
  let values = 1;
  for (const inner of Object.values(value)) {
    const measured = measure(inner);
    depth = Math.max(depth, measured.depth);
    values += measured.values;
  }
  return { depth: depth + 1, values };
}
