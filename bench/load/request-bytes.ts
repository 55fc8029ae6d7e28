import { randomBytes, randomUUID } from 'node:crypto';
import { parseDsn } from '../../packages/contract/src/events/dsn.ts';
import { type EventSize, exceptionEvent, PLACEHOLDERS } from './exception-event.ts';
import { otlpRequest, TRACE_PLACE } from './otlp-event.ts';
import { sentryEvent } from './sentry-event.ts';

/** The form in which other clients send the same events, and the address that they send to. */
export interface ForeignForm {
  /** One event in an envelope or alone, as libraries of Sentry send it, or many in a request of an OTLP exporter. */
  form: 'envelope' | 'store' | 'otlp';
  dsn: string;
}

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
  foreign?: ForeignForm;
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
      return exceptionEvent(kind % options.kinds, options.eventSize, options.tags);
    });
    return prepareRequest(options, events);
  });
}

interface Target {
  host: string;
  port: number;
  token: string;
  foreign?: ForeignForm;
}

/** Path, version and what names the sender. */
function addressOf({ token, foreign }: Target): string {
  if (foreign === undefined) {
    return `/v1/events HTTP/1.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`;
  }
  const { key, number } = parseDsn(foreign.dsn) ?? { key: '', number: '' };
  const auth = `x-sentry-auth: Sentry sentry_version=7, sentry_key=${key}`;
  return foreign.form === 'otlp'
    ? `/v1/traces HTTP/1.1\r\n${auth}\r\ncontent-type: application/x-protobuf`
    : `/api/${number}/${foreign.form}/ HTTP/1.1\r\n${auth}`;
}

function bodyOf(events: readonly string[], form: ForeignForm['form'] | undefined): Buffer {
  if (form === undefined) return Buffer.from(`{"events":[${events.join(',')}]}`);
  if (form === 'otlp') return otlpRequest(events, Date.now());
  const [own = '', ...others] = events;
  if (others.length > 0) throw new Error('libraries of Sentry send one event in a request');
  const event = sentryEvent(own);
  return Buffer.from(form === 'store' ? event : `{}\n{"type":"event","length":${event.length}}\n${event}\n`);
}

/** One request with the given events, whose placeholders are filled by `renew`. */
export function prepareRequest(target: Target, events: readonly string[]): PreparedRequest {
  const form = target.foreign?.form;
  const body = bodyOf(events, form);
  const head = Buffer.from(
    `POST ${addressOf(target)}\r\nhost: ${target.host}:${target.port}\r\ncontent-length: ${body.length}\r\n\r\n`,
    'latin1',
  );
  const bytes = Buffer.concat([head, body]);
  const eventIds = placesOf(bytes, PLACEHOLDERS.eventId);
  const requestIds = placesOf(bytes, PLACEHOLDERS.requestId);
  const isOtlp = form === 'otlp';
  const traceIds = placesOf(bytes, isOtlp ? Buffer.from(TRACE_PLACE, 'hex') : PLACEHOLDERS.traceId);
  const hashes = placesOf(bytes, PLACEHOLDERS.userHash);
  const times = placesOf(bytes, PLACEHOLDERS.time);
  const numbers = placesOf(bytes, PLACEHOLDERS.number);
  const eventEnds =
    form === undefined
      ? endsOf(head.length + '{"events":['.length, events)
      : traceIds.map((_, index) => traceIds[index + 1] ?? bytes.length);
  function overwrite(text: string, place: number | undefined, encoding: 'latin1' | 'hex' = 'latin1'): void {
    if (place === undefined) throw new Error('an event lacks a placeholder');
    bytes.write(text, place, encoding);
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
        // A span has no other id, and its time is that of its making.
        if (!isOtlp) {
          overwrite(randomUUID(), eventIds[index]);
          overwrite(ids.slice(from, from + 22), (requestIds[index] ?? 0) + 'req_'.length);
          overwrite(now, times[index]);
        }
        overwrite(ids.slice(from + 22, from + 54), traceIds[index], isOtlp ? 'hex' : 'latin1');
        overwrite(userHashes[Math.floor(Math.random() * USERS)] ?? '', hashes[index]);
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

function placesOf(bytes: Buffer, placeholder: string | Buffer): number[] {
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
