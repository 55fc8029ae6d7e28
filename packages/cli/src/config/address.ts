import { usageError } from '../cli-error.ts';
import { visibleLine } from '../output/visible-text.ts';

/** The origin of a server's address, and whether `/v1` was dropped from it. */
export function readAddress(text: string, from: string): { origin: string; droppedVersion: boolean } {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usageError(
      `"${visibleLine(text)}" (${from}) is not an address.`,
      'for example https://culprit.example.com',
    );
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw usageError(`"${visibleLine(text)}" (${from}) does not begin with https:// or http://.`);
  }
  const droppedVersion = url.pathname === '/v1' || url.pathname === '/v1/';
  if (
    (url.pathname !== '/' && !droppedVersion) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw usageError(
      `The address of a server (${from}) has no path, query, user or fragment.`,
      `${url.origin} alone`,
    );
  }
  return { origin: url.origin, droppedVersion };
}

/** Returns true if an origin is on this machine. */
export function isLoopback(origin: string): boolean {
  const { hostname } = new URL(origin);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
