import { checkEvent } from '../../../evidence/src/events/envelope/check-event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../evidence/src/events/envelope/json.ts';
import { loadCrypto } from '../load-builtin.ts';
import { rewriteEvent } from './rewrite-event.ts';

/** An event in the form in which it is forwarded. */
export interface RelayedEvent {
  text: string;
  service: string;
  environment: string;
}

export interface ReadEvents {
  events: RelayedEvent[];
  /** One sentence for each event that was refused. */
  errors: string[];
}

const TYPES = new Set([
  'frontend_exception',
  'frontend_breadcrumb',
  'request_event',
  'error_suppressed',
  'probe_event',
]);
const ITEMS_MAX = 500;
const DEPTH_MAX = 32;
const VALUES_MAX = 20_000;
const QUOTED_CHARACTERS_MAX = 64;

/**
 * Reads the body of a call: steps 7 to 9 of docs/contract/ingestion.md 8.11. Null when it is no batch at all. The
 * events come out rewritten, and each that is not there twice has an id, so that sending it again is harmless.
 */
export function readEvents(
  text: string,
  overrides: { service: string | null; environment: string | null },
): ReadEvents | null {
  const items = readItems(text);
  if (items === null) return null;
  const events: RelayedEvent[] = [];
  const errors: string[] = [];
  for (const [index, item] of items.entries()) {
    const refusal = readEvent(item, overrides, events);
    if (refusal !== null) errors.push(`batch[${index}]: ${refusal}`);
  }
  return { events, errors };
}

function readEvent(
  item: JsonValue,
  overrides: { service: string | null; environment: string | null },
  events: RelayedEvent[],
): string | null {
  if (!isJsonObject(item)) return 'invalid_event';
  const type = item.event_type;
  if (typeof type === 'string' && !TYPES.has(type)) {
    return `unsupported event type ${type.slice(0, QUOTED_CHARACTERS_MAX).toWellFormed()}`;
  }
  rewriteEvent(item, overrides);
  const check = checkEvent(item);
  if (!check.ok) return check.reason;
  if (typeof item.event_id !== 'string') item.event_id = loadCrypto().randomUUID();
  events.push({ text: JSON.stringify(item), ...serviceOf(item) });
  return null;
}

function serviceOf({ service }: JsonObject): { service: string; environment: string } {
  const named = isJsonObject(service) ? service : {};
  return { service: String(named.name).trim(), environment: String(named.environment).trim() };
}

function readItems(text: string): JsonValue[] | null {
  let body: JsonValue;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(body) || Object.hasOwn(body, 'batch') === Object.hasOwn(body, 'events')) return null;
  const items = Object.hasOwn(body, 'batch') ? body.batch : body.events;
  if (!Array.isArray(items) || items.length > ITEMS_MAX) return null;
  return items.every((item) => isWithinLimits(item)) ? items : null;
}

/** Depth and number of values of an event, as the server bounds them. */
function isWithinLimits(item: JsonValue): boolean {
  let left = VALUES_MAX;
  const visit = (value: JsonValue | undefined, depth: number): boolean => {
    left -= 1;
    if (left < 0) return false;
    if (typeof value !== 'object' || value === null) return true;
    if (depth >= DEPTH_MAX) return false;
    for (const key of Object.keys(value)) {
      if (!visit(Array.isArray(value) ? value[Number(key)] : value[key], depth + 1)) return false;
    }
    return true;
  };
  return visit(item, 0);
}
