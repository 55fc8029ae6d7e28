import { readWebAddress } from '../../capture/web-address.ts';
import { cleanText } from '../../events/envelope/clean-text.ts';
import type { JsonObject, JsonValue } from '../../events/envelope/json.ts';
import { getOwn } from '../../events/envelope/own-property.ts';

const TEXT_CHARS_MAX = 1_024;
const SCHEME = /^([a-z][a-z0-9+.-]{0,31}):/i;

/** The first of these members that says something as text, under the names of either form of a report. */
export function textIn(body: JsonObject, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = getOwn(body, name);
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && text.trim() !== '') return cleanText(text.trim(), TEXT_CHARS_MAX);
  }
  return null;
}

export function numberIn(body: JsonObject, ...names: readonly string[]): number | null {
  for (const name of names) {
    const value: JsonValue | undefined = getOwn(body, name);
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  }
  return null;
}

/** Scheme, host and path: no address of a report keeps query, fragment or user. */
export function bareAddress(text: string | null): string | null {
  if (text === null) return null;
  const address = readWebAddress(text);
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  if (address === null) return null;
  if (address.hostAndPort === null)
    return text.search(/[?#]/) === -1 ? text : text.slice(0, text.search(/[?#]/));
  return `${scheme}//${address.hostAndPort}${address.path === '/' ? '' : address.path}`;
}

/** Returns the host of an address; a word such as `inline`, or a scheme alone, is returned unchanged. */
export function hostOrWord(text: string | null): string | null {
  if (text === null) return null;
  const host = readWebAddress(text)?.hostAndPort ?? null;
  if (host !== null) return host;
  // `data:text/html,…` and `blob:https://…` are as long as what they hold.
  return SCHEME.exec(text)?.[1]?.toLowerCase() ?? text.split(/[/?#]/, 1)[0] ?? null;
}

export function pathOf(text: string | null): string | null {
  if (text === null) return null;
  const address = readWebAddress(text);
  return address === null || !address.isAbsolute ? null : address.path;
}

/** Returns scheme and host, as `Origin` has it; null for an address that is no page. */
export function originOf(text: string | null): string | null {
  if (text === null || !/^https?:\/\//i.test(text)) return null;
  return URL.canParse(text) ? new URL(text).origin : null;
}

/** Extensions and in-app browsers change pages, and policies of pages hear of it. */
const NOISE =
  /^(?:chrome-extension|moz-extension|safari-extension|safari-web-extension|ms-browser-extension|about|webviewprogressproxy)(?::|$)/i;

export function isNoise(address: string | null): boolean {
  return address !== null && NOISE.test(address);
}
