import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../src/events/envelope/json.ts';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { messageTemplate } from '../../../src/events/fingerprint/template/message-template.ts';
import { eventFromGolden } from '../build-event.ts';

interface GoldenPair {
  id: string;
  title: string;
  expect: 'same' | 'different' | 'same fingerprint, two incidents';
  a: JsonValue;
  b: JsonValue;
  materials: { a?: GoldenMaterial; b?: GoldenMaterial };
}

interface GoldenMaterial {
  json: string;
  sha256: string;
}

const golden: { pairs: GoldenPair[]; messages: { message: string; template: string }[] } = JSON.parse(
  readFileSync(new URL('golden-vectors.json', import.meta.url), 'utf8'),
);

describe('the golden vectors of the contract', () => {
  it('are all there', () => {
    expect(golden.pairs.map(({ id }) => id)).toEqual(
      Array.from({ length: 22 }, (_, index) => `G${String(index + 1).padStart(2, '0')}`),
    );
    expect(golden.messages).toHaveLength(14);
  });

  it.each(golden.pairs)('$id $title: $expect', (pair) => {
    const a = fingerprintEvent(eventFromGolden(pair.a));
    const b = fingerprintEvent(eventFromGolden(pair.b));
    if (pair.expect === 'different') expect(b?.value).not.toBe(a?.value);
    else expect(b?.materialJson).toBe(a?.materialJson);
    const { a: materialA, b: materialB } = pair.materials;
    if (materialA !== undefined)
      expect([a?.materialJson, a?.value]).toEqual([materialA.json, materialA.sha256]);
    if (materialB !== undefined)
      expect([b?.materialJson, b?.value]).toEqual([materialB.json, materialB.sha256]);
    for (const fingerprint of [a, b]) {
      const digest = createHash('sha256')
        .update(fingerprint?.materialJson ?? '', 'utf8')
        .digest('hex');
      expect(fingerprint?.value).toBe(digest);
    }
  });

  it.each(golden.messages)('turns $message into $template', ({ message, template }) => {
    expect(messageTemplate(message, message.includes('TypeError: ') ? 'TypeError' : '')).toBe(template);
  });
});
