import { eventIdKey } from '@culprit/evidence/events/redact/event-id-key';
import { describe, expect, it } from 'vitest';
import { createIdFilter, filterBytes } from '../../src/pipeline/incidents/processing/id-filter.ts';
import { newUuid } from '../../src/platform/ids.ts';

const IDS = 5000;

/** Ids in the form of PostgreSQL. */
function sent(ids: readonly bigint[]): Buffer {
  const bytes = Buffer.alloc(ids.length * 8);
  for (const [n, id] of ids.entries()) bytes.writeBigInt64BE(id, n * 8);
  return bytes;
}

describe('a filter of ids', () => {
  for (const [name, idOf] of [
    ['random', (n: number) => eventIdKey(`evt_${n}`)],
    ['that begin with their time', () => eventIdKey(newUuid())],
  ] as const) {
    it(`has all its ids and hardly another one: ${name}`, () => {
      const ids = Array.from({ length: 2 * IDS }, (_, n) => idOf(n));
      const [own, others] = [ids.slice(0, IDS), ids.slice(IDS)];
      const filter = createIdFilter([sent(own.slice(0, 7)), Buffer.alloc(0), sent(own.slice(7))]);
      expect(own.filter((id) => !filter.mayHave(id))).toEqual([]);
      expect(others.filter((id) => filter.mayHave(id)).length).toBeLessThan(IDS / 100);
      expect(filter.bytes).toBe(filterBytes(IDS));
      expect(filter.bytes).toBeLessThan(2 * IDS + 32);
    });
  }

  it('has the lowest and the highest id, and without ids none', () => {
    const edges = [-(2n ** 63n), -1n, 0n, 1n, 2n ** 63n - 1n];
    const filter = createIdFilter([sent(edges)]);
    expect(edges.map((id) => filter.mayHave(id))).toEqual(edges.map(() => true));
    expect(edges.map((id) => createIdFilter([]).mayHave(id))).toEqual(edges.map(() => false));
  });
});
