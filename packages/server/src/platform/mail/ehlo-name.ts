import { isIPv4 } from 'node:net';
import { isLoopbackHost } from '../loopback-url.ts';

/**
 * The name under which this service greets mail servers. Strict ones refuse what is no full name or an address of
 * loopback, and the host name of a container is neither. Null: there is no better one than the system's.
 * @param from a bare address
 */
export function ehloName(baseUrl: string, from: string): string | null {
  const senderDomain = from.slice(from.lastIndexOf('@') + 1).toLowerCase();
  return nameOf(new URL(baseUrl).hostname) ?? nameOf(senderDomain);
}

/** A full name, or an address in the form of RFC 5321 4.1.3; null for what means nothing elsewhere. */
function nameOf(text: string): string | null {
  const host = text.replace(/\.$/, '');
  if (isLoopbackHost(host) || host.endsWith('.localhost')) return null;
  if (host.startsWith('[')) return host === '[::]' ? null : `[IPv6:${host.slice(1, -1)}]`;
  if (isIPv4(host)) return host === '0.0.0.0' ? null : `[${host}]`;
  return host.includes('.') ? host : null;
}
