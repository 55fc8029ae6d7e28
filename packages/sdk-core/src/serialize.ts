import type { WireEvent } from './wire.ts';

/** What is taken away, in this order, until an event fits (docs/contract/clients.md 10.3). */
const TRIMMED =
  'breadcrumbs.data logs.attributes response.body request.body body probe_data context logs breadcrumbs';

/**
 * The text of an event, trimmed until it has at most `maxBytes`; null when it does not fit even so.
 * @param hostKeys names in `context` that the host has set
 */
export function serializeEvent(
  event: WireEvent,
  maxBytes: number,
  hostKeys: readonly string[],
): string | null {
  let text = JSON.stringify(event);
  for (const path of TRIMMED.split(' ')) {
    if (bytesMax(text) <= maxBytes) return text;
    const [key = '', member] = path.split('.');
    if (path === 'context') for (const name of hostKeys) delete event.context[name];
    else if (member) for (const part of [event.payload[key]].flat()) delete Object(part)[member];
    else delete event.payload[key];
    text = JSON.stringify(event);
  }
  return bytesMax(text) <= maxBytes ? text : null;
}

/** Bytes of a text in UTF-8, at most: exact in ASCII, else up to half too many. */
export function bytesMax(text: string): number {
  return text.replace(/[^\0-\x7f]/g, '123').length;
}
