import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import { isJsonObject, type JsonObject } from '../../src/events/envelope/json.ts';
import { sanitizeRawEvent } from '../../src/events/envelope/sanitize-raw-event.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { processorMs } from '../support/processor-time.ts';
import { malformedCorpus } from './malformed-corpus.ts';
import { unfitTexts } from './unfit-texts.ts';

const KEY = new Uint8Array(32);
const RECEIVED_MS = Date.UTC(2026, 2, 24, 10, 31);

/** Far above what any case takes; a pattern that backtracks takes minutes. */
const TIME_MS_MAX = 1_000;

describe('the corpus of malformed events', () => {
  it('holds more than a thousand cases with names of their own, both refused and accepted', () => {
    expect(malformedCorpus.length).toBeGreaterThan(1_000);
    expect(new Set(malformedCorpus.map(({ name }) => name)).size).toBe(malformedCorpus.length);
    const verdicts = malformedCorpus.map(({ event }) => checkEvent(event).ok);
    expect(verdicts.filter((ok) => ok).length).toBeGreaterThan(300);
    expect(verdicts.filter((ok) => !ok).length).toBeGreaterThan(300);
  });

  it('is small enough to be sent one by one', () => {
    for (const { name, json } of malformedCorpus)
      expect(Buffer.byteLength(json), name).toBeLessThan(1_048_000);
  });

  it('is checked, sanitized and normalized without an exception, without delay, into clean text', () => {
    for (const { name, event } of malformedCorpus) {
      const ms = processorMs(() => {
        const check = checkEvent(event);
        if (!check.ok) expect(check.reason.length, name).toBeLessThan(400);
        else if (isJsonObject(event)) expect(unfitTexts(processed(event)), name).toEqual([]);
      });
      expect(ms, name).toBeLessThan(TIME_MS_MAX);
    }
  });

  function processed(event: JsonObject) {
    return normalizeEvent(sanitizeRawEvent(event, KEY), { eventId: 'evt_1', receivedAtMs: RECEIVED_MS });
  }
});
