import { isIP, isIPv4, connect as openSocket, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { isSameAddress } from './address-class.ts';
import { isAddressAllowed, type TargetAddress } from './judge-address.ts';
import { errorCode, OutboundFailure } from './outbound-failure.ts';
import type { OutboundPolicy } from './outbound-policy.ts';

/**
 * From the first packet to the end of the TLS handshake, over all addresses of a name (docs/contract/notifications.md
 * 3.11).
 */
export const CONNECT_TIMEOUT_MS = 5000;
/** A name may have any number of answers. All are judged, and the first few are tried. */
const ADDRESSES_TRIED_MAX = 4;
const TLS_VERSION_MIN = 'TLSv1.2';

/**
 * Connects to one of the judged addresses, and to nothing else, and judges the other end again after connecting. With
 * https the certificate must be valid for the name in the URL.
 * @param addresses all judged as allowed, at least one
 * @throws OutboundFailure `timeout`, `connection_failed`, `tls_failed`, `address_blocked`; or the reason of `signal`
 */
export async function openConnection(
  place: TargetAddress,
  addresses: readonly string[],
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<Socket> {
  const deadlineMs = performance.now() + CONNECT_TIMEOUT_MS;
  const tried = inTurns(addresses).slice(0, ADDRESSES_TRIED_MAX);
  let failure = new OutboundFailure('connection_failed', 'there is no address to connect to');
  for (const [index, address] of tried.entries()) {
    const leftMs = Math.max(1, deadlineMs - performance.now());
    try {
      const shareMs = leftMs / (tried.length - index);
      const socket = await openTcp({ host: address, port: place.port }, shareMs, signal);
      judgePeer(socket, address, place, policy);
      if (place.url.protocol === 'http:') return socket;
      return await secureSocket(socket, place.host, deadlineMs - performance.now(), signal);
    } catch (error) {
      const isUnreachable =
        error instanceof OutboundFailure && ['connection_failed', 'timeout'].includes(error.errorKind);
      if (!isUnreachable) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** @param to.host an address, for which a socket looks nothing up; a name only where the operator set it */
export function openTcp(
  to: { host: string; port: number },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const socket = openSocket({ ...to, autoSelectFamily: isIP(to.host) === 0, noDelay: true });
  return whenReady(socket, 'connect', 'connection_failed', timeoutMs, signal);
}

/** Opens TLS over an existing connection. `host` is a name or an address, without brackets. */
export async function secureSocket(
  socket: Socket,
  host: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Socket> {
  const secured = openTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '',
    minVersion: TLS_VERSION_MIN,
    // Set here, so that no environment variable can disable it.
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  });
  try {
    return await whenReady(secured, 'secureConnect', 'tls_failed', timeoutMs, signal);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** IPv4 and IPv6 by turns, so that a network without one of them is left after one try. */
function inTurns(addresses: readonly string[]): string[] {
  const ipv4 = addresses.filter((address) => isIPv4(address));
  const ipv6 = addresses.filter((address) => !isIPv4(address));
  return Array.from({ length: Math.max(ipv4.length, ipv6.length) }, (_, index) => [
    ...ipv4.slice(index, index + 1),
    ...ipv6.slice(index, index + 1),
  ]).flat();
}

/** Defence in depth: whatever lay between judging and connecting, this is where the bytes would go. */
function judgePeer(socket: Socket, address: string, place: TargetAddress, policy: OutboundPolicy): void {
  const peer = socket.remoteAddress ?? '';
  if (isSameAddress(peer, address) && isAddressAllowed(peer, place, policy)) return;
  socket.destroy();
  throw new OutboundFailure('address_blocked', 'the connection leads to another address');
}

/** Waits for a socket's event, destroys it when that does not come, and names why. */
function whenReady<Ready extends Socket>(
  socket: Ready,
  event: 'connect' | 'secureConnect',
  failedKind: 'connection_failed' | 'tls_failed',
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Ready> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => fail(new OutboundFailure('timeout', `no ${event} in time`)),
      Math.max(1, timeoutMs),
    );
    const onAbort = () => fail(signal.reason);
    const onError = (error: Error) => {
      const kind = errorCode(error) === 'ETIMEDOUT' ? 'timeout' : failedKind;
      fail(new OutboundFailure(kind, errorCode(error)));
    };
    const onClose = () => fail(new OutboundFailure(failedKind, 'closed'));
    function settle(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('close', onClose);
      socket.off('error', onError);
      // The next user of the socket listens too; until then an error must not end the process.
      socket.on('error', () => {});
    }
    function fail(error: unknown): void {
      settle();
      socket.destroy();
      reject(error);
    }
    socket.once('error', onError);
    socket.once('close', onClose);
    socket.once(event, () => {
      settle();
      resolve(socket);
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}
