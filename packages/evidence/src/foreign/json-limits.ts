import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  scalarEnd,
  stringEnd,
} from '../events/envelope/json-bytes.ts';
import { SLICE_BYTES, type Sliced, WORK_PER_BYTE } from '../events/envelope/sliced.ts';

export interface JsonLimits {
  depthMax: number;
  /** Values of every kind; keys are not values. */
  valuesMax: number;
}

/**
 * Which limit the bytes of JSON are over, told before anything is allocated for a value; null for none. It is no
 * validator: what it passes may still be no JSON.
 */
export function* findOverLimit(bytes: Buffer, limits: JsonLimits): Sliced<'depth' | 'values' | null> {
  let depth = 0;
  let values = 0;
  let stop = 0;
  let i = 0;
  while (i < bytes.length) {
    if (i >= stop) {
      stop = i + SLICE_BYTES;
      yield (Math.min(stop, bytes.length) - i) * WORK_PER_BYTE;
    }
    const byte = bytes[i] as number;
    i += 1;
    if (byte === QUOTE) {
      values += 1;
      i = stringEnd(bytes, i);
      if (i < 0) return null;
    } else if (byte === COLON) {
      // What was counted before it is a key.
      values -= 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values += 1;
      depth += 1;
      if (depth > limits.depthMax) return 'depth';
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1;
    } else if (byte > SPACE && byte !== COMMA) {
      values += 1;
      i = scalarEnd(bytes, i);
    }
    if (values > limits.valuesMax) return 'values';
  }
  return null;
}
