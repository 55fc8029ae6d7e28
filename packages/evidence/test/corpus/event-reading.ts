import type { JsonObject } from '../../src/events/envelope/json.ts';
import { eventTitle } from '../../src/events/fingerprint/event-title.ts';
import { fingerprintEvent } from '../../src/events/fingerprint/fingerprint.ts';
import type { ParsedFrame } from '../../src/events/fingerprint/stack/parsed-stack.ts';
import { readAnyStack } from '../../src/events/fingerprint/stack/read-stack.ts';
import { eventSeverity } from '../../src/events/normalize/event-severity.ts';
import { normalizeEvent } from '../../src/events/normalize/normalize-event.ts';

const RECEIVED_AT_MS = Date.UTC(2026, 2, 24, 10, 30);

/** What the product makes of one event, as far as grouping goes. */
export interface EventReading {
  type: string;
  title: string;
  severity: string;
  /** Where it failed: the application's frame, else the newest that names a file, else the newest. */
  frame: Pick<ParsedFrame, 'function' | 'file' | 'line'> | null;
  /** Of the whole chain. */
  frameCount: number;
  /** Lines of the stack that the event has, or of its message where it has none. */
  lineCount: number;
  key: string;
  /** The reader of the stack: a language, `general`, or `-` where nothing is a frame. */
  reader: string;
  /** What was read: the stack, else the message. */
  text: string;
}

/** Reads an event as it arrives at intake; null for a type of event that has no fingerprint. */
export function readEvent(
  eventType: string,
  payload: JsonObject,
  service: JsonObject = {},
): EventReading | null {
  const raw = {
    event_type: eventType,
    timestamp: '2026-03-24T10:30:00Z',
    service: { name: 'shop', environment: 'production', ...service },
    sdk: { name: 'custom', version: '1' },
    payload,
  };
  const event = normalizeEvent(raw, { eventId: 'evt_corpus', receivedAtMs: RECEIVED_AT_MS });
  const fingerprint = fingerprintEvent(event);
  if (fingerprint === null) return null;
  const frames = fingerprint.chain.flatMap((exception) => exception.frames);
  const { payload: read } = event;
  const error = read.kind === 'exception' ? read : read.kind === 'log' ? read.error : null;
  const text = error?.stack ?? (read.kind === 'log' || read.kind === 'exception' ? read.message : '');
  return {
    type: fingerprint.chain[0]?.type ?? '',
    title: eventTitle(event),
    severity: eventSeverity(event, { isServerToken: true, hasFrames: frames.length > 0 }),
    frame: fingerprint.applicationFrame ?? frames.find(({ file }) => file !== null) ?? frames[0] ?? null,
    frameCount: frames.length,
    lineCount: text.split('\n').filter((line) => line.trim() !== '').length,
    key: fingerprint.value,
    reader: frames.length === 0 ? '-' : (readAnyStack(text, null)?.language ?? 'objects'),
    text,
  };
}
