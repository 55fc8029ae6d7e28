import { type AddressBlock, type AddressBytes, isInBlock, parseAddress, parseBlock } from './ip-address.ts';
import type { TrustProxy } from './relay-options.ts';

/** The facts about the sender: none of them is passed on. */
interface Sender {
  /** The address of the connection; null if the server does not provide it. */
  socketAddress: string | null;
  /** The value of `X-Forwarded-For`. */
  forwardedFor: string | null;
}

/** The origin of a call. */
interface ClientAddress {
  address: AddressBytes | null;
  /** True if the connection comes from a trusted proxy, whose `X-Forwarded-Host` counts. */
  isProxyTrusted: boolean;
}

/** A proxy adds one; no real chain has more in a row. */
const HOPS_MAX = 32;

/** Decides by `trustProxy` (docs/contract/clients.md 12.1). What a client has written itself is never believed. */
export function resolveClientAddress(trustProxy: TrustProxy, sender: Sender): ClientAddress {
  const socket = sender.socketAddress === null ? null : parseAddress(sender.socketAddress);
  // From the nearest to the farthest: the connection, then the header from the right.
  const forwarded = (sender.forwardedFor ?? '').split(',').slice(-HOPS_MAX).reverse();
  if (typeof trustProxy === 'number') return byCount(trustProxy, socket, forwarded);
  const isTrusted = trustTest(trustProxy);
  if (isTrusted === null) return { address: socket, isProxyTrusted: false };
  const isProxyTrusted = sender.socketAddress === null || (socket !== null && isTrusted(socket, 0));
  if (!isProxyTrusted) return { address: socket, isProxyTrusted };
  let address = socket;
  for (const [index, text] of forwarded.entries()) {
    const next = parseAddress(text);
    if (next === null) break;
    address = next;
    if (!isTrusted(next, index + 1)) break;
  }
  return { address, isProxyTrusted };
}

function byCount(count: number, socket: AddressBytes | null, forwarded: readonly string[]): ClientAddress {
  if (!Number.isInteger(count) || count < 1) return { address: socket, isProxyTrusted: false };
  let address = socket;
  for (const text of forwarded.slice(0, count)) {
    const next = parseAddress(text);
    if (next === null) break;
    address = next;
  }
  return { address, isProxyTrusted: true };
}

/** Null when no proxy is trusted. */
function trustTest(trustProxy: TrustProxy): ((address: AddressBytes, hop: number) => boolean) | null {
  if (typeof trustProxy === 'function')
    return (address, hop) => trustProxy(formatAddress(address), hop) === true;
  if (!Array.isArray(trustProxy)) return null;
  const blocks = trustProxy
    .map((text) => parseBlock(String(text)))
    .filter((block): block is AddressBlock => block !== null);
  return (address) => blocks.some((block) => isInBlock(address, block));
}

/** An address as text; IPv6 without shortening. */
function formatAddress(address: AddressBytes): string {
  if (address.length === 4) return address.join('.');
  const groups = Array.from({ length: 8 }, (_, index) => {
    const value = ((address[index * 2] ?? 0) << 8) | (address[index * 2 + 1] ?? 0);
    return value.toString(16);
  });
  return groups.join(':');
}
