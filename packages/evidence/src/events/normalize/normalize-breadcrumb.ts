import { boundedMap } from '../envelope/bounded-json.ts';
import { parseIsoTime } from '../envelope/iso-time.ts';
import type { JsonObject, JsonValue } from '../envelope/json.ts';
import { getOwn, setOwn } from '../envelope/own-property.ts';
import { listOrEmpty, objectOrEmpty } from '../envelope/read-json.ts';
import { safeTextOrNull, TEXT_CHARS_MAX } from '../envelope/safe-text.ts';
import type { Breadcrumb } from './event.ts';
import type { SenderClock } from './sender-clock.ts';

const TYPE_CHARS_MAX = 128;
const BREADCRUMBS_MAX = 100;

/** Below this a number is read as seconds; as milliseconds it would lie in the first months of 1973. */
const SECONDS_BELOW = 100_000_000_000;
const TIME_MS_MAX = 253_402_300_799_999;

/** The breadcrumb of a `frontend_breadcrumb` event (docs/contract/ingestion.md 2.5); its time is the event's. */
export function normalizeBreadcrumbEvent(payload: JsonObject, atMs: number): Breadcrumb {
  const data = objectOrEmpty(payload.data);
  const { message } = payload;
  return {
    breadcrumbType: breadcrumbType(payload.breadcrumb_type ?? payload.type ?? payload.category),
    route: safeTextOrNull(payload.route, TEXT_CHARS_MAX.url),
    data: boundedMap(
      message === undefined || Object.hasOwn(data, 'message') ? data : withMessage(data, message),
    ),
    timestampMs: atMs,
  };
}

/** The trail of an exception (2.2). */
export function normalizeBreadcrumbs(value: JsonValue | undefined, clock: SenderClock): Breadcrumb[] {
  return listOrEmpty(value)
    .slice(0, BREADCRUMBS_MAX)
    .map((each) => {
      const item = objectOrEmpty(each);
      return {
        breadcrumbType: breadcrumbType(getOwn(item, 'breadcrumb_type')),
        route: safeTextOrNull(getOwn(item, 'route'), TEXT_CHARS_MAX.url),
        data: boundedMap(getOwn(item, 'data')),
        timestampMs: instantMs(getOwn(item, 'ts') ?? getOwn(item, 'occurred_at'), clock),
      };
    });
}

function breadcrumbType(value: JsonValue | undefined): string {
  return safeTextOrNull(value, TYPE_CHARS_MAX) ?? 'custom';
}

function withMessage(data: JsonObject, message: JsonValue): JsonObject {
  const copy: JsonObject = { message };
  for (const key of Object.keys(data)) setOwn(copy, key, data[key] ?? null);
  return copy;
}

/** A date-time, or a number of seconds or milliseconds since the epoch, where the event's clock places it. */
export function instantMs(value: JsonValue | undefined, clock: SenderClock): number | null {
  const ms = writtenMs(value);
  return ms === null ? null : clock.at(ms);
}

function writtenMs(value: JsonValue | undefined): number | null {
  if (typeof value === 'string') return parseIsoTime(value);
  if (typeof value !== 'number' || !(value >= 0)) return null;
  const ms = Math.floor(value < SECONDS_BELOW ? value * 1_000 : value);
  return ms <= TIME_MS_MAX ? ms + 0 : null;
}
