/** The address for events, and the token; without one the address is a relay (docs/contract/clients.md 2.1). */
export interface Destination {
  url: string;
  token: string | undefined;
}

/** An address as the page's own calls read it. */
export function resolveUrl(address: unknown): URL {
  return new URL(String(address), globalThis.document?.baseURI ?? location.href);
}

/** Reads the options; null when the address is none. */
export function destinationOf(options: {
  token?: string | undefined;
  endpoint?: string | undefined;
  dsn?: string | undefined;
}): Destination | null {
  let { token, endpoint } = options;
  try {
    if (options.dsn) {
      const { username, origin, pathname } = new URL(options.dsn);
      token ??= username;
      endpoint ??= origin + pathname.replace(/\/?$/, '/v1');
    }
    const url = new URL(endpoint ?? '/culprit/browser', location.href);
    if (token) url.pathname = url.pathname.replace(/^\/$|\/v1\/?$/, '/v1/events');
    return /^https?:$/.test(url.protocol) ? { url: url.href, token } : null;
  } catch {
    return null;
  }
}
