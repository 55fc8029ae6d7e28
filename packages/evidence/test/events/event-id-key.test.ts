import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createEventIds } from '../../../sdk-core/src/event-id.ts';
import { eventIdKey } from '../../src/events/redact/event-id-key.ts';
import { identifierHash } from '../../src/events/redact/identifier-hash.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-11-30T08:00:00Z');

/** Ids as our libraries make them, `count` a minute. */
function idsOf(minutes: number, count: number): string[] {
  let now = START;
  const newId = createEventIds({ now: () => now, random: (bytes) => randomBytes(bytes) });
  return Array.from({ length: minutes * count }, (_, n) => {
    now = START + Math.floor((n * MINUTE) / count);
    return newId();
  });
}

describe('the number of an event id', () => {
  it('is one for each id, and the same each time', () => {
    const ids = idsOf(60, 200);
    const keys = ids.map(eventIdKey);
    expect(new Set(keys).size).toBe(ids.length);
    expect(ids.map(eventIdKey)).toEqual(keys);
    for (const key of keys) expect(BigInt.asIntN(64, key)).toBe(key);
  });

  it('lies beside those of its minute where the id has a time in it', () => {
    const ids = idsOf(60, 200);
    const inOrder = [...ids].sort((a, b) => (eventIdKey(a) < eventIdKey(b) ? -1 : 1));
    const place = new Map(ids.map((id, n) => [id, n]));
    const furthest = Math.max(...inOrder.map((id, n) => Math.abs((place.get(id) ?? 0) - n)));
    // 66 seconds of 200 a minute.
    expect(furthest).toBeLessThanOrEqual(220);
  });

  it('is the hash of every other id', () => {
    const [known = ''] = idsOf(1, 1);
    for (const id of [
      '3f2b8c1e-0d4a-4a6f-9b7e-5c1d2e3f4a5b',
      'evt_01HXYZ',
      '',
      known.toUpperCase(),
      `${known} `,
      known.replaceAll('-', ''),
    ]) {
      expect(eventIdKey(id)).toBe(identifierHash(id));
    }
    expect(eventIdKey(known)).not.toBe(identifierHash(known));
  });

  it('differs in all lower bits, by which events are sampled', () => {
    const keys = idsOf(1, 2000).map(eventIdKey);
    for (let bit = 0n; bit < 20n; bit += 1n) {
      const set = keys.filter((key) => (key >> bit) & 1n).length;
      expect(set).toBeGreaterThan(800);
      expect(set).toBeLessThan(1200);
    }
  });
});
