import { isUtf8 } from 'node:buffer';
import { findJsonFault } from './find-json-fault.ts';
import { scalarEnd } from './json-bytes.ts';
import { nullNonFinite } from './null-non-finite.ts';
import { type LimitFault, type ScanProgress, scanBatchBody } from './scan-batch-body.ts';
import type { Sliced } from './sliced.ts';
import { REPAIR_FACTOR, toUtf8, withoutMark } from './utf8-body.ts';

/** Depth and number of values of one event (docs/contract/ingestion.md 3.1 step 6). */
export const EVENT_LIMITS = { depthMax: 32, nodesMax: 20000 } as const;

/** Receives the events of a body in their order, while they are parsed. */
export interface EventReader {
  /** Some in a row; `bytes` are those of all of them. The items are unchecked and hostile. */
  events(events: readonly unknown[], bytes: Buffer): void;
  /** Receives one that exceeds a limit. It is JSON, but is not parsed. */
  overLimit(fault: LimitFault): void;
}

type ParsedBatch<Reader extends EventReader> =
  | {
      ok: true;
      /** The parsed bytes: the raw body, or a repaired one. */
      body: Buffer;
      /** The bytes of each event in `body`, start and end, in the order of `events`. */
      eventRanges: Uint32Array;
      reader: Reader;
    }
  /** The body may be fine, but there is no room for what it becomes. */
  | { ok: false; isCrowded: true }
  /** Why the body is refused as a whole, and where. */
  | { ok: false; isCrowded: false; reason: string };

/**
 * The memory that an event needs besides the body's own bytes while it is answered (its place in lists, up to two
 * copies of a refusal), and that of an object or list when it is parsed.
 */
const EVENT_BYTES = 40;
const CONTAINER_BYTES = 100;
/** However large the estimate is: a body that comes alone must find room. */
const RESERVED_BYTES_MAX = 14 * 1024 * 1024;

/**
 * Reads a decoded request body of `POST /v1/events`: JSON, an object with the only key `events`, an array
 * (docs/contract/ingestion.md 1.1). Anything else is not ok and means `400 invalid_payload`. An event over the limits
 * of depth and values is reported to the reader as such and does not harm its neighbours. A megabyte of empty objects
 * becomes forty times that, so room is requested before anything is parsed: `reserveBytes` returns true if there is any
 * (docs/contract/reliability.md A6, test 20).
 *
 * - A byte order mark is skipped, and bytes that are no UTF-8 are read as U+FFFD, in a copy that is stored instead.
 * - `NaN`, `Infinity` and `-Infinity` as values are no JSON either. They are read as `null`, which takes a second pass
 *   and a separate reader: `startReader` is called for each pass.
 * - `JSON.parse` turns a number beyond the double range (`1e400`) into Infinity. That is well-formed JSON and no reason
 *   to refuse the request. If the contract names a number there, the shape check refuses the event; in open maps it
 *   stays until normalization, and every JSON.stringify on the way writes it as null. The bytes of the raw event keep
 *   the original number, so each later reader must expect it again.
 * - Lone surrogates can be spelled with escapes (`"\ud800"`); normalization makes text well formed.
 */
export function* parseBatch<Reader extends EventReader>(
  sent: Buffer,
  startReader: () => Reader,
  reserveBytes: (sizeBytes: number) => boolean = () => true,
): Sliced<ParsedBatch<Reader>> {
  const isRepaired = !isUtf8(sent);
  if (isRepaired && !reserveBytes(sent.length * REPAIR_FACTOR)) return CROWDED;
  const bytes = isRepaired ? yield* toUtf8(sent) : withoutMark(sent);
  const reserve = growingReservation(reserveBytes);
  const asSent = yield* readEvents(bytes, startReader, reserve);
  if (asSent.ok || asSent.isCrowded) return asSent;
  const repaired = yield* nullNonFinite(bytes);
  if (repaired !== null) {
    if (!reserveBytes(repaired.length)) return CROWDED;
    const again = yield* readEvents(repaired, startReader, reserve);
    if (again.ok || again.isCrowded) return again;
  }
  return { ok: false, isCrowded: false, reason: yield* reasonOf(bytes, asSent.eventRanges) };
}

/** Asks only for what the estimate has grown by. */
function growingReservation(reserveBytes: (sizeBytes: number) => boolean) {
  let reservedBytes = 0;
  return ({ items, containers }: ScanProgress): boolean => {
    const neededBytes = Math.min(items * EVENT_BYTES + containers * CONTAINER_BYTES, RESERVED_BYTES_MAX);
    if (neededBytes <= reservedBytes) return true;
    if (!reserveBytes(neededBytes - reservedBytes)) return false;
    reservedBytes = neededBytes;
    return true;
  };
}

type Pass<Reader extends EventReader> =
  | { ok: true; body: Buffer; eventRanges: Uint32Array; reader: Reader }
  | typeof CROWDED
  /** With the events that were found before the fault. */
  | { ok: false; isCrowded: false; eventRanges: Uint32Array };

const CROWDED = { ok: false, isCrowded: true } as const;

/**
 * Runs of events are parsed as lists of their own: the body is JSON when each of them is, since the scan has read
 * everything around them.
 */
function* readEvents<Reader extends EventReader>(
  body: Buffer,
  startReader: () => Reader,
  reserve: (progress: ScanProgress) => boolean,
): Sliced<Pass<Reader>> {
  const scan = yield* scanBatchBody(body, EVENT_LIMITS, reserve);
  const { eventRanges } = scan;
  if (!scan.ok) return scan.isCrowded ? CROWDED : { ok: false, isCrowded: false, eventRanges };
  const reader = startReader();
  let first = 0;
  for (const { end, work, overLimit } of scan.runs) {
    const from = eventRanges[first * 2] ?? 0;
    const to = eventRanges[end * 2 - 1] ?? 0;
    if (overLimit !== null) {
      if ((yield* findJsonFault(body, from, to)) !== null)
        return { ok: false, isCrowded: false, eventRanges };
      reader.overLimit(overLimit);
    } else {
      yield work;
      const events = parseList(body, from, to);
      if (events === null) return { ok: false, isCrowded: false, eventRanges };
      // Storing the bytes of another event than the one judged would be worse than refusing.
      if (events.length !== end - first) {
        throw new Error(`scan found ${end - first} events, the parser ${events.length}`);
      }
      reader.events(events, body.subarray(from, to));
    }
    first = end;
  }
  return { ok: true, body, eventRanges, reader };
}

function parseList(body: Buffer, from: number, to: number): unknown[] | null {
  try {
    const list: unknown = JSON.parse(`[${body.toString('utf8', from, to)}]`);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

/** Returns the fault of a body, for its sender. Offsets count from after a byte order mark, in UTF-8. */
function* reasonOf(bytes: Buffer, eventRanges: Uint32Array): Sliced<string> {
  const fault = yield* findJsonFault(bytes, 0, bytes.length, { allowsNonFinite: true });
  if (fault === null) return 'the body must be an object with the single key "events", a list';
  const { offset, expected } = fault;
  const found = /^[\w+-]{1,16}$/.exec(
    bytes.toString('latin1', offset, Math.min(scalarEnd(bytes, offset), offset + 17)),
  );
  return `${locationOf(offset, eventRanges)} is not JSON at byte ${offset}: ${expected} was expected${
    found === null ? '' : `, not ${found[0]}`
  }`;
}

/** The event as a JSON pointer, or the body. */
function locationOf(offset: number, eventRanges: Uint32Array): string {
  let low = 0;
  let high = eventRanges.length / 2;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((eventRanges[middle * 2 + 1] ?? 0) > offset) high = middle;
    else low = middle + 1;
  }
  const start = eventRanges[low * 2];
  return start !== undefined && start <= offset ? `/events/${low}` : 'the body';
}
