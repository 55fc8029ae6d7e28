import { isUtf8 } from 'node:buffer';
import { isJsonObject } from './json.ts';
import { scanBatchBody } from './scan-batch-body.ts';

/** Depth and number of values of one event (ingestion.md 3.1 step 5). */
const EVENT_LIMITS = { depthMax: 32, nodesMax: 20000 } as const;

export type ParsedBatch =
  | { ok: true; events: unknown[]; eventRanges: Uint32Array }
  /** Crowded: the body may be fine, but there is no room for what it becomes. */
  | { ok: false; isCrowded: boolean };

/**
 * What an event adds to the body's own bytes while it is answered (its place in lists, up to two copies of a refusal),
 * and an object or list when it is parsed.
 */
const EVENT_BYTES = 40;
const CONTAINER_BYTES = 100;
/** However large the estimate is: a body that comes alone must find room. */
const RESERVED_BYTES_MAX = 14 * 1024 * 1024;

/**
 * Reads a decoded request body of `POST /v1/events`: UTF-8, JSON, an object with the only key `events`, an array
 * (ingestion.md 1.1), no event over the limits of depth and values (3.1 step 5). Anything else is not ok and
 * means `400 invalid_payload`. The items themselves are unchecked and hostile; they need not be objects.
 * A megabyte of empty objects becomes forty times that, so room is asked for before anything is parsed: `reserveBytes`
 * says whether there is any (reliability rule A6, test 20).
 * `eventRanges` gives the bytes of each item, two offsets (start, end) per item, in the order of `events`.
 *
 * - A byte order mark is no JSON, so it is not ok.
 * - `JSON.parse` turns a number beyond the double range (`1e400`) into Infinity. That is well-formed JSON and no
 *   reason to refuse the request. Where the contract names a number, the shape check refuses the event; in open
 *   maps it stays until normalization, and every JSON.stringify on the way writes it as null. The bytes of the
 *   raw event keep what was sent, so each later reader must expect it again.
 * - Lone surrogates can be spelled with escapes (`"\ud800"`); normalization makes text well formed.
 */
export function parseBatch(
  bytes: Buffer,
  reserveBytes: (sizeBytes: number) => boolean = () => true,
): ParsedBatch {
  // Without this, toString would put U+FFFD in the place of bad bytes and the stored bytes would say otherwise.
  if (!isUtf8(bytes)) return NOT_OK;
  const scan = scanBatchBody(bytes, EVENT_LIMITS);
  if (!scan.ok) return NOT_OK;
  const estimateBytes = (scan.eventRanges.length / 2) * EVENT_BYTES + scan.containers * CONTAINER_BYTES;
  if (!reserveBytes(Math.min(estimateBytes, RESERVED_BYTES_MAX))) return CROWDED;
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return NOT_OK;
  }
  // The scan has seen the only key and its array; this restates it for the types.
  if (!isJsonObject(body) || !Array.isArray(body.events)) return NOT_OK;
  const events: unknown[] = body.events;
  // Storing the bytes of another event than the one judged would be worse than refusing.
  if (events.length * 2 !== scan.eventRanges.length) {
    throw new Error(`scan found ${scan.eventRanges.length / 2} events, the parser ${events.length}`);
  }
  return { ok: true, events, eventRanges: scan.eventRanges };
}

const NOT_OK: ParsedBatch = Object.freeze({ ok: false, isCrowded: false });
const CROWDED: ParsedBatch = Object.freeze({ ok: false, isCrowded: true });
