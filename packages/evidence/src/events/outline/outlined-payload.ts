import { readyPayload } from '../envelope/event-shapes.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { objectOrEmpty } from '../envelope/read-json.ts';
import type { EventType } from '../normalize/event.ts';
import { countedTexts } from './counted-texts.ts';
import { outlinedContext } from './outlined-context.ts';
import { outlinedRequest, outlinedResponse } from './outlined-exchange.ts';
import {
  filledText,
  hostOnly,
  nothing,
  type OutlineTable,
  type Outlining,
  outlinedDevice,
  outlinedKeys,
  outlinedObject,
  whole,
  withoutNumbers,
} from './outlined-parts.ts';
import { outlinedBreadcrumbs, outlinedLogs, outlinedProbes } from './outlined-trail.ts';

const RUNTIME_TEXTS = ['name', 'hostname'] as const;

const DOM_CONTEXT: OutlineTable = new Map<string, Outlining>([
  ['mode', whole],
  ['html_excerpt', filledText],
]);

const ALIKE_IN_BOTH = new Map<string, Outlining>([
  ['context', outlinedContext],
  ['device', outlinedDevice],
  ['trace_id', nothing],
  ['request_id', nothing],
  ['source', filledText],
  // Read for tags, wherever it stands.
  ['runtime', outlinedRuntime],
  ['breadcrumbs', outlinedBreadcrumbs],
  ['probe_data', outlinedProbes],
]);

const BY_TYPE = {
  backend_exception: tableOf('backend_exception', [
    ...ALIKE_IN_BOTH,
    ['request', outlinedRequest],
    ['response', outlinedResponse],
    ['logs', outlinedLogs],
  ]),
  frontend_exception: tableOf('frontend_exception', [
    ...ALIKE_IN_BOTH,
    ['url', hostOnly],
    ['browser_event', outlinedBrowserEvent],
    ['dom_context', (value) => outlinedObject(value, DOM_CONTEXT)],
  ]),
} as const satisfies Partial<Record<EventType, OutlineTable>>;

/** What no outlining is named for is whole if the table of the type names it. */
function tableOf(type: EventType, outlinings: readonly (readonly [string, Outlining])[]): OutlineTable {
  const table = new Map<string, Outlining>();
  for (const key of readyPayload(type).keys.keys()) table.set(key, whole);
  for (const [key, outlining] of outlinings) table.set(key, outlining);
  return table;
}

/** The payload of an exception as its outline has it, and its own message where that has other digits. */
export function outlinedPayload(
  type: keyof typeof BY_TYPE,
  payload: JsonObject,
): { payload: JsonObject; ownMessage: string | null } {
  const outlined = outlinedKeys(payload, BY_TYPE[type]);
  const texts = countedTexts(payload);
  if (texts === null) return { payload: outlined, ownMessage: null };
  Object.assign(outlined, texts.masked);
  return { payload: outlined, ownMessage: texts.ownMessage };
}

function outlinedRuntime(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const outlined = objectOrEmpty(withoutNumbers(value));
  for (const key in value) {
    const inner = value[key] ?? null;
    if (isJsonObject(inner)) outlined[key] = withoutNumbers(inner);
  }
  for (const key of RUNTIME_TEXTS) {
    const text = value[key];
    if (text !== undefined) outlined[key] = text;
  }
  return outlined;
}

function outlinedBrowserEvent(value: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(value.page)) return value;
  const { url = null, referrer = null, ...page } = value.page;
  return {
    ...value,
    line_number: null,
    column_number: null,
    page: { ...page, url: hostOnly(url), referrer: hostOnly(referrer) },
  };
}
