import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import {
  anyTime,
  filledMap,
  filledText,
  nothing,
  type OutlineTable,
  type Outlining,
  outlinedEntries,
  outlinedKeys,
  outlinedObject,
  whole,
} from './outlined-parts.ts';

/** No more entries are read of a trail; which ones depends on the list. */
const ENTRIES_MAX = 100;
/** Much more in one breadcrumb may be cut, with the status behind it. */
const DATA_CHARS_MAX = 8_192;
const PROBES_MAX = 500;

const BREADCRUMB: OutlineTable = new Map<string, Outlining>([
  ['breadcrumb_type', whole],
  ['route', filledText],
  ['ts', anyTime],
  ['occurred_at', anyTime],
  ['data', filledMap],
]);

const LOG: OutlineTable = new Map<string, Outlining>([
  ['level', (value) => (typeof value === 'string' ? 'info' : value)],
  ['message', filledText],
  ['logger', filledText],
  ['ts', anyTime],
  ['attributes', filledMap],
]);

const PROBE: OutlineTable = new Map<string, Outlining>([
  ['label', nothing],
  ['data', nothing],
  ['timestamp', nothing],
  ['occurred_at', nothing],
  ['activation_id', nothing],
]);

const PROBES: OutlineTable = new Map<string, Outlining>([
  ['version', nothing],
  ['items', (value) => outlinedEntries(value, PROBES_MAX, (item) => outlinedKeys(item, PROBE))],
]);

/** Kinds of breadcrumbs, failed requests among them, and lines that announce something. */
export function outlinedBreadcrumbs(value: JsonValue): JsonValue {
  return outlinedEntries(value, ENTRIES_MAX, outlinedBreadcrumb);
}

export function outlinedLogs(value: JsonValue): JsonValue {
  return outlinedEntries(value, ENTRIES_MAX, (line) => outlinedKeys(line, LOG));
}

export function outlinedProbes(value: JsonValue): JsonValue {
  return outlinedObject(value, PROBES);
}

function outlinedBreadcrumb(breadcrumb: JsonObject): JsonObject | null {
  const { data } = breadcrumb;
  const outlined = outlinedKeys(breadcrumb, BREADCRUMB);
  if (!isJsonObject(data)) return data === undefined || data === null ? outlined : null;
  if (JSON.stringify(data).length > DATA_CHARS_MAX) return null;
  outlined.data = outlinedData(data);
  return outlined;
}

/** Of which texts nothing but a deprecation is looked for. */
const MAY_ANNOUNCE = /deprecat|will be removed in|is obsolete/i;
const FAILED = 400;

function outlinedData(data: JsonObject): JsonObject {
  const outlined: JsonObject = {};
  for (const key of ['status_code', 'status']) {
    const status = Object.hasOwn(data, key) ? data[key] : null;
    if (typeof status !== 'number') continue;
    outlined[key] = status >= FAILED ? FAILED : status === 0 ? 0 : 1;
  }
  const message = Object.hasOwn(data, 'message') ? data.message : null;
  if (typeof message === 'string' && MAY_ANNOUNCE.test(message)) outlined.message = message;
  return outlined;
}
