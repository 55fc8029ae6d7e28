import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../src/events/envelope/check-event.ts';
import { isJsonObject, type JsonObject } from '../../src/events/envelope/json.ts';
import { sanitizeRawEvent } from '../../src/events/envelope/sanitize-raw-event.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { charactersRead } from '../support/characters-read.ts';
import { malformedCorpus } from './malformed-corpus.ts';
import { unfitTexts } from './unfit-texts.ts';

const KEY = new Uint8Array(32);
const RECEIVED_MS = Date.UTC(2026, 2, 24, 10, 31);

/** Of the characters of an event, and for what each event costs however small it is. */
const READ_CHARS_MAX = (json: string) => 90 * json.length + 10_000;

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

  it('is checked, sanitized and normalized without an exception, in work in proportion to its size, into clean text', () => {
    for (const { name, json, event } of malformedCorpus) {
      const characters = charactersRead(() => {
        const check = checkEvent(event);
        if (!check.ok) expect(check.reason.length, name).toBeLessThan(400);
        else if (isJsonObject(event)) expect(unfitTexts(processed(event)), name).toEqual([]);
      });
      expect(characters, name).toBeLessThan(READ_CHARS_MAX(json));
    }
  });

  function processed(event: JsonObject) {
    return normalizeEvent(sanitizeRawEvent(event, KEY), { eventId: 'evt_1', receivedAtMs: RECEIVED_MS });
  }
});
