import { isJsonObject, type JsonObject, type JsonValue } from '../envelope/json.ts';
import { getOwn } from '../envelope/own-property.ts';
import { filledObjectOrNull, listOrEmpty, objectOrEmpty } from '../envelope/read-json.ts';
import { filledText, isSmall, type OutlineObject } from './outlined-parts.ts';

type Value = JsonValue | undefined;

/** No more entries are read of a trail; which ones depends on the list. */
const ENTRIES_MAX = 100;
const FAILED = 400;
/** The service looks only for deprecations in their texts. */
const MAY_ANNOUNCE = /deprecat|will be removed in|is obsolete/i;

/** The kinds of breadcrumbs that there are, and whether one is of a failed request; the list where that is not enough. */
export function presentBreadcrumbs(value: Value): Value | OutlineObject[] {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  if (value.length > ENTRIES_MAX) return value;
  const kinds = new Set<string>();
  for (const item of value) {
    const kind = isJsonObject(item) ? kindOf(item) : null;
    if (kind === null) return value;
    kinds.add(kind);
  }
  return [...kinds].sort().map((kind) => {
    const end = kind.indexOf(' ');
    const status = kind.slice(0, end);
    return {
      breadcrumb_type: kind.slice(end + 1),
      data: status === '' ? undefined : { status_code: Number(status) },
    };
  });
}

/** Status and type; null where more of it counts. */
function kindOf(breadcrumb: JsonObject): string | null {
  const type = getOwn(breadcrumb, 'breadcrumb_type');
  const data = objectOrEmpty(getOwn(breadcrumb, 'data'));
  const message = getOwn(data, 'message');
  if ((typeof message === 'string' && MAY_ANNOUNCE.test(message)) || !isSmall(data)) return null;
  const code = getOwn(data, 'status_code');
  const status = typeof code === 'number' ? code : getOwn(data, 'status');
  return `${statusText(status)} ${typeof type === 'string' ? type : ''}`;
}

function statusText(status: Value): string {
  if (typeof status !== 'number') return '';
  return status >= FAILED ? '400' : status === 0 ? '0' : '1';
}

/** Returns whether any line has content; the list where that is uncertain. */
export function presentLogs(value: Value): Value | OutlineObject[] {
  if (!Array.isArray(value) || value.length > ENTRIES_MAX) return value;
  let isSure = true;
  for (const line of value) {
    if (!isJsonObject(line)) continue;
    const texts = [getOwn(line, 'message'), getOwn(line, 'logger')];
    if (filledObjectOrNull(getOwn(line, 'attributes')) !== null) return SAYS_SOMETHING;
    if (texts.some((text) => filledText(text) === 'x')) return SAYS_SOMETHING;
    if (texts.some((text) => typeof text === 'string' && text !== '')) isSure = false;
  }
  return isSure ? undefined : value;
}

const SAYS_SOMETHING: OutlineObject[] = [{ message: 'x' }];

/** Returns whether there are any values of probes. */
export function presentProbes(value: Value): OutlineObject | undefined {
  const items = listOrEmpty(getOwn(objectOrEmpty(value), 'items'));
  return items.length === 0 ? undefined : { items: [{ label: 'x' }] };
}
