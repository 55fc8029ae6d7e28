import type { EventType, ExceptionPayload } from '../normalize/event.ts';
import { writtenFile } from './file-path.ts';
import { readAnyStack } from './stack/read-stack.ts';

/** A browser error that has no code place (docs/contract/incidents.md 5.4.2, kinds window and resource). */
export type BrowserFailure =
  | { kind: 'window'; file: string; message: string }
  | { kind: 'resource'; host: string; path: string; tag: string };

const SCRIPT_ERROR = /^Script error\.?$/;

/** Returns true if the message of a window error has no content, as those about scripts of other origins. */
export function isOpaqueMessage(message: string): boolean {
  return message === '' || SCRIPT_ERROR.test(message);
}

/** Null for every event that the kind `exception` covers. */
export function browserFailure(eventType: EventType, payload: ExceptionPayload): BrowserFailure | null {
  if (eventType !== 'frontend_exception') return null;
  const event = payload.browserEvent;
  if (event === null) {
    const isOpaque = SCRIPT_ERROR.test(payload.message.trim()) && readAnyStack(payload.stack, 'js') === null;
    return isOpaque ? windowFailure(payload) : null;
  }
  const url =
    event.kind === 'resource_error' ? (filled(event.target?.sourceUrl) ?? filled(event.fileName)) : null;
  if (url !== null) {
    return { kind: 'resource', ...urlLocation(url), tag: event.target?.tagName?.trim().toLowerCase() ?? '' };
  }
  return event.opaque ? windowFailure(payload) : null;
}

function windowFailure(payload: ExceptionPayload): BrowserFailure {
  const message = filled(payload.message) ?? filled(payload.browserEvent?.message) ?? '';
  const fileName = payload.browserEvent?.fileName ?? null;
  return {
    kind: 'window',
    file: fileName === null ? '' : writtenFile(fileName),
    message,
  };
}

/**
 * Returns host and path, as concrete as the raw ones. A path alone has no host; the name of a blob URL is part of its
 * path.
 */
function urlLocation(url: string): { host: string; path: string } {
  const text = url.replace(/^blob:/i, '');
  const [, authority = '', path = ''] =
    /^(?:(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*))?([^?#]*)/i.exec(text) ?? [];
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return { host, path: path.startsWith('/') ? path : `/${path}` };
}

function filled(text: string | null | undefined): string | null {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? null : trimmed;
}
