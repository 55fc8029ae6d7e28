import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { isJsonObject } from '../envelope/json.ts';
import { safeText, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import { pathRouteTemplate } from '../fingerprint/route-template.ts';
import {
  filledBody,
  filledMap,
  nothing,
  type OutlineTable,
  type Outlining,
  outlinedKeys,
  outlinedObject,
  whole,
} from './outlined-parts.ts';

const REQUEST: OutlineTable = new Map<string, Outlining>([
  ['method', whole],
  ['path', whole],
  ['url', whole],
  ['query', filledMap],
  ['headers', filledMap],
  ['body', filledBody],
  ['route_template', whole],
]);

const RESPONSE: OutlineTable = new Map<string, Outlining>([
  ['status_code', whole],
  ['duration_ms', durationOf],
  ['headers', filledMap],
  ['body', filledBody],
]);

/** A request by its method and route. */
export function outlinedRequest(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const outlined = outlinedKeys(value, REQUEST);
  const path = outlinedPath(value);
  if (path !== null) outlined.path = path;
  return outlined;
}

export function outlinedResponse(value: JsonValue): JsonValue {
  return outlinedObject(value, RESPONSE);
}

/** A duration that is none is kept among what no table names. */
function durationOf(value: JsonValue): JsonValue {
  return typeof value === 'number' && value >= 0 ? nothing(value) : value;
}

/** Begins with a slash and has nothing in it that a reader of addresses looks for. */
const PLAIN_PATH = /^\/[\w~.-][\w~./-]{0,1023}$/;
const PARAM = '{param}';

/** Any path of the same route; null where the path is left whole. */
function outlinedPath({ path, route_template: template }: JsonObject): string | null {
  if (typeof path !== 'string' || !PLAIN_PATH.test(path)) return null;
  if (typeof template === 'string' && template.trim() !== '') return '/x';
  if (template !== undefined && template !== null && template !== '') return null;
  if (safeText(path, TEXT_CHARS_MAX.url) !== path) return null;
  return pathRouteTemplate(path).replaceAll(PARAM, '0');
}
