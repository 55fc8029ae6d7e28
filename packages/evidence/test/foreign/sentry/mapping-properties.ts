import fc from 'fast-check';
import { expect } from 'vitest';
import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import type { JsonValue } from '../../../src/events/envelope/json.ts';
import { mapSentryItem } from '../../../src/foreign/sentry/map-item.ts';
import { SOURCE } from './map-event.ts';
import { mutatedItem } from './mutated.ts';

const CONTEXT_KEYS = new Set(
  `release dist tags extra contexts trace environment modules feature_flags logger transaction user sentry fatal
  clock_skew_ms capture_loss`.split(/\s+/),
);

/** Whatever an item holds, it is mapped without a throw into events that intake accepts. */
export function assertMapped(numRuns: number): void {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const { type, payload } = mutatedItem(seed);
      const skew = seed % 3 === 0 ? 7_200_000 : null;
      const { events } = mapSentryItem(type, payload, { ...SOURCE, clockSkewMs: skew });
      for (const event of events) {
        const check = checkEvent(event);
        expect(check.ok ? null : check.reason).toBeNull();
        const size = { values: 0, depth: 0 };
        measure(event, 1, size);
        expect(size.values).toBeLessThanOrEqual(20_000);
        expect(size.depth).toBeLessThanOrEqual(32);
        for (const key of Object.keys(event.context as object)) expect(CONTEXT_KEYS).toContain(key);
      }
    }),
    { numRuns },
  );
}

function measure(value: JsonValue, depth: number, size: { values: number; depth: number }): void {
  if (value === undefined) throw new TypeError('no JSON');
  size.values += 1;
  if (typeof value !== 'object' || value === null) return;
  size.depth = Math.max(size.depth, depth);
  for (const each of Object.values(value)) measure(each, depth + 1, size);
}
