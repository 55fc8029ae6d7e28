/** An address as URL matchers of rules compare it (docs/contract/ingestion.md 5.2). */
export interface WebAddress {
  /** Lower case, without port. */
  host: string | null;
  hostAndPort: string | null;
  /** Without query and fragment, with a leading slash. */
  path: string;
  isAbsolute: boolean;
}

/** Null for blank text; no address is bad. */
export function readWebAddress(text: string): WebAddress | null {
  const address = text.trim().replace(/^blob:/i, '');
  if (address === '') return null;
  const [, scheme = '', authority, rest = ''] =
    /^([a-z][a-z\d+.-]{0,31}:)?(?:\/\/([^/?#\\]*))?([\s\S]*)$/i.exec(address) ?? [];
  const bare = rest.replace(/[?#][\s\S]*$/, '');
  const hostAndPort = (authority ?? '').slice((authority ?? '').lastIndexOf('@') + 1).toLowerCase() || null;
  return {
    host: hostAndPort && withoutPort(hostAndPort),
    hostAndPort,
    path: bare.startsWith('/') ? bare : `/${bare}`,
    isAbsolute: scheme !== '' || authority !== undefined,
  };
}

/** Colons inside brackets belong to the address itself. */
function withoutPort(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon > host.lastIndexOf(']') ? host.slice(0, colon) : host;
}
