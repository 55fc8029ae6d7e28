import { TRUNCATED } from '../redaction/clean.ts';
import type { WireEvent } from '../wire.ts';

/**
 * The parts that an event loses, in this order, until it fits (docs/contract/clients.md 10.3). A long text is halved
 * each time it is named, so that an exception always arrives.
 */
export const TRIMMED: string =
  'stack stack breadcrumbs.data logs.attributes response.body request.body body probe_data context logs breadcrumbs ' +
  'causes.stack causes stack stack stack stack message message message request.headers request.query ' +
  'response.headers attributes debug_ids ';
/** The same of events of pages, which have no blocks of requests, log lines or causes. */
export const TRIMMED_OF_PAGES: string =
  'stack stack breadcrumbs.data probe_data context breadcrumbs stack stack stack stack message ' +
  'attributes debug_ids ';
const SHORT_CHARS = 1000;

/**
 * The text of an event, trimmed until it has at most `maxBytes`; null when it does not fit even so.
 * @param hostKeys names in `context` that the host has set
 * @param trimmed what may go, in order
 */
export function serializeEvent(
  event: WireEvent,
  maxBytes: number,
  hostKeys: readonly string[],
  trimmed: string,
): string | null {
  const { payload, context } = event;
  // After the last one, which is empty, it is only measured.
  for (const path of trimmed.split(' ')) {
    const text = jsonOf(event);
    if (bytesOf(text) <= maxBytes) return text;
    const [key = '', member] = path.split('.');
    const value = payload[key];
    if (path === 'context') for (const name of hostKeys) delete context[name];
    else if (member) for (const part of [value].flat()) delete Object(part)[member];
    else if (typeof value !== 'string') delete payload[key];
    else if (value.length > SHORT_CHARS) payload[key] = value.slice(0, value.length / 2) + TRUNCATED;
  }
  return null;
}

/** The text of JSON. Libraries of others give lists a `toJSON`, which is not called here. */
export function jsonOf(value: unknown): string {
  return JSON.stringify(value, 'toJSON' in [] ? asHeld : undefined);
}

function asHeld(this: { [key: string]: unknown }, key: string): unknown {
  return this[key];
}

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
