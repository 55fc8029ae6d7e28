import type { ProbeDirective } from '@culprit/contract/events/events';
import type { EventFacts } from '@culprit/evidence/events/normalize/event-facts';

/** Codes that end a whole request (docs/contract/ingestion.md 3.5). */
type IntakeProblem =
  | 'invalid_project_token'
  | 'origin_not_allowed'
  | 'invalid_content_type'
  | 'payload_too_large'
  | 'invalid_payload'
  | 'rate_limited'
  | 'service_unavailable';

/** One event of a batch after the shape check: what policy needs of it, or the reason why it was refused. */
export type CheckedEvent = EventFacts | string;

/** A body that parsed, with each event judged for limits and shape. */
export interface CheckedBatch {
  /** The raw body, or one with `null` for values that are no number in JSON and U+FFFD for bytes that are no UTF-8. */
  body: Buffer;
  /** Byte ranges of the events in `body`, as start and end pairs. */
  eventRanges: Uint32Array;
  checks: readonly CheckedEvent[];
  shapeValidCount: number;
  /** Events that were not parsed. */
  overLimitCount: number;
  /**
   * The parsed events, each at its index, in which some listed key or user id may occur and which are rewritten before
   * they are stored. The others are not kept: parsed JSON is many times its text, and requests wait for each other.
   */
  eventsToSanitize: readonly unknown[] | null;
  /** By index of the event, where a mapper says how it is taken; absent or null: policy alone decides. */
  treatments?: readonly (EventTreatment | null)[] | null;
}

/**
 * The decision of a mapper of foreign events that no sender of `POST /v1/events` can make
 * (docs/contract/foreign-protocols.md 11.1): the event opens no incident, whatever policy decides about its acceptance
 * (`context`) or without the policy (`always_context`).
 */
export type EventTreatment = 'context' | 'always_context';

/** Why a request ends without any event; `reason` is what is wrong with the body, and where. ASCII. */
export type RefusedContent =
  | { problem: Exclude<IntakeProblem, 'invalid_payload'> }
  | { problem: 'invalid_payload'; reason: string };

/** A request on its way through the window of the event intake. */
export interface IntakeRequest {
  tokenHash: Buffer;
  /** Normalized `Origin` header; null when absent or not an origin. */
  origin: string | null;
  /** The token came from the body of a page-hide beacon (docs/contract/ingestion.md 3.3). */
  isBeacon: boolean;
  /** By its headers (docs/contract/ingestion.md 7.2). */
  isPublishedLibrary: boolean;
  /** It is surely our own library (docs/contract/ingestion.md 6.1). */
  readsWildcards: boolean;
  /** A page may have sent it, whatever its token says (docs/contract/foreign-protocols.md 3.9). */
  isFromPage?: boolean;
  /** Either the batch, or the problem that is answered if token and origin turn out fine. */
  content: CheckedBatch | RefusedContent;
}

/** Consecutive events that were refused for the same reason. */
export interface RefusedRun {
  index: number;
  count: number;
  reason: string;
}

/** The answer to a request. */
export type IntakeAnswer =
  | {
      status: 202;
      accepted: number;
      refused: readonly RefusedRun[];
      retryAfterSeconds: number | null;
      activeProbes: readonly ProbeDirective[];
    }
  | (RefusedContent & { retryAfterSeconds: number | null });

/** Nothing was accepted, through no fault of the client's (docs/contract/ingestion.md 3.5). */
export const UNAVAILABLE = {
  problem: 'service_unavailable',
  retryAfterSeconds: 5,
} as const satisfies IntakeAnswer;
