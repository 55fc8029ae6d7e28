import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/events/envelope/json.ts';
import { sanitizeRawEvent } from '../../../src/events/envelope/sanitize-raw-event.ts';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { normalizeEvent } from '../../../src/events/normalize/normalize-event.ts';

interface GoldenPair {
  id: string;
  expect: string;
  a: JsonObject;
  b: JsonObject;
  materials: { a?: { sha256: string }; b?: { sha256: string } };
}

const golden: { pairs: GoldenPair[] } = JSON.parse(
  readFileSync(new URL('golden-vectors.json', import.meta.url), 'utf8'),
);

/** The way of an event from intake to the worker. */
function received(raw: JsonObject): string | undefined {
  const sanitized = sanitizeRawEvent(raw, new Uint8Array(32));
  return fingerprintEvent(
    normalizeEvent(sanitized, { eventId: 'evt_1', receivedAtMs: Date.UTC(2026, 2, 24, 11) }),
  )?.value;
}

describe('golden events as they are received', () => {
  it.each(golden.pairs)('$id: $expect', (pair) => {
    const [a, b] = [received(pair.a), received(pair.b)];
    if (pair.expect === 'different') expect(b).not.toBe(a);
    else expect(b).toBe(a);
    expect(a).toMatch(/^[0-9a-f]{64}$/);
    if (pair.materials.a !== undefined) expect(a).toBe(pair.materials.a.sha256);
    if (pair.materials.b !== undefined) expect(b).toBe(pair.materials.b.sha256);
  });
});
