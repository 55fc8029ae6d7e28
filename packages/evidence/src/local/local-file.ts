import { checkEvent } from '../events/envelope/check-event.ts';
import { isJsonObject, type JsonObject } from '../events/envelope/json.ts';
import { type EventReader, parseBatch } from '../events/envelope/parse-batch.ts';
import { mayNeedSanitizing, sanitizeRawEvent } from '../events/envelope/sanitize-raw-event.ts';
import type { LimitFault } from '../events/envelope/scan-batch-body.ts';
import { withoutMark } from '../events/envelope/utf8-body.ts';
import type { EventFacts } from '../events/normalize/event-facts.ts';

/** One file of events, as a client library in local mode wrote it (docs/contract/ingestion.md 8.4). */
export interface LocalFile {
  /** The name that is shown; it also derives the ids of events that have none. */
  name: string;
  /** The replacement of the time of receipt: the milliseconds of its name. */
  receivedAtMs: number;
  /** One JSON array, or one event on each line. */
  format: 'array' | 'lines';
  bytes: Buffer;
}

/**
 * The order in which files were written: by the milliseconds of their names, then by the sequence that a process counts,
 * then by name.
 */
export function compareFiles(a: LocalFile, b: LocalFile): number {
  return (
    a.receivedAtMs - b.receivedAtMs ||
    sequenceOf(a.name) - sequenceOf(b.name) ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}

function sequenceOf(name: string): number {
  return Number(/^\d+-(\d{1,15})-/.exec(name)?.[1] ?? 0);
}

/** An event of a file, in the form in which the event intake would have accepted it. */
export interface LocalEvent {
  /** From 0, faulty events counted. */
  position: number;
  raw: JsonObject;
  facts: EventFacts;
}

interface LocalFileContent {
  events: LocalEvent[];
  /** Events that the event intake would refuse, with its reason. */
  refused: { position: number; reason: string }[];
  /** Why nothing of the file could be used; null when it could. */
  fault: string | null;
}

/** User ids are hashed as in the service, with a key that is no secret: the events never leave the machine. */
const LOCAL_USER_KEY = Buffer.alloc(32);

const LIMIT_REASONS: Readonly<Record<LimitFault, string>> = {
  depth: 'invalid_event: nested too deep',
  nodes: 'invalid_event: too many values',
};

const LINE_FEED = 0x0a;

/** Returns the events of a file, checked and sanitized like in the event intake. Takes any bytes and never throws. */
export function readLocalFile(file: LocalFile): LocalFileContent {
  const content: LocalFileContent = { events: [], refused: [], fault: null };
  const bytes = withoutMark(file.bytes);
  if (file.format === 'array') {
    const fault = readList(bytes, content);
    return fault === null ? content : { events: [], refused: [], fault };
  }
  for (const line of linesOf(bytes)) {
    const fault = readList(Buffer.concat([OPENING, line, CLOSING]), content);
    if (fault !== null) content.refused.push({ position: nextPosition(content), reason: fault });
  }
  return content;
}

const OPENING = Buffer.from('[');
const CLOSING = Buffer.from(']');
const BODY_START = Buffer.from('{"events":');
const BODY_END = Buffer.from('}');

/** Adds the events of a JSON array; what is wrong with it where it is none. */
function readList(list: Buffer, content: LocalFileContent): string | null {
  const first = nextPosition(content);
  const parsing = parseBatch(Buffer.concat([BODY_START, list, BODY_END]), () => createReader(first));
  for (;;) {
    const step = parsing.next();
    if (step.done !== true) continue;
    if (!step.value.ok) return 'not a JSON array of events';
    const { accepted, refused } = step.value.reader;
    for (const each of accepted) content.events.push(each);
    for (const each of refused) content.refused.push(each);
    return null;
  }
}

function createReader(first: number) {
  const accepted: LocalEvent[] = [];
  const refused: LocalFileContent['refused'] = [];
  let position = first;
  const reader: EventReader & { accepted: LocalEvent[]; refused: LocalFileContent['refused'] } = {
    accepted,
    refused,
    events(values, bytes) {
      const isSanitized = mayNeedSanitizing(bytes);
      for (const value of values) {
        const check = checkEvent(value);
        if (!check.ok) refused.push({ position, reason: check.reason });
        else if (isJsonObject(value)) {
          const raw = isSanitized ? sanitizeRawEvent(value, LOCAL_USER_KEY) : value;
          accepted.push({ position, raw, facts: check.facts });
        }
        position += 1;
      }
    },
    overLimit(fault) {
      refused.push({ position, reason: LIMIT_REASONS[fault] });
      position += 1;
    },
  };
  return reader;
}

function nextPosition({ events, refused }: LocalFileContent): number {
  return events.length + refused.length;
}

/** Lines that are not blank. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (line.some((byte) => byte > 0x20)) yield line;
    start = end === -1 ? bytes.length : end + 1;
  }
}
