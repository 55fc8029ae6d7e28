const MASK = '[REDACTED]';

/** An address as a test answers it (account.md 7.6): names of parameters are shown, their values are not. */
export interface MaskedAddress {
  url: string;
  host: string;
  path: string;
  query: Record<string, string>;
}

export function maskQuery(address: string): MaskedAddress {
  const url = new URL(address);
  const names = [...url.searchParams.keys()];
  const masked = names.map((name) => `${encodeURIComponent(name)}=${MASK}`).join('&');
  return {
    url: url.origin + url.pathname + (masked === '' ? '' : `?${masked}`),
    host: url.host,
    path: url.pathname,
    query: Object.fromEntries(names.map((name) => [name, MASK])),
  };
}
