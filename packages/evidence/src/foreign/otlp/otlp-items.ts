import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';

/** An exporter's description of a whole resource and of the library that created its items. */
export interface OtlpOrigin {
  resource: JsonObject;
  /** Name of the instrumentation scope; empty when it has none. */
  scope: string;
}

/** Ids are hexadecimal digits, empty where there is none; times are nanoseconds since the epoch, zero for none. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startNano: bigint;
  endNano: bigint;
  attributes: JsonObject;
  statusCode: number;
  statusMessage: string;
  exceptions: OtlpSpanException[];
}

/** An event of the name `exception`. */
export interface OtlpSpanException {
  timeNano: bigint;
  attributes: JsonObject;
}

export interface OtlpRecord {
  /** The time of the record, else that of its observation. */
  timeNano: bigint;
  severityNumber: number;
  severityText: string;
  /** Undefined for none. */
  body: JsonValue | undefined;
  attributes: JsonObject;
  traceId: string;
  spanId: string;
  eventName: string;
}

export const SPAN_KIND = { server: 2, client: 3, consumer: 5 } as const;
export const STATUS_ERROR = 2;

/** The order in which items are accepted if a request holds more than the limit: a lower rank comes first. */
type Rank = 0 | 1 | 2;

/** An item that may be taken. Its attributes are read when it is. */
export interface Found<Item> {
  origin: OtlpOrigin;
  rank: Rank;
  /** Events that it may become. */
  events: number;
  read: () => Item;
}

export interface FoundItems<Item> {
  found: Found<Item>[];
  /** Items that become nothing, which were read no further than that. */
  notTaken: number;
}

/** Spans or records of one request (docs/contract/foreign-protocols.md 8.3). */
export const ITEMS_MAX = 20_000;
