import { isIPv4 } from 'node:net';

/**
 * True when the URL names this machine itself: `localhost`, 127.0.0.0/8 or `[::1]`, as written. A name that merely
 * resolves there does not count (docs/contract/notifications.md 5.4).
 */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

export function isLoopbackHost(host: string): boolean {
  return (
    host === 'localhost' || host === '[::1]' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
  );
}
