import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonObject, JsonValue } from '../../src/events/envelope/json.ts';
import type { NormalizedEvent } from '../../src/events/normalize/event.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';
import { type FixtureName, fixture } from './event-fixtures.ts';

/** Normalized events of the fixtures, received a minute after they were sent. */

export const SENT_MS = Date.UTC(2026, 2, 24, 10, 30);
export const RECEIVED_MS = SENT_MS + 60_000;

/** Normalizes a checked event as the worker does. */
export function normalize(event: JsonObject, receivedAtMs = RECEIVED_MS): NormalizedEvent {
  const check = checkEvent(event);
  if (!check.ok) throw new Error(check.reason);
  return normalizeEvent(event, { eventId: check.facts.eventId ?? 'evt_made', receivedAtMs });
}

export function normalized(
  name: FixtureName,
  set: Record<string, JsonValue> = {},
  unset: string[] = [],
): NormalizedEvent {
  return normalize(fixture(name, set, unset));
}
