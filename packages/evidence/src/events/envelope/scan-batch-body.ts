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
  skipSpace,
  stringEnd,
} from './json-bytes.ts';
import { SLICE_BYTES, type Sliced, WORK_PER_BYTE } from './sliced.ts';

/** Limits of one event (docs/contract/ingestion.md 3.1 step 6). */
export interface ScanLimits {
  /** Levels of objects and arrays; the event object itself is level 1. */
  depthMax: 32;
  /** Values of every kind, the event object itself included; keys are not values. */
  nodesMax: 20000;
}

/** The limit that an item exceeds. */
export type LimitFault = 'depth' | 'nodes';

/** Consecutive items that are parsed in one slice: none over a limit, or a single one that is. */
interface ItemRun {
  /** Index behind the last item. */
  end: number;
  work: number;
  /** Null for items that are parsed. */
  overLimit: LimitFault | null;
}

export type BatchScan =
  | { ok: true; eventRanges: Uint32Array; runs: readonly ItemRun[] }
  /** With the items found so far. */
  | { ok: false; isCrowded: boolean; eventRanges: Uint32Array };

/** The counts of a body's items while it is scanned. */
export interface ScanProgress {
  items: number;
  /** Objects and lists of all items within the limits, which are what a parsed body's memory goes to. */
  containers: number;
}

/** Parsing a value and judging an event cost about as much as so many bytes. */
const VALUE_WORK = 64;
const EVENT_WORK = 256;
/** A run ends with the item that reaches this. */
export const RUN_WORK_MAX = 64 * 1024;

/**
 * Finds the items of the top-level `events` array and measures their depth and number of values on the bytes, before
 * any code that recurses or allocates per value sees them (docs/contract/ingestion.md 3.1 steps 5 and 6).
 *
 * `eventRanges` holds start and end (exclusive) byte offsets, two numbers per item, without the whitespace
 * around the item. It is exact for every body that `JSON.parse` accepts. The scan is no validator: it also
 * passes some bodies that `JSON.parse` refuses, so its answer counts only together with a successful parse.
 *
 * Not ok: a body that is no object, any key besides `events` (however it is escaped), `events` missing or no array, and
 * a second `events` key. JSON.parse would keep the last of two; we refuse, because what another reader of the same
 * bytes saw would be a matter of luck. Also not ok, and crowded, once `mayGoOn` says no.
 */
export function* scanBatchBody(
  bytes: Buffer,
  limits: ScanLimits,
  mayGoOn: (progress: ScanProgress) => boolean,
): Sliced<BatchScan> {
  const { length } = bytes;
  let stop = Math.min(length, SLICE_BYTES);
  yield stop * WORK_PER_BYTE;

  const found = createFoundItems(limits);
  const failed = (isCrowded = false): BatchScan => ({ ok: false, isCrowded, eventRanges: found.ranges() });

  const item = { offset: itemsStart(bytes), depth: 0, depthReached: 0, nodes: 0, containers: 0 };
  if (item.offset < 0) return failed();
  let i = skipSpace(bytes, item.offset);
  if (bytes[i] === CLOSE_BRACKET) {
    i++;
  } else {
    for (;;) {
      const start = i;
      item.offset = i;
      item.depth = item.depthReached = item.nodes = item.containers = 0;
      for (let state = readItem(bytes, item, stop); state !== 'whole'; state = readItem(bytes, item, stop)) {
        if (state === 'broken' || stop === length) return failed();
        if (!mayGoOn(found.progress)) return failed(true);
        stop = Math.min(length, item.offset + SLICE_BYTES);
        yield (stop - item.offset) * WORK_PER_BYTE;
      }
      found.add(start, item);
      i = skipSpace(bytes, item.offset);
      const next = bytes[i++];
      if (next === CLOSE_BRACKET) break;
      if (next !== COMMA) return failed();
      i = skipSpace(bytes, i);
    }
  }

  // A comma here would bring a second key, which is refused whatever its name is.
  i = skipSpace(bytes, i);
  if (bytes[i] !== CLOSE_BRACE) return failed();
  if (skipSpace(bytes, i + 1) !== length) return failed();
  if (!mayGoOn(found.progress)) return failed(true);
  return { ok: true, eventRanges: found.ranges(), runs: found.runs() };
}

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

/** An item while it is read. */
interface Item {
  offset: number;
  depth: number;
  depthReached: number;
  nodes: number;
  containers: number;
}

/**
 * Reads on to the end of the item, or to the first token from `stop` on; broken when the bytes end inside a text or
 * are no value.
 *
 * Values are counted without knowing whether the open container is an object or an array: every string,
 * container and scalar counts one, and every colon takes the key before it back. Which bracket closes which is
 * left to the parser.
 */
function readItem(bytes: Buffer, item: Item, stop: number): 'whole' | 'partial' | 'broken' {
  let { offset: i, depth, depthReached, nodes, containers } = item;
  do {
    if (i >= stop) {
      item.offset = i;
      item.depth = depth;
      item.depthReached = depthReached;
      item.nodes = nodes;
      item.containers = containers;
      return 'partial';
    }
    const byte = bytes[i++] as number;
    if (byte === QUOTE) {
      nodes++;
      i = stringEnd(bytes, i);
      if (i < 0) return 'broken';
    } else if (byte === COLON) {
      nodes--;
    } else if (byte === COMMA || byte <= SPACE) {
      // At depth 0 nothing but a value can start an item: `[,1]` and `[1,]` end here.
      if (depth === 0) return 'broken';
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      nodes++;
      containers++;
      if (++depth > depthReached) depthReached = depth;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (--depth < 0) return 'broken';
    } else {
      nodes++;
      i = scalarEnd(bytes, i);
    }
  } while (depth > 0);
  item.offset = i;
  item.depthReached = depthReached;
  item.nodes = nodes;
  item.containers = containers;
  return 'whole';
}

/**
 * Levels and values of the one JSON value that bytes begin with, before anything parses it; null for none. No
 * validator either.
 */
export function measureValue(bytes: Buffer): { depth: number; nodes: number } | null {
  const item: Item = { offset: skipSpace(bytes, 0), depth: 0, depthReached: 0, nodes: 0, containers: 0 };
  if (item.offset >= bytes.length || readItem(bytes, item, bytes.length) !== 'whole') return null;
  return { depth: item.depthReached, nodes: item.nodes };
}

/** Collects items and divides them into runs. */
function createFoundItems(limits: ScanLimits) {
  let ranges = new Uint32Array(128);
  const progress: ScanProgress = { items: 0, containers: 0 };
  const runs: ItemRun[] = [];
  let runStart = 0;
  let runWork = 0;

  function endRun(end: number): void {
    if (end > runStart) runs.push({ end, work: runWork, overLimit: null });
    runStart = end;
    runWork = 0;
  }

  return {
    progress,
    add(start: number, { offset: end, depthReached, nodes, containers }: Item): void {
      const index = progress.items++;
      if (index * 2 === ranges.length) ranges = doubled(ranges);
      ranges[index * 2] = start;
      ranges[index * 2 + 1] = end;
      if (depthReached > limits.depthMax || nodes > limits.nodesMax) {
        endRun(index);
        runs.push({ end: index + 1, work: 0, overLimit: depthReached > limits.depthMax ? 'depth' : 'nodes' });
        runStart = index + 1;
        return;
      }
      progress.containers += containers;
      runWork += end - start + nodes * VALUE_WORK + EVENT_WORK;
      if (runWork >= RUN_WORK_MAX) endRun(index + 1);
    },
    ranges: () => ranges.slice(0, progress.items * 2),
    runs(): readonly ItemRun[] {
      endRun(progress.items);
      return runs;
    },
  };
}

function doubled(ranges: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const wider = new Uint32Array(ranges.length * 2);
  wider.set(ranges);
  return wider;
}
