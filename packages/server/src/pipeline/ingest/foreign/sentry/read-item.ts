import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { nullNonFinite } from '@culprit/evidence/events/envelope/null-non-finite';
import { measureValue } from '@culprit/evidence/events/envelope/scan-batch-body';
import type { Sliced } from '@culprit/evidence/events/envelope/sliced';

/** One item: Android's threads need more than an event of ours may have (docs/contract/foreign-protocols.md 3.5). */
const DEPTH_MAX = 64;
const VALUES_MAX = 100_000;
/** Measuring, parsing, mapping, writing and checking, for each byte. */
const WORK_PER_BYTE = 6;

/** The JSON object of one item; null for everything else, and for one that is too deep or too wide to be parsed. */
export function* readItem(payload: Buffer): Sliced<JsonObject | null> {
  const json = yield* readJson(payload);
  return isJsonObject(json) ? json : null;
}

/** The JSON of one item; undefined for what is none. */
export function* readJson(payload: Buffer): Sliced<unknown> {
  yield payload.length * WORK_PER_BYTE;
  const size = measureValue(payload);
  if (size === null || size.depth > DEPTH_MAX || size.nodes > VALUES_MAX) return undefined;
  const asSent = parsed(payload);
  if (asSent !== undefined) return asSent;
  // Python writes NaN.
  const repaired = yield* nullNonFinite(payload);
  return repaired === null ? undefined : parsed(repaired);
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
