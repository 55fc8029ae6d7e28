import { crc32 } from 'node:zlib';
import type { EventClass, EventType, LogLevel } from '@culprit/evidence/events/normalize/event';

// Codes are stored in the database: append, never reorder.
const EVENT_TYPES: readonly EventType[] = [
  'backend_exception',
  'frontend_exception',
  'request_event',
  'log_event',
  'frontend_breadcrumb',
  'deploy_metadata',
  'error_suppressed',
  'probe_event',
];
const EVENT_CLASSES: readonly EventClass[] = ['incident_signal', 'context_signal', 'operational_signal'];

/** Ranks of docs/contract/ingestion.md 2.4; critical and fatal share one. */
const LEVEL_RANKS: Record<LogLevel, number> = {
  debug: 0,
  info: 1,
  warning: 2,
  error: 3,
  critical: 4,
  fatal: 4,
};
const LEVEL_WORDS = ['debug', 'info', 'warning', 'error', 'critical'] as const;

/** A level as log rows show it: `fatal` reads as `critical` (docs/contract/incidents.md 2.6). */
type ShownLevel = (typeof LEVEL_WORDS)[number];

export function eventTypeCode(type: EventType): number {
  return EVENT_TYPES.indexOf(type);
}

export function eventTypeOf(code: number): EventType {
  const type = EVENT_TYPES[code];
  if (type === undefined) throw new RangeError(`unknown event type code ${code}`);
  return type;
}

export function eventClassCode(eventClass: EventClass): number {
  return EVENT_CLASSES.indexOf(eventClass);
}

/** A number for the name of a client library that fits a signed column. */
export function libraryCode(name: string): number {
  return crc32(name) | 0;
}

export function levelRank(level: LogLevel): number {
  return LEVEL_RANKS[level];
}

/** The word of a rank; null for -1, which means that the event has no level. */
export function levelOfRank(rank: number): ShownLevel | null {
  return LEVEL_WORDS[rank] ?? null;
}
