import type { JsonObject } from '../../events/envelope/json.ts';

/** The facts about an item of an envelope besides its payload. */
export interface SentrySource {
  /** Milliseconds since the epoch. */
  receivedAt: number;
  /** The envelope's `event_id`, 32 hexadecimal digits. */
  eventId: string | null;
  /** The receive time less `sent_at`: what is added to each time of the envelope. Null where the clocks agree. */
  clockSkewMs: number | null;
  /** The envelope's `trace` and `sdk`, unread. */
  trace: unknown;
  sdk: unknown;
  /** Name and version of the library as the request names it, such as `sentry.python/1.9.10`. */
  clientName: string | null;
  /** Browser or program of the request. */
  userAgent?: string | null;
  /** That of the key, else the slug of the project. */
  serviceName: string;
  /** The service of the last item of the same key and library, within an hour: client reports name none themselves. */
  lastService?: { name: string; environment: string } | null;
  projectId: string;
  keyId: string;
  /** Items of the envelope that were not taken. */
  droppedItems: readonly string[];
}

/** The beginning of an item that is the crash itself, among the dropped items. */
export const NATIVE_DUMP = 'native_dump';

/** The result of mapping an item. */
export interface MappedItem {
  /** Events as `POST /v1/events` takes them, each of which `checkEvent` accepts. */
  events: JsonObject[];
  /** The id to answer with. */
  eventId: string | null;
  /** The events are context, whatever the policy would make of them (docs/contract/foreign-protocols.md 11.1). */
  isContext: boolean;
  /** The events are accepted, whatever the policy says. */
  isPolicyExempt: boolean;
  /** Spans in the item that were not taken. An item without events is itself not taken. */
  notTaken: number;
  /** The payload is no item of its kind. */
  isInvalid: boolean;
}
