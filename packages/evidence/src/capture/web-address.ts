/** The parts of an event's address that URL matchers compare (docs/contract/ingestion.md 5.2). */
export interface WebAddress {
  /** Lower case, without port; null when the address names no host. */
  host: string | null;
  /** With its port, where it has one. */
  hostAndPort: string | null;
  /** Without query and fragment, with a leading slash. */
  path: string;
  /** A path alone is not; an address with a scheme or a host is. */
  isAbsolute: boolean;
}

/** A longer word before a colon is no scheme. */
const SCHEME = /^[a-z][a-z0-9+.-]{0,31}:/i;

/** Reads an address as a browser or a server library writes it; null for blank text. Linear, and no address is bad. */
export function readWebAddress(text: string): WebAddress | null {
  // The address after the word has the name of the blob in its path.
  const address = text.trim().replace(/^blob:/i, '');
  if (address === '') return null;
  const scheme = SCHEME.exec(address)?.[0] ?? '';
  const hasAuthority = address.startsWith('//', scheme.length);
  const rest = address.slice(scheme.length + (hasAuthority ? 2 : 0));
  const authorityEnd = hasAuthority ? indexOfAny(rest, '/?#\\') : 0;
  const pathAndMore = rest.slice(authorityEnd);
  const path = pathAndMore.slice(0, indexOfAny(pathAndMore, '?#'));
  const hostAndPort = hasAuthority ? withoutUserInfo(rest.slice(0, authorityEnd)).toLowerCase() : '';
  return {
    host: hostAndPort === '' ? null : withoutPort(hostAndPort),
    hostAndPort: hostAndPort === '' ? null : hostAndPort,
    path: path.startsWith('/') ? path : `/${path}`,
    isAbsolute: scheme !== '' || hasAuthority,
  };
}

/** Place of the first of these characters; the length of the text when none occurs. */
function indexOfAny(text: string, characters: string): number {
  let index = 0;
  while (index < text.length && !characters.includes(text.charAt(index))) index += 1;
  return index;
}

function withoutUserInfo(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1);
}

/** Colons inside brackets belong to the address itself. */
function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon > host.lastIndexOf(']') ? host.slice(0, colon) : host;
}
