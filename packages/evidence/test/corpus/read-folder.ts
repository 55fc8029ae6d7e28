import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/events/envelope/json.ts';
import { readHeader } from '../../src/events/fingerprint/stack/exception-header.ts';
import { readCaseFile } from './case-file.ts';

/** One event that a folder holds. */
export interface FolderEvent {
  /** The file, with the number of the event where it holds several. */
  name: string;
  /** What the sub-folder, or the cause of a case file, says that the event belongs to; null where nothing says it. */
  truth: string | null;
  eventType: string;
  payload: JsonObject;
  service: JsonObject;
}

interface Folder {
  events: FolderEvent[];
  /** Files of which nothing was taken, each with the reason. */
  skipped: { name: string; reason: string }[];
}

const FILES_MAX = 10_000;
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const EVENTS_MAX = 100_000;

type Unnamed = Omit<FolderEvent, 'name' | 'truth'> & { truth?: string };

/**
 * Reads `.txt` (a stack, a message, or a case file), `.log` (a message on each line), `.json` and `.jsonl` (events, or
 * records of a logger) of a folder and its sub-folders.
 */
export function readFolder(root: string): Folder {
  const folder: Folder = { events: [], skipped: [] };
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const names = paths.filter((path) => extname(path) in READERS && statSync(join(root, path)).isFile());
  for (const name of names.slice(0, FILES_MAX)) {
    const skip = (reason: string) => folder.skipped.push({ name, reason });
    if (statSync(join(root, name)).size > FILE_BYTES_MAX) skip('is larger than 16 MB');
    else if (folder.events.length >= EVENTS_MAX) skip('comes after 100,000 events');
    else {
      try {
        const read = READERS[extname(name)]?.(readFileSync(join(root, name), 'utf8'), name) ?? [];
        const parent = dirname(name) === '.' ? null : dirname(name);
        const events = read.map((event, at) => ({
          truth: parent,
          ...event,
          name: read.length === 1 ? name : `${name}:${at + 1}`,
        }));
        folder.events.push(...events.slice(0, EVENTS_MAX - folder.events.length));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        skip('is not JSON');
      }
    }
  }
  for (const name of names.slice(FILES_MAX))
    folder.skipped.push({ name, reason: 'comes after 10,000 files' });
  return folder;
}

const READERS: Readonly<Record<string, (text: string, name: string) => Unnamed[]>> = {
  '.txt': textEvents,
  '.log': (text) => filledLines(text).map(logEvent),
  '.json': (text) => jsonEvents(JSON.parse(text) as JsonValue),
  '.jsonl': (text) => filledLines(text).flatMap((line) => jsonEvents(JSON.parse(line) as JsonValue)),
};

function textEvents(text: string, name: string): Unnamed[] {
  if (/^source: .*\nsend: /.test(text)) {
    const file = readCaseFile(name.replace(/\.txt$/, ''), text);
    return file.causes.flatMap((cause) =>
      cause.events.map((event) => ({ ...event, service: {}, truth: `${file.name}: ${cause.name}` })),
    );
  }
  const [first, ...rest] = filledLines(text);
  if (first === undefined) return [];
  if (rest.length === 0) return [logEvent(first)];
  const { type, message } = readHeader(first);
  const payload = { error_class: type || 'Error', message: type === '' ? first : message, stacktrace: text };
  return [{ eventType: 'backend_exception', payload, service: {} }];
}

function logEvent(message: string): Unnamed {
  return { eventType: 'log_event', payload: { level: 'error', message }, service: {} };
}

function jsonEvents(value: JsonValue): Unnamed[] {
  if (Array.isArray(value)) return value.flatMap(jsonEvents);
  if (!isJsonObject(value)) return typeof value === 'string' ? [logEvent(value)] : [];
  if (Array.isArray(value.events)) return jsonEvents(value.events);
  const { event_type: eventType, payload, service } = value;
  if (typeof eventType === 'string' && isJsonObject(payload ?? null)) {
    return [
      {
        eventType,
        payload: payload as JsonObject,
        service: isJsonObject(service ?? null) ? (service as JsonObject) : {},
      },
    ];
  }
  // A record of a logger: its message, and everything else beside it.
  const { message, msg, ...attributes } = value;
  const said = typeof message === 'string' ? message : typeof msg === 'string' ? msg : JSON.stringify(value);
  return [{ eventType: 'log_event', payload: { level: 'error', message: said, attributes }, service: {} }];
}

function filledLines(text: string): string[] {
  return text.split(/\r\n|[\n\r]/).filter((line) => line.trim() !== '');
}
