/** In place of a character that is no digit. */
export const NO_DIGIT = 255;

/** The values of the digits of base-64 VLQ, by their character. */
export const DIGITS = digits();

function digits(): Uint8Array {
  const table = new Uint8Array(256).fill(NO_DIGIT);
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let value = 0; value < letters.length; value += 1) table[letters.charCodeAt(value)] = value;
  return table;
}
