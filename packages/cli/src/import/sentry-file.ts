import { isJsonObject, type JsonObject } from '@culprit/evidence/events/envelope/json';
import { EnvelopeReader } from '@culprit/evidence/foreign/sentry/envelope-reader';
import { mapSentryItem, type SentrySource } from '@culprit/evidence/foreign/sentry/map-item';
import { usageError } from '../cli-error.ts';

/** The content of a file of a Sentry library or of Sentry itself. */
interface SentryFile {
  /** The events in the form that `POST /v1/events` accepts. */
  events: JsonObject[];
  /** Items that are no errors, messages or lines of a log. */
  leftOut: number;
}

/** The kinds of items that a file can hold; a request or a check-in is about the moment at which it is sent. */
const SENT: ReadonlySet<string> = new Set(['event', 'log']);

/**
 * Reads an envelope, one event, a list of events, or events line by line (docs/contract/foreign-protocols.md 14).
 * @throws CliError for a file that is none of them
 */
export function readSentryFile(
  bytes: Buffer,
  { serviceName, nowMs }: { serviceName: string; nowMs: number },
): SentryFile {
  const file: SentryFile = { events: [], leftOut: 0 };
  const source: SentrySource = {
    receivedAt: nowMs,
    eventId: null,
    clockSkewMs: null,
    trace: null,
    sdk: null,
    clientName: null,
    serviceName,
    projectId: 'file',
    keyId: 'file',
    droppedItems: [],
  };
  const text = bytes.toString('utf8').trim();
  const whole = parsed(text);
  if (whole !== undefined) {
    for (const event of Array.isArray(whole) ? whole : [whole]) add(file, 'event', event, source);
    return file;
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const listed = lines.map(parsed);
  if (listed.every((event) => isJsonObject(event) && isEvent(event))) {
    for (const event of listed) add(file, 'event', event, source);
    return file;
  }
  const reader = new EnvelopeReader();
  const envelope = reader.add(bytes) ?? reader.end();
  if ('code' in envelope) {
    throw usageError(
      `The file contains neither Sentry events nor an envelope: ${envelope.detail}`,
      'one event or a list as JSON, one event on each line, or an envelope as a library writes it',
    );
  }
  const { header, items, dropped, notTaken } = envelope;
  const own = { ...source, trace: header.trace ?? null, sdk: header.sdk ?? null, droppedItems: dropped };
  for (const { type, payload } of items) add(file, type, parsed(payload.toString('utf8')), own);
  for (const count of notTaken.values()) file.leftOut += count;
  return file;
}

function add(file: SentryFile, type: string, payload: unknown, source: SentrySource): void {
  const { events, isInvalid } = mapSentryItem(type, payload, source);
  const isSent = SENT.has(type) && !(isJsonObject(payload) && payload.type === 'transaction');
  if (!isSent || isInvalid) file.leftOut += 1;
  else file.events.push(...events);
}

function isEvent({ exception, message, logentry, platform, threads }: JsonObject): boolean {
  return [exception, message, logentry, platform, threads].some((part) => part !== undefined);
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
