import { describe, expect, it } from 'vitest';
import { acknowledgementJson } from '../../src/pipeline/ingest/acknowledgement-json.ts';
import type { RefusedRun } from '../../src/pipeline/ingest/intake-request.ts';

const REASONS = ['invalid_event', 'rate_limited', 'invalid_event: unknown field "a\\\u0001\u{1f600}"', 'é'];
const NO_PROBES = { active_probes: [] };

async function pieces(
  refused: readonly RefusedRun[],
  takeTurn: (work: number) => Promise<void> | null = () => null,
): Promise<Buffer[]> {
  const { content } = acknowledgementJson({ accepted: 3, refused, probe_directives: NO_PROBES }, takeTurn);
  if (Buffer.isBuffer(content)) return [content];
  const all: Buffer[] = [];
  for await (const piece of content) all.push(piece);
  return all;
}

/** Runs of so many events each, with one accepted event between them. */
function runsOf(total: number, countMax: number): RefusedRun[] {
  const runs: RefusedRun[] = [];
  for (let left = total, index = 0; left > 0; ) {
    const count = Math.min(left, countMax);
    runs.push({ index, count, reason: REASONS[runs.length % REASONS.length] ?? '' });
    left -= count;
    index += count + 1;
  }
  return runs;
}

function errorsOf(runs: readonly RefusedRun[]) {
  return runs.flatMap(({ index, count, reason }) =>
    Array.from({ length: count }, (_, offset) => ({ index: index + offset, reason })),
  );
}

describe('the body of an acknowledgement', () => {
  it.each([0, 1, 1000, 1001, 5000])('with %i refusals has one entry for each', async (total) => {
    for (const countMax of [1, 700, 100_000]) {
      const runs = runsOf(total, countMax);
      expect(JSON.parse(Buffer.concat(await pieces(runs)).toString())).toEqual({
        accepted: 3,
        rejected: total,
        errors: errorsOf(runs),
        probe_directives: NO_PROBES,
      });
    }
  });

  it('of half a million refusals is never held as a whole, and takes a turn for each piece', async () => {
    let turns = 0;
    const all = await pieces([{ index: 0, count: 524_000, reason: 'invalid_event' }], async () => {
      turns += 1;
    });
    expect(all.reduce((sum, { length }) => sum + length, 0)).toBeGreaterThan(20_000_000);
    expect(Math.max(...all.map(({ length }) => length))).toBeLessThan(100_000);
    expect(turns).toBe(all.length);
  });

  it('keeps little in memory for many refusals with one reason', () => {
    const refused = [{ index: 0, count: 524_000, reason: 'invalid_event' }];
    const { keptBytes } = acknowledgementJson(
      { accepted: 0, refused, probe_directives: NO_PROBES },
      () => null,
    );
    expect(keptBytes).toBeLessThan(1000);
  });
});
