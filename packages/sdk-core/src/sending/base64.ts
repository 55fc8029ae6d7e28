const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes of base64 in either alphabet; other characters are skipped, `=` ends it. */
export function base64Bytes(text: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const char of text) {
    if (char === '=') break;
    const value = ALPHABET.indexOf(char === '-' ? '+' : char === '_' ? '/' : char);
    if (value < 0) continue;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push((bits >> count) & 255);
    }
  }
  return bytes;
}
