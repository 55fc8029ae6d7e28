import type { EventType } from './event.ts';

/** The facts of a shape-valid event with which the event intake decides about it, without reading it again. */
export interface EventFacts {
  eventType: EventType;
  /** `wire` when the event carries `schema_version` or `sdk_name` (docs/contract/ingestion.md 0). */
  dialect: 'seed' | 'wire';
  /** The raw id of the client. */
  eventId: string | null;
  /** Trimmed. */
  serviceName: string;
  /** Trimmed. */
  environment: string;
  /** Rank of the level of a `log_event` (docs/contract/ingestion.md 2.4), else null. */
  logRank: number | null;
  /** A `log_event` that the program reported itself instead of logging it. */
  isCaptured: boolean;
  /** The request of a `request_event`; the method in upper case, a null status read as 0. */
  request: { method: string; path: string; status: number } | null;
  /** Token in the event itself; only a page-hide beacon needs it. Never store or log it. */
  projectToken: string | null;
}
