import { TRUNCATED } from './clean.ts';
import type { WireEvent } from './wire.ts';

/**
 * What an event loses, in this order, until it fits (docs/contract/clients.md 10.3). A text is halved each time it is
 * named, as long as it is long, so that an exception always arrives.
 */
const TRIMMED =
  'stack stack breadcrumbs.data logs.attributes response.body request.body body probe_data context logs breadcrumbs ' +
  'causes.stack causes stack stack stack stack message message message request.headers request.query ' +
  'response.headers attributes debug_ids';
const SHORT_CHARS = 1000;

/**
 * The text of an event, trimmed until it has at most `maxBytes`; null when it does not fit even so.
 * @param hostKeys names in `context` that the host has set
 */
export function serializeEvent(
  event: WireEvent,
  maxBytes: number,
  hostKeys: readonly string[],
): string | null {
  const { payload, context } = event;
  let text = JSON.stringify(event);
  for (const path of TRIMMED.split(' ')) {
    if (bytesOf(text) <= maxBytes) return text;
    const [key = '', member] = path.split('.');
    const value = payload[key];
    if (path === 'context') for (const name of hostKeys) delete context[name];
    else if (member) for (const part of [value].flat()) delete Object(part)[member];
    else if (typeof value !== 'string') delete payload[key];
    else if (value.length > SHORT_CHARS) payload[key] = value.slice(0, value.length / 2) + TRUNCATED;
    text = JSON.stringify(event);
  }
  return bytesOf(text) <= maxBytes ? text : null;
}

/** Bytes of a text in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
