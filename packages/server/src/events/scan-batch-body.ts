/** Limits of one event (ingestion.md 3.1 step 5). */
export interface ScanLimits {
  /** Levels of objects and arrays; the event object itself is level 1. */
  depthMax: 32;
  /** Values of every kind, the event object itself included; keys are not values. */
  nodesMax: 20000;
}

export type BatchScan =
  | {
      ok: true;
      eventRanges: Uint32Array;
      /** Objects and lists of all items, which are what a parsed body's memory goes to. */
      containers: number;
    }
  | { ok: false };

/**
 * Finds the items of the top-level `events` array and checks their depth and number of values on the bytes,
 * before any code that recurses or allocates per value sees them (ingestion.md 3.1 step 5).
 *
 * `eventRanges` holds start and end (exclusive) byte offsets, two numbers per item, without the whitespace
 * around the item. It is exact for every body that `JSON.parse` accepts. The scan is no validator: it also
 * passes some bodies that `JSON.parse` refuses, so its answer counts only together with a successful parse.
 *
 * Not ok: an item over a limit, a body that is no object, any key besides `events` (however it is escaped),
 * `events` missing or no array, and a second `events` key. JSON.parse would keep the last of two; we refuse,
 * because what another reader of the same bytes saw would be a matter of luck.
 */
export function scanBatchBody(bytes: Buffer, limits: ScanLimits): BatchScan {
  const first = itemsStart(bytes);
  if (first < 0) return NOT_OK;

  let ranges = new Uint32Array(128);
  let count = 0;
  const seen = { containers: 0 };
  let i = skipSpace(bytes, first);
  if (bytes[i] === CLOSE_BRACKET) {
    i++;
  } else {
    for (;;) {
      const end = itemEnd(bytes, i, limits, seen);
      if (end < 0) return NOT_OK;
      if (count === ranges.length) ranges = doubled(ranges);
      ranges[count++] = i;
      ranges[count++] = end;
      i = skipSpace(bytes, end);
      const next = bytes[i++];
      if (next === CLOSE_BRACKET) break;
      if (next !== COMMA) return NOT_OK;
      i = skipSpace(bytes, i);
    }
  }

  // A comma here would bring a second key, which is refused whatever its name is.
  i = skipSpace(bytes, i);
  if (bytes[i] !== CLOSE_BRACE) return NOT_OK;
  if (skipSpace(bytes, i + 1) !== bytes.length) return NOT_OK;
  return { ok: true, eventRanges: ranges.slice(0, count), containers: seen.containers };
}

const NOT_OK: BatchScan = Object.freeze({ ok: false });

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE = 0x20;

/** `"events"` with each of its six letters written as `\uXXXX`, quotes included. */
const KEY_BYTES_MAX = 38;

/** Offset just behind the `[` of `{"events":[`, or -1. */
function itemsStart(bytes: Buffer): number {
  let i = skipSpace(bytes, 0);
  if (bytes[i] !== OPEN_BRACE) return -1;
  i = skipSpace(bytes, i + 1);
  if (bytes[i] !== QUOTE) return -1;
  const keyEnd = stringEnd(bytes, i + 1);
  if (keyEnd < 0 || !isEventsKey(bytes, i, keyEnd)) return -1;
  i = skipSpace(bytes, keyEnd);
  if (bytes[i] !== COLON) return -1;
  i = skipSpace(bytes, i + 1);
  return bytes[i] === OPEN_BRACKET ? i + 1 : -1;
}

/** A key may be spelled with escapes (`"\u0065vents"`), so it is compared after decoding. */
function isEventsKey(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > KEY_BYTES_MAX) return false;
  const spelled = bytes.toString('latin1', start, end);
  if (spelled === '"events"') return true;
  if (!spelled.includes('\\')) return false;
  try {
    return JSON.parse(spelled) === 'events';
  } catch {
    return false;
  }
}

/**
 * Offset behind the value that starts at `start`, or -1 when the bytes end inside it or it exceeds a limit.
 *
 * Values are counted without knowing whether the open container is an object or an array: every string,
 * container and scalar counts one, and every colon takes the key before it back. Which bracket closes which is
 * left to JSON.parse.
 */
function itemEnd(bytes: Buffer, start: number, limits: ScanLimits, seen: { containers: number }): number {
  const length = bytes.length;
  let i = start;
  let depth = 0;
  let nodes = 0;
  let containers = 0;
  do {
    if (i >= length) return -1;
    const byte = bytes[i++] as number;
    if (byte === QUOTE) {
      nodes++;
      i = stringEnd(bytes, i);
      if (i < 0) return -1;
    } else if (byte === COLON) {
      nodes--;
    } else if (byte === COMMA || byte <= SPACE) {
      // At depth 0 nothing but a value can start an item: `[,1]` and `[1,]` end here.
      if (depth === 0) return -1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      nodes++;
      containers++;
      if (++depth > limits.depthMax) return -1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (--depth < 0) return -1;
    } else {
      nodes++;
      i = scalarEnd(bytes, i);
    }
  } while (depth > 0);
  seen.containers += containers;
  return nodes > limits.nodesMax ? -1 : i;
}

/**
 * How far a string is read byte by byte before the native search takes over. A call of `indexOf` costs as much as
 * about 50 bytes of the loop: keys and short values never pay it, stacks do once per quote. Measured: 50 exceptions of
 * 1.5 KB at 2.5 GB/s (1.7 with the loop alone), 30 of 25 KB at 33 GB/s, a string of nothing but `\"` at 0.8 GB/s.
 */
const NEAR_BYTES = 32;

/** Offset behind the closing quote of the string whose first content byte is at `start`, or -1. */
function stringEnd(bytes: Buffer, start: number): number {
  const length = bytes.length;
  let i = start;
  for (;;) {
    const near = Math.min(length, i + NEAR_BYTES);
    while (i < near && bytes[i] !== QUOTE) i++;
    if (i === near) {
      i = i < length ? bytes.indexOf(QUOTE, i) : -1;
      if (i < 0) return -1;
    }
    // The quote ends the string unless an odd number of backslashes stands before it. Runs lie between two
    // quotes, so that looking back stays linear over the whole string.
    let before = i - 1;
    while (before >= start && bytes[before] === BACKSLASH) before--;
    const isEscaped = ((i - before) & 1) === 0;
    i++;
    if (!isEscaped) return i;
  }
}

/** Offset behind a number, `true`, `false` or `null` of which the first byte is already read. */
function scalarEnd(bytes: Buffer, start: number): number {
  const length = bytes.length;
  let i = start;
  while (i < length) {
    const byte = bytes[i] as number;
    if (byte <= SPACE || byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE) break;
    i++;
  }
  return i;
}

/** Offset of the next byte that is not JSON whitespace. */
function skipSpace(bytes: Buffer, start: number): number {
  const length = bytes.length;
  let i = start;
  while (i < length) {
    const byte = bytes[i];
    if (byte !== SPACE && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
    i++;
  }
  return i;
}

function doubled(ranges: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(ranges.length * 2);
  wider.set(ranges);
  return wider;
}
