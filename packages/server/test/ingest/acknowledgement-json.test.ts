import { describe, expect, it } from 'vitest';
import { acknowledgementJson } from '../../src/ingest/acknowledgement-json.ts';

function acknowledgementOf(count: number, reasonOf: (index: number) => string) {
  return {
    accepted: 3,
    rejected: count,
    errors: Array.from({ length: count }, (_, index) => ({ index: index * 2, reason: reasonOf(index) })),
    probe_directives: { active_probes: [] },
  };
}

function pieces(acknowledgement: ReturnType<typeof acknowledgementOf>): Buffer[] {
  const { content } = acknowledgementJson(acknowledgement);
  return Buffer.isBuffer(content) ? [content] : [...content];
}

const REASONS = ['invalid_event', 'rate_limited', 'invalid_event: unknown field "a\\\u0001\u{1f600}"', 'é'];

describe('the body of an acknowledgement', () => {
  it.each([0, 1, 1000, 1001, 5000])('with %i errors says what it was given', (count) => {
    for (const reasonOf of [
      () => 'invalid_event',
      (index: number) => REASONS[index % REASONS.length] ?? '',
      (index: number) => REASONS[Math.floor(index / 700) % REASONS.length] ?? '',
    ]) {
      const acknowledgement = acknowledgementOf(count, reasonOf);
      expect(JSON.parse(Buffer.concat(pieces(acknowledgement)).toString())).toEqual(acknowledgement);
    }
  });

  it('of half a million errors is never held as a whole', () => {
    const { content } = acknowledgementJson(acknowledgementOf(524_000, () => 'invalid_event'));
    if (Buffer.isBuffer(content)) throw new Error('held as a whole');
    let sizeBytes = 0;
    let largestBytes = 0;
    for (const piece of content) {
      sizeBytes += piece.length;
      largestBytes = Math.max(largestBytes, piece.length);
    }
    expect(sizeBytes).toBeGreaterThan(20_000_000);
    expect(largestBytes).toBeLessThan(100_000);
  });
});
