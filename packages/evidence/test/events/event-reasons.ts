import { checkEvent } from '../../src/events/envelope/check-event.ts';
import type { JsonValue } from '../../src/events/envelope/json.ts';
import { type FixtureName, fixture } from './event-fixtures.ts';

/** What `checkEvent` says of events that are not right. */

export const missing = (path: string) => `invalid_event: missing field "${path}"`;
export const invalid = (path: string) => `invalid_event: invalid field "${path}"`;
export const unknown = (path: string) => `invalid_event: unknown field "${path}"`;
export const conflict = (a: string, b: string) => `invalid_event: conflicting fields "${a}" and "${b}"`;

/** Null for an accepted event. */
export function reasonOf(event: unknown): string | null {
  const check = checkEvent(event);
  return check.ok ? null : check.reason;
}

export function reasons(name: FixtureName, sets: Record<string, JsonValue>[]): (string | null)[] {
  return sets.map((set) => reasonOf(fixture(name, set)));
}
