import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openSealedText, sealText } from '../../src/platform/secrets/sealed-text.ts';

const KEY = randomBytes(32);
const ROW = Buffer.from('row 1');

describe('a sealed text', () => {
  it('is read again with its key, in its row', () => {
    for (const text of ['', 'secret', 'sécret ✓', 'x'.repeat(10_000)]) {
      expect(openSealedText(KEY, sealText(KEY, text, ROW), ROW)).toBe(text);
    }
  });

  it('is nothing with another key or in another row', () => {
    const sealed = sealText(KEY, 'secret', ROW);
    expect(openSealedText(randomBytes(32), sealed, ROW)).toBeNull();
    expect(openSealedText(KEY, sealed, Buffer.from('row 2'))).toBeNull();
  });

  it('is nothing once a single bit of it differs, or a byte is missing', () => {
    const sealed = sealText(KEY, 'secret', ROW);
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openSealedText(KEY, changed, ROW)).toBeNull();
      expect(openSealedText(KEY, sealed.subarray(0, at), ROW)).toBeNull();
    }
  });

  it('differs each time and shows nothing of the text', () => {
    const sealed = Array.from({ length: 50 }, () => sealText(KEY, 'secret', ROW).toString('hex'));
    expect(new Set(sealed).size).toBe(50);
    expect(sealed.some((hex) => hex.includes(Buffer.from('secret').toString('hex')))).toBe(false);
  });
});
