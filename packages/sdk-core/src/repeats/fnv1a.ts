/** FNV-1a, 32 bit, over UTF-16 code units (docs/contract/ingestion.md 5.3); unsigned. */
export function fnv1a(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  return hash >>> 0;
}

/** The same as eight hexadecimal digits: the fingerprint of a browser's suppression reports. */
export function fnv1aHex(text: string): string {
  return fnv1a(text).toString(16).padStart(8, '0');
}

/** The same as a number between 0 and 1, 1 excluded: what sampling compares. */
export function samplingNumber(text: string): number {
  return fnv1a(text) / 4_294_967_296;
}
