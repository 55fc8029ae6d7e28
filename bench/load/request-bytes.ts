import { randomBytes, randomUUID } from 'node:crypto';
import { parseDsn } from '../../packages/contract/src/dsn.ts';
import { type EventSize, exceptionEvent, PLACEHOLDERS } from './exception-event.ts';
import { sentryEvent } from './sentry-event.ts';

/** A whole HTTP request that is sent again and again with other ids. */
export interface PreparedRequest {
  /** Head and body as they go out; written over by `renew`. */
  bytes: Buffer;
  eventCount: number;
  /** Gives every event new ids, a new number and the present time. Only while no answer is awaited. */
  renew(): void;
}

/** People who meet the errors; their hashes repeat, as the same people come back. */
const USERS = 2000;
const userHashes = Array.from({ length: USERS }, () => randomBytes(32).toString('hex'));

/**
 * Requests for one connection: at least as many as are needed for `kinds` kinds of error over all connections, each
 * event of a request of another kind than its neighbours.
 */
export function prepareRequests(options: {
  host: string;
  port: number;
  token: string;
  dsn?: string;
  eventSize: EventSize;
  eventsPerRequest: number;
  requestCount: number;
  tags?: number;
  kinds: number;
  /** Number of the first kind: connections share the kinds among them. */
  firstKind: number;
}): PreparedRequest[] {
  let kind = options.firstKind;
  return Array.from({ length: options.requestCount }, () => {
    const events = Array.from({ length: options.eventsPerRequest }, () => {
      kind += 1;
      const event = exceptionEvent(kind % options.kinds, options.eventSize, options.tags);
      return options.dsn === undefined ? event : sentryEvent(event);
    });
    return prepareRequest(options, events);
  });
}

interface Target {
  host: string;
  port: number;
  token: string;
  /** Sends one event in a request, as a library of Sentry does. */
  dsn?: string;
}

/** Path, version and what names the sender. */
function addressOf({ token, dsn }: Target): string {
  if (dsn === undefined) {
    return `/v1/events HTTP/1.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`;
  }
  const { key, number } = parseDsn(dsn) ?? { key: '', number: '' };
  return `/api/${number}/envelope/ HTTP/1.1\r\nx-sentry-auth: Sentry sentry_version=7, sentry_key=${key}`;
}

function envelopeOf(events: readonly string[]): string {
  if (events.length !== 1) throw new Error('libraries of Sentry send one event in a request');
  return events.map((event) => `{}\n{"type":"event","length":${event.length}}\n${event}\n`).join('');
}

/** One request with the given events, whose placeholders are filled by `renew`. */
export function prepareRequest(target: Target, events: readonly string[]): PreparedRequest {
  const body = Buffer.from(
    target.dsn === undefined ? `{"events":[${events.join(',')}]}` : envelopeOf(events),
  );
  const head = Buffer.from(
    `POST ${addressOf(target)}\r\nhost: ${target.host}:${target.port}\r\ncontent-length: ${body.length}\r\n\r\n`,
    'latin1',
  );
  const bytes = Buffer.concat([head, body]);
  const eventIds = placesOf(bytes, PLACEHOLDERS.eventId);
  const requestIds = placesOf(bytes, PLACEHOLDERS.requestId);
  const traceIds = placesOf(bytes, PLACEHOLDERS.traceId);
  const hashes = placesOf(bytes, PLACEHOLDERS.userHash);
  const times = placesOf(bytes, PLACEHOLDERS.time);
  const numbers = placesOf(bytes, PLACEHOLDERS.number);
  const eventEnds =
    target.dsn === undefined ? endsOf(head.length + '{"events":['.length, events) : [bytes.length];
  function overwrite(text: string, place: number | undefined): void {
    if (place === undefined) throw new Error('an event lacks a placeholder');
    bytes.write(text, place, 'latin1');
  }
  const request: PreparedRequest = {
    bytes,
    eventCount: events.length,
    renew() {
      const ids = randomBytes(27 * events.length).toString('hex');
      const now = new Date().toISOString();
      let nextNumber = 0;
      for (let index = 0; index < events.length; index += 1) {
        const from = index * 54;
        overwrite(randomUUID(), eventIds[index]);
        overwrite(ids.slice(from, from + 22), (requestIds[index] ?? 0) + 'req_'.length);
        overwrite(ids.slice(from + 22, from + 54), traceIds[index]);
        overwrite(userHashes[Math.floor(Math.random() * USERS)] ?? '', hashes[index]);
        overwrite(now, times[index]);
        const number = String(10_000_000 + Math.floor(Math.random() * 89_999_999));
        const end = eventEnds[index] ?? 0;
        for (; (numbers[nextNumber] ?? end) < end; nextNumber += 1) {
          overwrite(number, numbers[nextNumber]);
        }
      }
    },
  };
  request.renew();
  return request;
}

function placesOf(bytes: Buffer, placeholder: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(placeholder); at !== -1; at = bytes.indexOf(placeholder, at + 1))
    places.push(at);
  return places;
}

function endsOf(start: number, events: readonly string[]): number[] {
  let end = start;
  return events.map((event) => {
    end += event.length + 1;
    return end;
  });
}
