import type { ProbeDirective } from '@culprit/contract/events';
import type { EventFacts } from '../events/event-facts.ts';

/** Codes that end a whole request (ingestion.md 3.5). */
export type IntakeProblem =
  | 'invalid_project_token'
  | 'origin_not_allowed'
  | 'invalid_content_type'
  | 'payload_too_large'
  | 'invalid_payload'
  | 'rate_limited'
  | 'service_unavailable';

/** One event of a batch after the shape check: what policy needs of it, or the reason why it was refused. */
export type CheckedEvent = EventFacts | string;

/** A body that parsed, with each event judged for shape. */
export interface CheckedBatch {
  body: Buffer;
  /** Byte ranges of the events in `body`, as start and end pairs. */
  eventRanges: Uint32Array;
  checks: readonly CheckedEvent[];
  shapeValidCount: number;
  /**
   * The parsed events, when some listed key or user id may occur and they are rewritten before they are stored. Null
   * otherwise: parsed JSON is many times its text, and requests wait for each other.
   */
  eventsToSanitize: readonly unknown[] | null;
}

/** A request on its way through the intake window. */
export interface IntakeRequest {
  tokenHash: Buffer;
  /** Normalized `Origin` header; null when absent or not an origin. */
  origin: string | null;
  /** The token came from the body of a page-hide beacon (ingestion.md 3.3). */
  isBeacon: boolean;
  /** Either the batch, or the problem that is answered if token and origin turn out fine. */
  content: CheckedBatch | { problem: IntakeProblem };
}

/** What a request is answered with. */
export type IntakeAnswer =
  | {
      status: 202;
      accepted: number;
      errors: { index: number; reason: string }[];
      retryAfterSeconds: number | null;
      activeProbes: readonly ProbeDirective[];
    }
  | { problem: IntakeProblem; retryAfterSeconds: number | null };

/** Nothing was accepted, through no fault of the client's (ingestion.md 3.5). */
export const UNAVAILABLE = {
  problem: 'service_unavailable',
  retryAfterSeconds: 5,
} as const satisfies IntakeAnswer;
