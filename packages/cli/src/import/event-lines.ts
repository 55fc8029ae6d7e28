import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '../config/json-file.ts';
import { type Fill, openFrom, readLines } from './read-lines.ts';

/** One event of a file, or the text in its place. Line and offset define where to continue. */
export type EventLine = {
  line: number;
  /** The offset of the first byte after it. */
  endOffset: number;
} & ({ event: JsonObject; json: string } | { fault: string; text: string });

/** The text that is no event, and the reason. */
export type Fault = Extract<EventLine, { fault: string }>;

const EVENT_BYTES_MAX = 1_048_576;
/** Kept of what cannot be read, for the file of rejected lines. */
const FAULT_TEXT_CHARS = 2000;

/** The source of events: its name is part of the ids of events that have none. */
export interface EventSource {
  origin: string;
  /** Absolute path, or `-`. */
  path: string;
}

/** Reads events line by line, holding no more than one line and one chunk. Empty lines are nothing. */
export async function* readEventLines(
  source: EventSource,
  fill: Fill,
  start: { offset: number; line: number },
): AsyncGenerator<EventLine> {
  for await (const { line, endOffset, bytes, isTooLong } of readLines(fill, start, EVENT_BYTES_MAX)) {
    if (isTooLong) yield { line, endOffset, ...tooLong(bytes.toString('utf8', 0, FAULT_TEXT_CHARS)) };
    else {
      const text = bytes.toString('utf8').trim();
      if (text !== '') yield { line, endOffset, ...eventOf(source, line, text) };
    }
  }
}

/** The events of a file, from a place on. */
export async function* readEventFile(
  source: EventSource,
  start: { offset: number; line: number },
): AsyncGenerator<EventLine> {
  const { file, fill } = await openFrom(source.path, start.offset);
  try {
    yield* readEventLines(source, fill, start);
  } finally {
    await file.close();
  }
}

/** The events of a list, as lines of their own. */
export function* listedEvents(source: EventSource, events: readonly unknown[]): Generator<EventLine> {
  for (const [index, value] of events.entries()) {
    const text = JSON.stringify(value) ?? 'null';
    const place = { line: index + 1, endOffset: 0 };
    yield Buffer.byteLength(text) > EVENT_BYTES_MAX
      ? { ...place, ...tooLong(text.slice(0, FAULT_TEXT_CHARS)) }
      : { ...place, ...eventOf(source, index + 1, text) };
  }
}

function tooLong(text: string) {
  return { fault: 'larger than 1 MiB', text };
}

/** An event without an id gets one of source and place, so that sending it again counts it once. */
function eventOf(
  source: EventSource,
  line: number,
  text: string,
): { event: JsonObject; json: string } | { fault: string; text: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'not JSON', text: text.slice(0, FAULT_TEXT_CHARS) };
  }
  if (!isObject(value)) return { fault: 'not an object', text: text.slice(0, FAULT_TEXT_CHARS) };
  if (value.event_id !== undefined && value.event_id !== null) return { event: value, json: text };
  const hash = createHash('sha256').update([source.origin, source.path, String(line), text].join('\n'));
  const event = { ...value, event_id: `cli_${hash.digest('hex').slice(0, 40)}` };
  return { event, json: JSON.stringify(event) };
}
