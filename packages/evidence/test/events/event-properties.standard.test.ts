import type { EventShape } from '@culprit/contract/events/event-field';
import { envelopeShape, payloadShapes } from '@culprit/contract/events/event-fields';
import { buildEventBatchSchema, buildEventSchema } from '@culprit/contract/events/event-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';
import { sanitizeRawEvent } from '../../src/events/envelope/sanitize-raw-event.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { anyJson, eventArbitrary } from './event-arbitrary.ts';
import { fixture, fixtureNames } from './event-fixtures.ts';
import { malformedCorpus } from './malformed-corpus.ts';
import { unfitTexts } from './unfit-texts.ts';

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allowUnionTypes: true });
addFormats.default(ajv);
const fitsSchema = ajv.compile(buildEventSchema());

const RECEIVED_MS = Date.UTC(2026, 2, 24, 10, 31);

/** An event with one value of any kind put at a place that a table names. */
function spoiledEvent(): fc.Arbitrary<JsonObject> {
  return eventArbitrary().chain((event) => {
    const paths = [...names(envelopeShape, ''), ...names(payloadShapes[typeOf(event)], 'payload.')];
    return fc
      .record({ path: fc.constantFrom(...paths), value: anyJson() })
      .map(({ path, value }) => put(event, path, value));
  });
}

function typeOf(event: JsonObject): keyof typeof payloadShapes {
  return event.event_type as keyof typeof payloadShapes;
}

function names(shape: EventShape, prefix: string): string[] {
  return shape.fields.flatMap((field) => field.names.map((name) => prefix + name));
}

function put(event: JsonObject, path: string, value: JsonValue): JsonObject {
  const copy = structuredClone(event);
  const keys = path.split('.');
  let holder = copy;
  for (const key of keys.slice(0, -1)) {
    const next = holder[key];
    if (typeof next !== 'object' || next === null || Array.isArray(next)) holder[key] = {};
    holder = holder[key] as JsonObject;
  }
  holder[keys.at(-1) ?? ''] = value;
  return copy;
}

describe('events drawn from the field tables', () => {
  it('are accepted', () => {
    fc.assert(
      fc.property(eventArbitrary(), (event) => {
        const check = checkEvent(event);
        // The tables cannot draw two times in order.
        expect(check.ok ? null : check.reason).toBeOneOf([
          null,
          'invalid_event: invalid field "payload.first_seen"',
        ]);
      }),
      { numRuns: 500 },
    );
  });

  it('normalize into clean text, before and after sanitizing, and alike in both', () => {
    fc.assert(
      fc.property(eventArbitrary(), (event) => {
        if (!checkEvent(event).ok) return;
        const intake = { eventId: 'evt_1', receivedAtMs: RECEIVED_MS };
        const plain = normalizeEvent(event, intake);
        expect(unfitTexts(plain)).toEqual([]);
        const stored = JSON.parse(JSON.stringify(sanitizeRawEvent(event, new Uint8Array(32))));
        expect(checkEvent(stored).ok).toBe(true);
        expect(normalizeEvent(stored, intake)).toEqual(plain);
      }),
      { numRuns: 500 },
    );
  });

  it('normalize without an exception when one place is wrong, even unchecked', () => {
    fc.assert(
      fc.property(spoiledEvent(), (event) => {
        if (!(String(event.event_type) in payloadShapes)) return;
        expect(unfitTexts(normalizeEvent(event, { eventId: 'evt_1', receivedAtMs: RECEIVED_MS }))).toEqual(
          [],
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe('the JSON Schema made from the same tables', () => {
  it('describes the request body', () => {
    const fitsBatch = ajv.compile(buildEventBatchSchema());
    expect(fitsBatch({ events: fixtureNames.map((name) => fixture(name)) })).toBe(true);
    expect(fitsBatch({ events: [] })).toBe(true);
    for (const body of [{}, { events: {} }, { batch: [] }, { events: [], more: 1 }, []]) {
      expect(fitsBatch(body)).toBe(false);
    }
  });

  it('accepts whatever the checker accepts', () => {
    fc.assert(
      fc.property(fc.oneof(eventArbitrary(), spoiledEvent()), (event) => {
        if (!checkEvent(event).ok) return;
        fitsSchema(event);
        expect(fitsSchema.errors ?? []).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
    for (const { name, event } of malformedCorpus) {
      if (checkEvent(event).ok)
        expect(fitsSchema(event), `${name} ${JSON.stringify(fitsSchema.errors)}`).toBe(true);
    }
  });

  it('refuses whatever the checker calls missing, unknown or invalid, dates, order and trimmed lengths aside', () => {
    const beyondSchema =
      /"(?:timestamp|payload\.deployed_at|payload\.(?:first|last)_seen|service\.(?:name|environment)|.*\.timestamp|sdk)"/;
    let refused = 0;
    fc.assert(
      fc.property(spoiledEvent(), (event) => {
        const check = checkEvent(event);
        if (check.ok || check.reason.includes('conflicting') || beyondSchema.test(check.reason)) return;
        refused += 1;
        expect(fitsSchema(event), check.reason).toBe(false);
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('is plain JSON', () => {
    const schema = buildEventSchema();
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });
});
