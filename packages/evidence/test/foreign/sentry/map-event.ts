import { checkEvent } from '../../../src/events/envelope/check-event.ts';
import type { JsonObject, JsonValue } from '../../../src/events/envelope/json.ts';
import { sanitizeRawEvent } from '../../../src/events/envelope/sanitize-raw-event.ts';
import { fingerprintEvent } from '../../../src/events/fingerprint/fingerprint.ts';
import { readStackRules } from '../../../src/events/fingerprint/stack/stack-rules.ts';
import type { NormalizedEvent } from '../../../src/events/normalize/event.ts';
import { normalizeEvent } from '../../../src/events/normalize/normalize-event.ts';
import { type MappedItem, mapSentryItem, type SentrySource } from '../../../src/foreign/sentry/map-item.ts';

export const RECEIVED_AT = Date.UTC(2025, 10, 29, 0, 0, 2);

export const SOURCE: SentrySource = {
  receivedAt: RECEIVED_AT,
  eventId: null,
  clockSkewMs: null,
  trace: null,
  sdk: null,
  clientName: null,
  serviceName: 'shop',
  projectId: '01a222f8-f943-7787-8000-000000000000',
  keyId: 'tok_1',
  droppedItems: [],
};

export function mapped(type: string, payload: unknown, source: Partial<SentrySource> = {}): MappedItem {
  const item = mapSentryItem(type, payload, { ...SOURCE, ...source });
  for (const event of item.events) {
    const check = checkEvent(event);
    if (!check.ok) throw new Error(check.reason);
  }
  return item;
}

/** The one event that an item becomes. */
export function mappedEvent(
  payload: unknown,
  source: Partial<SentrySource> = {},
  type = 'event',
): JsonObject {
  const { events } = mapped(type, payload, source);
  if (events.length !== 1 || events[0] === undefined) throw new Error(`${events.length} events`);
  return events[0];
}

export function normalizedEvent(
  payload: unknown,
  source: Partial<SentrySource> = {},
  type = 'event',
): NormalizedEvent {
  const raw = sanitizeRawEvent(mappedEvent(payload, source, type), new Uint8Array(32));
  return normalizeEvent(raw, { eventId: 'evt_1', receivedAtMs: RECEIVED_AT });
}

export function keyOf(payload: unknown): string | null {
  return fingerprintEvent(normalizedEvent(payload), readStackRules([]))?.materialJson ?? null;
}

/** What stands at a dotted path. */
export function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of path.split('.')) {
    if (Array.isArray(found)) found = found[Number(key)];
    else if (typeof found === 'object' && found !== null) found = found[key];
    else return undefined;
  }
  return found;
}
